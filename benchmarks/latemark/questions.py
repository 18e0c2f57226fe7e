"""The questions: in words, which columns an answer has, and as Windrow's queries.

Of all of them: a bid that is delivered again counts once, from its first arrival on; a bid whose `date_time` is more
than AHEAD_AT_MOST after its arrival is of a wrong clock and counts nowhere; all others count, however late they come.
Windows are half-open and lie on whole multiples of their size since the epoch, in UTC.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import NamedTuple

from windrow.schemas.query import Aggregate, Query, agg, session, sliding, tumbling
from windrow.schemas.windows import MICROSECOND, Window

AHEAD_AT_MOST = timedelta(minutes=1)
LATENESS = timedelta(minutes=10)
"""After which a streaming way may answer; what comes later are corrections."""
PATIENCE = timedelta(days=2)
"""Longer than any bid is late."""
DAY, SECOND, GAP = timedelta(days=1), timedelta(seconds=1), timedelta(minutes=10)
TUMBLING_SIZE, TOP_SIZE, MEDIAN_SIZE, KNOWN_SIZE = timedelta(minutes=1), GAP, timedelta(hours=1), timedelta(minutes=5)
TOP = 3
NEXMARK_SIZE = timedelta(seconds=10)


class LatemarkQuestion(NamedTuple):
    """words: for a page; query: as Windrow asks it; known: whether an answer has row versions, each with `known_at`."""

    words: str
    query: Query
    known: bool = False

    @property
    def values(self) -> tuple[str, ...]:
        """The columns that are compared."""
        return tuple(self.query.aggregates)

    @property
    def identity(self) -> tuple[str, ...]:
        """The columns that name a row of the truth."""
        return (*self.query.key, "window_start", "window_end")

    @property
    def columns(self) -> tuple[str, ...]:
        """What a way writes."""
        return (*self.identity, *self.values, *(("known_at",) if self.known else ()))


def _asked(
    name: str, key: tuple[str, ...], window: Window, aggregates: Mapping[str, Aggregate], emit: str = "final"
) -> Query:
    allowed = PATIENCE - LATENESS
    return Query(f"bids_{name}", "bids", key, window, dict(aggregates), LATENESS, allowed, emit)


BIDS, TOTAL, HIGHEST = {"bids": agg("count")}, {"total_price": agg("sum", "price")}, {"top_price": agg("max", "price")}
RANKS = {f"auction_{k}": agg("top_k", "auction", k=k) for k in range(1, TOP + 1)}
QUESTIONS = {
    "tumbling": LatemarkQuestion(
        "Bids, their sum and the highest, by channel and minute.",
        _asked("tumbling", ("channel",), tumbling(TUMBLING_SIZE), BIDS | TOTAL | HIGHEST),
    ),
    "sliding": LatemarkQuestion(
        "Bids and the highest in the last day, every second.",
        _asked("sliding", (), sliding(DAY, SECOND), BIDS | HIGHEST),
    ),
    "sessions": LatemarkQuestion(
        "Bids and their sum, by bidder and session; neighbours in a session are less than 10 minutes apart.",
        _asked("sessions", ("bidder",), session(GAP), BIDS | TOTAL),
    ),
    "top_k": LatemarkQuestion(
        "The three auctions with the most bids, every 10 minutes; of as many, the least number first.",
        _asked("top_k", (), tumbling(TOP_SIZE), RANKS),
    ),
    "median": LatemarkQuestion(
        "The exact median of prices, by source and hour.",
        _asked("median", ("source",), tumbling(MEDIAN_SIZE), {"median_price": agg("median", "price")}),
    ),
    "known": LatemarkQuestion(
        "Bids and the highest by source and 5 minutes, as they were known at each of 12 moments.",
        _asked("known", ("source",), tumbling(KNOWN_SIZE), BIDS | HIGHEST, "arrival"),
        known=True,
    ),
}
WINNER = {name: agg("argmax", "price", name) for name in ("auction", "bidder")}
NEXMARK = {
    "q7": LatemarkQuestion(
        "Nexmark's q7: the highest bid in each 10 seconds, with its auction and bidder.",
        _asked("q7", (), tumbling(NEXMARK_SIZE), HIGHEST | WINNER),
    ),
    "q11": LatemarkQuestion(
        "Nexmark's q11: bids by bidder and session; neighbours in a session are less than 10 seconds apart.",
        _asked("q11", ("bidder",), session(NEXMARK_SIZE), BIDS),
    ),
}
EVERY = QUESTIONS | NEXMARK


def us(span: timedelta) -> int:
    """In µs."""
    return span // MICROSECOND
