"""Trips per start station and New York calendar day: 23 and 25 hours on the days when the clocks change."""

from datetime import timedelta

from windrow.schemas.query import Query, agg, tumbling

QUERY = Query(
    name="bikes_daily",
    stream="bikes",
    key=("start_station_id",),
    window=tumbling(size=timedelta(days=1), zone="America/New_York"),
    aggregates={
        "trips": agg("count"),
        "total_trip_duration_s": agg("sum", "trip_duration_s"),
        "mean_trip_duration_s": agg("mean", "trip_duration_s"),
        "shortest_trip_duration_s": agg("min", "trip_duration_s"),
        "longest_trip_duration_s": agg("max", "trip_duration_s"),
    },
    lateness=timedelta(hours=2),
    allowed_lateness=timedelta(days=7),
)
