"""What was known of a start station at a moment: its trips of the last hours and days, and its newest demand."""

from datetime import timedelta

from windrow.schemas.feature_set import FeatureSet, latest
from windrow.schemas.query import agg

FEATURES = FeatureSet(
    name="bikes_station",
    stream="bikes",
    key=("start_station_id",),
    windows={"1h": timedelta(hours=1), "1d": timedelta(days=1), "7d": timedelta(days=7)},
    aggregates={
        "trips": agg("count"),
        "mean_trip_duration_s": agg("mean", "trip_duration_s"),
        "longest_trip_duration_s": agg("max", "trip_duration_s"),
    },
    latest={"demand": latest("bikes_demand", "trips", at_most=timedelta(hours=3))},
)
