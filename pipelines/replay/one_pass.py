"""One pass of a task: days that follow each other, whose rows are made by one call of the kernel."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from kernels.replay import PassTicks
from pipelines.delta.lake import Lake
from pipelines.engines.ranges import EVERYTHING, Range, filter_of
from pipelines.ledger.farm_runs import FarmRun
from pipelines.replay.late_events import late_events
from pipelines.replay.look_back import LookBack
from pipelines.replay.replay_events import WORKERS, replay_events
from pipelines.replay.work import Work
from pipelines.rows.arrays import TIME, stored
from schemas.tables import Table


class Pass(NamedTuple):
    """What one call of the kernel made: rows of its days, late rows, how many keys each kernel replayed, what a model's
    farms did, and what is carried on to the next day."""

    result: pa.Table
    late: pa.Table
    kernels: Counter[str]
    farms: Sequence[FarmRun]
    carried: pa.Table | None


def make(
    lake: Lake, work: Work, back: LookBack, events: pa.Table, pane: Range = EVERYTHING, carried: pa.Table | None = None
) -> Pass:
    """The rows of a pass's days, as the audit tables have them. events: in order of arrival; pane: which windows and
    late events; carried: what an earlier day left, where days go on from each other."""
    read, ticks = _read_by(back, events), _ticks_of(work, back)
    options = {**asdict(lake.config.limits), **({WORKERS: work.workers} if work.workers else {})}
    rules = work.served.rules(back.last_tick_us)._replace(rows_from_us=back.from_us, starts_us=pane.bounds)
    replayed = replay_events(_that_make_rows(read, back), work.served, ticks, rules, options, carried)
    late = of_pane(late_events(read, work.served, ticks), "start", pane)
    return Pass(
        _of_days(lake, work.tables.audit, replayed.rows, "emitted_at", back),
        _of_days(lake, work.tables.late_audit, late, "arrival", back),
        Counter(replayed.kernels),
        replayed.farms,
        replayed.carried,
    )


def _read_by(back: LookBack, events: pa.Table) -> pa.Table:
    """Of what the whole run reads what a pass does."""
    first, begins, end = back.places(stored(events["arrival"]))
    earlier = events.slice(first, begins - first)
    began = earlier.filter(pc.greater_equal(earlier["start"], _time(back.least_start_us)))
    return pa.concat_tables([began, events.slice(begins, end - begins)])


def _ticks_of(work: Work, back: LookBack) -> PassTicks:
    """From the last before what a pass reads on: of an earlier one only its newest start counts."""
    ticks = work.ticks
    first, _, end = back.places(ticks.tick_us)
    return PassTicks(*(each[max(0, first - 1) : end] for each in ticks))


def of_pane(table: pa.Table, column: str, pane: Range) -> pa.Table:
    """Rows whose time in a column is in the pane."""
    return table if pane.is_everything else table.filter(filter_of(column, TIME, pane))


def _that_make_rows(events: pa.Table, back: LookBack) -> pa.Table:
    # Late events reach further back than rows; the kernel is fed from the same first event whatever they are.
    if back.bound_us is None:
        return events
    return events.filter(pc.greater(events["start"], _time(back.bound_us)))


def _of_days(lake: Lake, table: Table, rows: pa.Table, time_column: str, back: LookBack) -> pa.Table:
    """The rows of a pass's days, with the day of each, in the table's columns."""
    (date_column,), us = table.partition_by, stored(rows[time_column])
    inside = (us >= back.from_us) & (us < back.until_us)
    kept = rows if inside.all() else rows.filter(pa.array(inside))  # a copy took a quarter of a replay
    kept = kept.append_column(date_column, kept[time_column].cast(pa.date32(), safe=False))
    schema = lake.schema(table)
    return kept.select(schema.names).cast(schema)


def _time(us: int) -> pa.Scalar:
    return pa.scalar(us, TIME)
