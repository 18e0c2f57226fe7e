"""How busy each antenna is: sessions under way in the last quarter of an hour, every 5 minutes.

A session is in every window that it meets, however long it lasts, and brings all its bytes to each of them.
"""

from datetime import timedelta

from windrow.schemas.query import Query, agg, spanning

QUERY = Query(
    name="cdr_active",
    stream="cdr",
    key=("location_area", "cell"),
    # The longest of the real sessions lasted 50 hours.
    window=spanning(timedelta(minutes=15), timedelta(minutes=5), longest=timedelta(days=3)),
    aggregates={
        "sessions": agg("count"),
        "whole_bytes_sum": agg("sum", "whole_bytes"),
        "longest_s": agg("max", "length_s"),
    },
    lateness=timedelta(minutes=20),
    allowed_lateness=timedelta(days=1),
)
