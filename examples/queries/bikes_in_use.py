"""Bikes in use per start station: trips under way at some time of a quarter of an hour, every five minutes."""

from datetime import timedelta

from windrow.schemas.query import Query, agg, spanning

QUERY = Query(
    name="bikes_in_use",
    stream="bikes",
    key=("start_station_id",),
    # Beyond a day a bike is lost rather than in use: 139 of the 495,109 real trips, which go to the late table.
    window=spanning(timedelta(minutes=15), timedelta(minutes=5), longest=timedelta(days=1)),
    aggregates={
        "trips": agg("count"),
        "longest_trip_duration_s": agg("max", "trip_duration_s"),
    },
    lateness=timedelta(hours=1),
    allowed_lateness=timedelta(days=1),
)
