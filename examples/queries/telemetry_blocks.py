"""How long each pod took to send a million bytes, block after block."""

from datetime import timedelta

from windrow.schemas.query import Query, agg, frame

QUERY = Query(
    name="telemetry_blocks",
    stream="telemetry",
    key=("source",),
    window=frame.aggregate("sum", "value", bound=1e6),
    aggregates={
        "readings": agg("count"),
        "sent_bytes": agg("sum", "value"),
    },
    where="metric = 'network_sent'",
    lateness=timedelta(seconds=90),
    allowed_lateness=timedelta(hours=1),
)
