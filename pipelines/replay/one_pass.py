"""One pass of a task: days that follow each other, whose rows are made by one call of the kernel."""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.delta.lake import Lake
from pipelines.engines.ranges import Range, filter_of
from pipelines.ledger.farm_runs import FarmRun
from pipelines.replay.day_state import StateTarget, state_rows
from pipelines.replay.late_events import late_events
from pipelines.replay.look_back import LookBack
from pipelines.replay.replay_events import WORKERS, Replayed, replay_events, replay_on
from pipelines.replay.specifications import ServedQuery
from pipelines.rows.arrays import TIME, stored
from pipelines.tables.heartbeats import day_start_us
from schemas.replay_limits import ReplayLimits
from schemas.tables import Table

if TYPE_CHECKING:
    from kernels.replay import PassTicks


@dataclass(frozen=True)
class Work:
    """What every task of one run knows.

    days: the look-back of each day; at_once: days that follow each other can be one pass; ticks: the watermark's
    staircase; result, late: the audit tables; whole_buckets: a key is in one bucket only; first_key_column: by which
    silver's files are sorted; halo_us: how long before and after a pane of windows their events may start; limits: what
    each call of the kernel may cost; workers: threads of a model's farm, None of a plain query; state: where a day
    leaves what the next one goes on from, None where it leaves nothing
    """

    served: ServedQuery
    days: tuple[LookBack, ...]
    at_once: bool
    ticks: "PassTicks"
    read_schema: pa.Schema
    result: Table
    late: Table
    whole_buckets: bool
    first_key_column: str
    halo_us: tuple[int, int]
    limits: ReplayLimits
    workers: int | None = None
    state: StateTarget | None = None

    @property
    def least_start_us(self) -> int:
        """Before which no event starts that is read for having started, not for having arrived."""
        return min(each.least_start_us for each in self.days)


class Pass(NamedTuple):
    """What one call of the kernel made: rows of its days, late rows, how many keys each kernel replayed, what a model's
    farms did, and what is left for the next day."""

    result: pa.Table
    late: pa.Table
    kernels: Counter[str]
    farms: tuple[FarmRun, ...]
    state: pa.Table | None = None


def make(lake: Lake, work: Work, back: LookBack, events: pa.Table, pane: Range) -> Pass:
    """Of a pane: which windows and late events."""
    read, ticks = _read_by(back, events), _ticks_of(work, back)
    options = {**asdict(work.limits), **({WORKERS: work.workers} if work.workers else {})}
    rules = work.served.rules(back.last_tick_us)._replace(rows_from_us=back.from_us, starts_us=pane.bounds)
    replayed = replay_events(_that_make_rows(read, back), work.served, ticks, rules, options=options)
    return _of_days(lake, work, back, replayed, of_pane(late_events(read, work.served, ticks), "start", pane))


def make_on(lake: Lake, work: Work, back: LookBack, events: pa.Table, carried: pa.Table) -> Pass:
    """Of one day, from what an earlier one left."""
    read, ticks = _read_by(back, events), _ticks_of(work, back)
    rules = work.served.rules(back.last_tick_us)._replace(rows_from_us=back.from_us)
    replayed = replay_on(read, carried, work.served, ticks, rules, asdict(work.limits))
    assert replayed.carried is not None and work.state is not None
    made = _of_days(lake, work, back, replayed, late_events(read, work.served, ticks))
    return made._replace(state=state_rows(replayed.carried, work.state, back.last))


def _of_days(lake: Lake, work: Work, back: LookBack, replayed: Replayed, late: pa.Table) -> Pass:
    """The rows of a pass's days, as the audit tables have them."""
    rows = _between(replayed.rows, "emitted_at", "emitted_date", back)
    late_rows = _between(late, "arrival", "arrival_date", back)
    result, late_of_days = lake.schema(work.result), lake.schema(work.late)
    return Pass(
        rows.select(result.names).cast(result),
        late_rows.select(late_of_days.names).cast(late_of_days),
        Counter(replayed.kernels),
        tuple(replayed.farms),
    )


def _read_by(back: LookBack, events: pa.Table) -> pa.Table:
    """Of what the whole run reads, in order of arrival, what a pass does."""
    edges_us = (day_start_us(back.first_day), back.from_us, back.until_us)
    first, begins, end = (int(place) for place in np.searchsorted(stored(events["arrival"]), edges_us))
    earlier = events.slice(first, begins - first)
    began = earlier.filter(pc.greater_equal(earlier["start"], _time(back.least_start_us)))
    return pa.concat_tables([began, events.slice(begins, end - begins)])


def _ticks_of(work: Work, back: LookBack) -> "PassTicks":
    """From the last before what a pass reads on: of an earlier one only its newest start counts."""
    edges_us = (day_start_us(back.first_day), back.until_us)
    first, end = (int(place) for place in np.searchsorted(work.ticks.tick_us, edges_us))
    return type(work.ticks)(*(each[max(0, first - 1) : end] for each in work.ticks))


def of_pane(table: pa.Table, column: str, pane: Range) -> pa.Table:
    """Rows whose time in a column is in the pane."""
    return table if pane.is_everything else table.filter(filter_of(column, TIME, pane))


def _that_make_rows(events: pa.Table, back: LookBack) -> pa.Table:
    # Late events reach further back than rows; the kernel is fed from the same first event whatever they are.
    if back.bound_us is None:
        return events
    return events.filter(pc.greater(events["start"], _time(back.bound_us)))


def _between(table: pa.Table, time_column: str, date_column: str, back: LookBack) -> pa.Table:
    """The rows of a pass's days, with the day of each."""
    us = stored(table[time_column])
    inside = (us >= back.from_us) & (us < back.until_us)
    kept = table if inside.all() else table.filter(pa.array(inside))  # a copy took a quarter of a replay
    return kept.append_column(date_column, kept[time_column].cast(pa.date32(), safe=False))


def _time(us: int) -> pa.Scalar:
    return pa.scalar(us, TIME)
