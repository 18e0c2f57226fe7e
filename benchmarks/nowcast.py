"""How far nowcasts of held-out days of the real streams are from what became true: `make bench-nowcast`.

    python -m benchmarks.nowcast [LANDING] [--home var/nowcast] [--into docs/benchmarks]

It ingests the streams into a lake of its own, replays each query over its whole stream, makes the nowcasts of each day
from the rows of the days before it, and writes nowcast.md.
"""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.pipelines.config import REPOSITORY
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.local import replay_table
from windrow.pipelines.nowcast.nowcasts import AnsweredRows, nowcasts
from windrow.pipelines.rows.arrays import stored
from windrow.schemas.query import Query
from windrow.schemas.windows import MICROSECOND

HOME = REPOSITORY / "var" / "nowcast"
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
INSIDE, FALLS_BY, MATTERS = (0.86, 0.94), 1 / 3, 0.01
ORDER = [(name, "ascending") for name in ("arrival", "path", "line", "reading")]
QUERIES = ()


class HeldOut(NamedTuple):
    """Of one aggregate, rows on time that have a nowcast and whose windows were settled in the end: how many, what they
    and their nowcasts miss on average, which share of what became true they miss, and which share of the finals is in
    the intervals."""

    query: str
    aggregate: str
    rows: int
    days: int
    missing: float
    same: float
    error: float
    expected_error: float
    inside: float

    @property
    def falls_by(self) -> float:
        """By which share of itself the error falls."""
        return 1 - self.expected_error / self.error if self.error else 0.0

    @property
    def matters(self) -> bool:
        return self.missing >= MATTERS


def held_out(query: Query, events: pa.Table) -> Iterator[HeldOut]:
    """Of each count and sum; every day is held out in its turn."""
    rows = replay_table(events, query)
    rows = rows.sort_by([(name, "ascending") for name in (*query.window_identity, "revision")])
    answered = AnsweredRows.of(query, rows)
    days = [date(1970, 1, 1) + timedelta(days=int(day)) for day in np.unique(answered.day)]
    found = nowcasts(query, rows, days)
    found = found.sort_by([(name, "ascending") for name in (*query.window_identity, "revision")])
    ends = np.flatnonzero(np.append(answered.window[1:] != answered.window[:-1], True))
    last = ends[np.searchsorted(ends, np.arange(len(rows)))]
    settled = answered.end_us + query.allowed_lateness // MICROSECOND <= answered.reached_us.max()
    on_time = settled & np.asarray(pc.equal(rows["pane"], "on_time"))
    for name in query.additive:
        values = stored(rows[name].cast(pa.float64()))
        bounds = (found[f"{name}_{bound}"].to_numpy() for bound in ("expected", "low", "high"))
        yield _held_out(query, name, on_time, answered.day, values, values[last], *bounds)


def _held_out(query, name, chosen, day, value, final, expected, low, high) -> HeldOut:  # noqa: PLR0913
    chosen = chosen & ~np.isnan(expected)
    day, value, final, expected, low, high = (each[chosen] for each in (day, value, final, expected, low, high))
    rounding = 1e-9 * np.abs(final)
    inside = (low - rounding <= final) & (final <= high + rounding)
    error, expected_error = np.abs(final - value), np.abs(final - expected)
    return HeldOut(query.name, name, len(value), len(np.unique(day)), error.sum() / np.abs(final).sum(),
                   (value == final).mean(), error.mean(), expected_error.mean(), inside.mean())  # fmt: skip


def events_of(lake: Lake, query: Query) -> pa.Table:
    """The stream's events as `replay_table` takes them."""
    columns = dict.fromkeys((*query.read_columns, "start", "end", "arrival"))
    rows = lake.read(f"silver_{query.stream}", columns=[*columns, "path", "line", "reading"]).sort_by(ORDER)
    return rows.select([*columns]).append_column("seq", pa.array(np.arange(len(rows))))
