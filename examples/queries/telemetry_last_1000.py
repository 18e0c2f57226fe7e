"""The last 1,000 readings per source and metric, as they arrived, every 100."""

from datetime import timedelta

from windrow.schemas.query import Query, agg, count

QUERY = Query(
    name="telemetry_last_1000",
    stream="telemetry",
    key=("source", "metric"),
    window=count(size=1_000, step=100),
    aggregates={
        "value_mean": agg("mean", "value"),
        "value_max": agg("max", "value"),
    },
    lateness=timedelta(seconds=90),
    allowed_lateness=timedelta(hours=1),
)
