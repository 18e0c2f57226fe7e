"""Short ways to write the queries of spec tests."""

from datetime import timedelta

from windrow.schemas.query import Query, agg

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
ZERO = timedelta(0)
TOTAL = {"total": agg("sum", "value")}


def ask(window, emit="watermark", lateness=ZERO, allowed=ZERO, **more) -> Query:
    """A query of the spec tables' columns; `key`, `aggregates` and `where` as in Query."""
    more = {"key": ("key",), "aggregates": TOTAL, **more}
    return Query("spec", "spec", window=window, lateness=lateness, allowed_lateness=allowed, emit=emit, **more)
