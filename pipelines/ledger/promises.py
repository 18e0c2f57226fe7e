"""The table `promises`: what each run found of what its query promises (schemas/promise.py)."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from operator import itemgetter
from typing import NamedTuple

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger.entry import Run
from windrow.schemas.ledger_tables import PROMISES
from windrow.schemas.promise import FAIL, FRESH, ROWS, WARN, Promise
from windrow.schemas.query import Query
from windrow.schemas.spelling import in_words

KEPT, STILL_BROKEN = "kept", "still broken"


class Judgement(NamedTuple):
    """What a run found of a promise on one day. measured: in the promise's unit, None where there was no row yet;
    before: the same without what arrived on the run's own day, None where nothing could be said."""

    promise: Promise
    day: date
    measured: float | None
    before: float | None = None

    @property
    def verdict(self) -> str:
        """KEPT; STILL_BROKEN where it was broken before the run's day too; else what the promise says."""
        if self.measured is not None and self.promise.holds(self.measured):
            return KEPT
        is_old = self.before is not None and not self.promise.holds(self.before)
        return STILL_BROKEN if is_old else self.promise.or_else

    @property
    def is_news(self) -> bool:
        """Whether the run is the first to find it broken."""
        return self.verdict in (WARN, FAIL)

    @property
    def plain(self) -> dict:
        """As columns of the table, and for tools."""
        promise = self.promise
        facts = {"promise": promise.name, "day": self.day, "measured": self.measured}
        return {**facts, "allowed": promise.allowed, "verdict": self.verdict}

    def __str__(self) -> str:
        return f"{self.promise.name} of {self.day}: {self.figure}, promised: {self.promise.allowed}"

    @property
    def figure(self) -> str:
        """What was measured, in words."""
        if self.measured is None:
            return "without any row"
        if self.promise.kind == FRESH:
            return f"{in_words(timedelta(seconds=round(self.measured)))} old"
        return f"{self.measured:,.0f} rows" if self.promise.kind == ROWS else f"{self.measured:.6g}"


Judged = Mapping[date, Sequence[Judgement]]
"""By the day of the run."""


def write(lake: Lake, run: Run, judged: Judged) -> None:
    """Append what one run found, by day, in one commit. Without anything nothing is written."""
    shared = {**run.identity, "at": datetime.now(UTC)}
    rows = [{**shared, "logical_date": day, **each.plain} for day, of_day in judged.items() for each in of_day]
    if rows:
        lake.ensure(PROMISES)
        lake.append(PROMISES, rows)


def newest(lake: Lake, query: Query) -> list[dict]:
    """The last word on each promise that the query still makes and on each day, the newest day first. O(rows)."""
    if lake.version(PROMISES.name) is None or not query.promises:
        return []
    rows = lake.read(PROMISES.name, filters=[("query", "=", query.name)]).sort_by("at").to_pylist()
    asked = {(each.name, each.allowed) for each in query.promises}
    found: dict[tuple, dict] = {}
    for row in sorted(rows, key=itemgetter("logical_date")):
        if (promise := (row["promise"], row["allowed"])) in asked:
            found[*promise, row["day"]] = row
    return sorted(found.values(), key=itemgetter("day"), reverse=True)
