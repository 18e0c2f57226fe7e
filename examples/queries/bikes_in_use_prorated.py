"""Bike time per hour and start station: of each trip the part that lies in the hour. 3,600 s is one bike, all hour
long; by 60 it is bike minutes."""

from datetime import timedelta

from windrow.schemas.query import Query, agg, spanning

HOUR = timedelta(hours=1)
QUERY = Query(
    name="bikes_in_use_prorated",
    stream="bikes",
    key=("start_station_id",),
    window=spanning(HOUR, HOUR, longest=timedelta(days=1), attribution="prorated"),
    aggregates={
        "trips": agg("count"),
        "in_use_s": agg("sum", "trip_duration_s"),
    },
    lateness=HOUR,
    allowed_lateness=timedelta(days=1),
)
