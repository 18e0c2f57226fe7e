"""The last ten minutes before each measurement: mean and maximum per source and metric."""

from datetime import timedelta

from windrow.schemas.query import Query, agg, rolling

QUERY = Query(
    name="telemetry_rolling",
    stream="telemetry",
    key=("source", "metric"),
    window=rolling(timedelta(minutes=10)),
    aggregates={
        "value_mean": agg("mean", "value"),
        "value_max": agg("max", "value"),
    },
    lateness=timedelta(seconds=90),
    allowed_lateness=timedelta(hours=1),
)
