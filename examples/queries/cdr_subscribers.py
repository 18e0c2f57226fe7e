"""What each subscriber did in the last hour, every 5 minutes: sessions that began in it, bytes up and down."""

from datetime import timedelta

from windrow.schemas.query import Query, agg, promise, sliding

QUERY = Query(
    name="cdr_subscribers",
    stream="cdr",
    key=("subscriber",),
    window=sliding(timedelta(hours=1), timedelta(minutes=5)),
    aggregates={
        "sessions": agg("count"),
        "uplink_bytes_sum": agg("sum", "uplink_bytes"),
        "downlink_bytes_sum": agg("sum", "downlink_bytes"),
    },
    lateness=timedelta(minutes=20),
    allowed_lateness=timedelta(days=1),
    # Of 26 real days at least 99.2 % had arrived by then.
    promises=(promise(complete=0.98, within="1 h"), promise(fresh_within="1 d")),
)
