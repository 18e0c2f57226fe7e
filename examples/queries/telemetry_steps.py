"""Steps in a pod's memory: how long it stayed within 5 MiB of where it was."""

from datetime import timedelta

from windrow.schemas.query import Query, agg, frame

QUERY = Query(
    name="telemetry_steps",
    stream="telemetry",
    key=("source",),
    window=frame.delta("value", change=5.0),
    aggregates={
        "readings": agg("count"),
        "memory_min_mib": agg("min", "value"),
        "memory_max_mib": agg("max", "value"),
    },
    where="metric = 'memory_usage'",
    lateness=timedelta(seconds=90),
    allowed_lateness=timedelta(hours=1),
)
