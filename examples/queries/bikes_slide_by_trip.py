"""At every tenth departure of a station: the trips of the hour before it."""

from datetime import timedelta

from windrow.schemas.query import Query, agg, slide_by_tuple

QUERY = Query(
    name="bikes_slide_by_trip",
    stream="bikes",
    key=("start_station_id",),
    window=slide_by_tuple(timedelta(hours=1), step=10),
    aggregates={
        "trips": agg("count"),
        "mean_trip_duration_s": agg("mean", "trip_duration_s"),
    },
    lateness=timedelta(hours=1),
    allowed_lateness=timedelta(days=1),
)
