"""When a pod or its node ran hot: stretches of readings at 80 % or more, of at least two minutes."""

from datetime import timedelta

from windrow.schemas.query import Query, agg, frame

QUERY = Query(
    name="telemetry_hot",
    stream="telemetry",
    key=("source", "metric"),
    window=frame.threshold("value", at_least=80.0, min_count=2, min_duration=timedelta(minutes=2)),
    aggregates={
        "readings": agg("count"),
        "value_max": agg("max", "value"),
        "value_mean": agg("mean", "value"),
    },
    where="metric IN ('cpu_usage_rate', 'memory_usage_rate', 'node_cpu_usage_rate', 'node_memory_usage_rate')",
    lateness=timedelta(seconds=90),
    allowed_lateness=timedelta(hours=1),
)
