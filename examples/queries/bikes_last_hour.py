"""What each start station's last hour looked like, as each trip became known."""

from datetime import timedelta

from windrow.schemas.query import Query, agg, rolling

QUERY = Query(
    name="bikes_last_hour",
    stream="bikes",
    key=("start_station_id",),
    window=rolling(size=timedelta(hours=1)),
    aggregates={
        "trips": agg("count"),
        "mean_trip_duration_s": agg("mean", "trip_duration_s"),
        "longest_trip_duration_s": agg("max", "trip_duration_s"),
    },
    lateness=timedelta(hours=1),
    allowed_lateness=timedelta(hours=1),
    emit="arrival",
)
