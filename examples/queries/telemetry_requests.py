"""Requests under way per service: those that were being served at some time of each second."""

from datetime import timedelta

from windrow.schemas.query import Query, agg, spanning
from windrow.schemas.streams.telemetry import REQUEST_METRIC

QUERY = Query(
    name="telemetry_requests",
    stream="telemetry",
    key=("service",),
    window=spanning(timedelta(seconds=1), timedelta(seconds=1), longest=timedelta(minutes=10)),
    aggregates={
        "requests": agg("count"),
        "longest_us": agg("max", "value"),
    },
    lateness=timedelta(seconds=5),
    allowed_lateness=timedelta(minutes=10),
    where=f"metric = '{REQUEST_METRIC}'",
)
