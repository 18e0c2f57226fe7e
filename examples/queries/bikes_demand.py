"""Demand per start station: the last day, every five minutes."""

from datetime import timedelta

from windrow.schemas.query import Query, agg, sliding

QUERY = Query(
    name="bikes_demand",
    stream="bikes",
    key=("start_station_id",),
    window=sliding(size=timedelta(days=1), slide=timedelta(minutes=5)),
    aggregates={
        "trips": agg("count"),
        "mean_trip_duration_s": agg("mean", "trip_duration_s"),
        "longest_trip_duration_s": agg("max", "trip_duration_s"),
    },
    # 99 % of New York's trips arrive within 4,134 s of the newest start; a day more takes all but forgotten bikes.
    lateness=timedelta(hours=1),
    allowed_lateness=timedelta(days=1),
)
