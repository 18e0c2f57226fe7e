"""Departures since a station's last refill, which comes after 20 of them or half an hour: a row at each departure."""

from datetime import timedelta

from windrow.schemas.query import Query, agg, policy

QUERY = Query(
    name="bikes_refill",
    stream="bikes",
    key=("start_station_id",),
    window=policy("until", most=20, length_us=timedelta(minutes=30) // timedelta(microseconds=1)),
    aggregates={
        "departures": agg("count"),
        "mean_trip_duration_s": agg("mean", "trip_duration_s"),
    },
    lateness=timedelta(hours=1),
    allowed_lateness=timedelta(days=1),
)
