"""What the rows of some days let expect of final values, each day by the rows of the days before it alone.

rows emitted before the day ──windows that were settled by then──▶ history ──estimates.py──▶ the day's rows
"""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.pipelines.nowcast.estimates import Cells, Estimates, RowKinds, estimates
from windrow.pipelines.replay.event_arrays import key_codes
from windrow.pipelines.rows.arrays import stored
from windrow.pipelines.tables.arrival_days import DAY_US
from windrow.schemas.query import NOWCAST_BOUNDS, NOWCAST_FACTS, Query
from windrow.schemas.windows import EPOCH, MICROSECOND

SECOND_US = 1_000_000
HOUR_US = 3_600 * SECOND_US
HOURS = 24
THURSDAY, SATURDAY = 3, 5  # of a week's seven days; the epoch began on a Thursday
EARLY = "early"


class AnsweredRows(NamedTuple):
    """Rows of a query by window and revision: of what kind each is, the day of its emission since the epoch, its
    window's number and end, and what the watermark had surely reached when it was emitted."""

    kinds: RowKinds
    day: np.ndarray
    window: np.ndarray
    end_us: np.ndarray
    reached_us: np.ndarray

    @classmethod
    def of(cls, query: Query, rows: pa.Table) -> "AnsweredRows":
        """rows: by window and revision."""
        start_us, end_us, emitted_us = (stored(rows[name]) for name in ("window_start", "window_end", "emitted_at"))
        key, kind = key_codes(rows, query.key)[0], key_codes(rows, (*query.name_column, "pane"))[0]
        kinds = RowKinds(kind, emitted_us - end_us, key, key * 2 * HOURS + _hour(start_us))
        window = key_codes(rows, query.window_identity)[0]
        # Before its end a row says that an event had come that began no earlier than an event of its window may.
        lasting_us = max(each.longest_event_us or 0 for each in query.every_window)
        begun_us = start_us - lasting_us - query.lateness // MICROSECOND
        is_early = np.asarray(pc.equal(rows["pane"], EARLY))
        return cls(kinds, emitted_us // DAY_US, window, end_us, np.where(is_early, begun_us, end_us))

    def history(self, query: Query, day: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows of the days before it whose windows were settled when it began, and the last ones of their windows."""
        assert query.nowcast is not None, "a query without a nowcast has no history"
        before = np.flatnonzero((self.day < day) & (self.day >= day - query.nowcast.days))
        if not len(before):
            return before, before
        window, settled_us = self.window[before], self.reached_us[before].max() - query.allowed_lateness // MICROSECOND
        ends = np.flatnonzero(np.append(window[1:] != window[:-1], True))
        last = before[ends[np.searchsorted(ends, np.arange(len(before)))]]
        settled = self.end_us[before] <= settled_us
        return before[settled], last[settled]


def _hour(start_us: np.ndarray) -> np.ndarray:
    """Of the day, the hours of weekends behind those of the other days."""
    is_weekend = (start_us // DAY_US + THURSDAY) % 7 >= SATURDAY
    return start_us // HOUR_US % HOURS + HOURS * is_weekend


def nowcasts(query: Query, rows: pa.Table, days: Sequence[date]) -> pa.Table:
    """What the rows of these days let expect, in the columns of `<query>_nowcast`. rows: of the query's table, of these
    days and of the history before each. O(days · rows log rows)."""
    ordered = rows.sort_by([(name, "ascending") for name in (*query.window_identity, "revision")])
    answered = AnsweredRows.of(query, ordered)
    values = {name: stored(ordered[name].cast(pa.float64())) for name in query.additive}
    found = [_of_day(query, ordered, answered, values, (day - EPOCH.date()).days) for day in days]
    return pa.concat_tables(found)


def _of_day(query: Query, rows: pa.Table, answered: AnsweredRows, values: dict[str, np.ndarray], day: int) -> pa.Table:
    asked = np.flatnonzero(answered.day == day)
    history, last = answered.history(query, day)
    cells = Cells.of(answered.kinds.of(history), answered.kinds.of(asked))
    estimated = {name: estimates(cells, of[history], of[last], of[asked]) for name, of in values.items()}
    of_rows = rows.select([*query.window_identity, "revision", "pane", "emitted_at"]).take(pa.array(asked))
    ages, counts = cells.asked.age_us / SECOND_US, next(iter(estimated.values())).history_rows
    found = dict(zip(NOWCAST_FACTS, (ages, counts), strict=True)) | _columns(estimated)
    for name, column in found.items():
        of_rows = of_rows.append_column(name, pa.array(column, from_pandas=True))  # NaN as null
    emitted = pa.array(np.full(len(asked), day, np.int32)).view(pa.date32())
    return of_rows.append_column("emitted_date", emitted)


def _columns(estimated: dict[str, Estimates]) -> dict[str, np.ndarray]:
    return {f"{name}_{bound}": getattr(each, bound) for name, each in estimated.items() for bound in NOWCAST_BOUNDS}
