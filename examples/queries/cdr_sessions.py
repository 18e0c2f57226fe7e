"""When each subscriber was online: runs of data sessions that began less than half an hour after each other."""

from datetime import timedelta

from windrow.schemas.query import Query, agg, session

QUERY = Query(
    name="cdr_sessions",
    stream="cdr",
    key=("subscriber",),
    window=session(timedelta(minutes=30)),
    aggregates={
        "sessions": agg("count"),
        "whole_bytes_sum": agg("sum", "whole_bytes"),
        "longest_s": agg("max", "length_s"),
    },
    lateness=timedelta(minutes=20),
    allowed_lateness=timedelta(days=1),
)
