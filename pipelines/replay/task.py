"""What one task of a replay does: gather whole keys, replay them for all days of the run, keep these days' rows, and
write them.

Days that follow each other are one pass, a call of the kernel, where that makes the same rows as a call for each.
A query whose key contains the stream's key columns is replayed by bucket: a task reads the files of some buckets, which
hold their keys whole, so that nothing is shuffled. Rows of other queries come together by key first. What an earlier
day left of a key comes along as a row among its events.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kernels.replay import CHOSEN
from pipelines.delta.lake import Lake
from pipelines.delta.new_files import NewFile, write_rows
from pipelines.engines.engine import RowsOfFiles
from pipelines.engines.ranges import EVERYTHING, Range, filter_of
from pipelines.engines.read_rows import read_rows
from pipelines.ledger.farm_runs import FarmRun
from pipelines.replay.day_state import StateTarget, split_rows, state_digest, state_rows
from pipelines.replay.event_shares import EventShare
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

ORDER_COLUMNS = ("start", "end", "arrival", "path", "line", "reading")
KEYS_BY = {kernel: f"keys_by_{kernel}" for kernel in CHOSEN}
"""Kernel → name of the count of keys that it replayed."""
READ_COUNTS, WRITTEN_COUNTS = ("events_read", "events_of_day"), ("rows", "late_rows")
COUNTS = (*READ_COUNTS, *WRITTEN_COUNTS)


@dataclass(frozen=True)
class Work:
    """What every task of one run knows.

    days: the look-back of each day; passes: those of days that one call of the kernel replays, each in turn; ticks: the
    watermark's staircase; result, late: the audit tables; whole_buckets: a key is in one bucket only; first_key_column:
    by which silver's files are sorted; halo_us: how long before and after a pane of windows their events may start;
    limits: what each call of the kernel may cost; workers: threads of a model's farm, None of a plain query; state:
    where a day leaves what the next one goes on from, None where it leaves nothing
    """

    served: ServedQuery
    days: tuple[LookBack, ...]
    passes: tuple[LookBack, ...]
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


class Made(NamedTuple):
    """What the passes over some events made; counts: READ_COUNTS by day; earlier_digest: of what an earlier day
    left."""

    passes: list[Pass]
    counts: dict[date, Counter[str]]
    earlier_digest: int = 0


class WrittenShare(NamedTuple):
    """What a task made of its share, as files that no commit names yet; the pane of its keys; counts by day; by pass
    how many keys each kernel replayed, and what a model's farms did; and the digests of the states that it left, by
    pass, and of that which it went on from."""

    result: list[NewFile]
    late: list[NewFile]
    pane: Range
    counts: dict[date, Counter[str]]
    kernels: tuple[Counter[str], ...]
    farms: tuple[tuple[FarmRun, ...], ...] = ()
    state: list[NewFile] = []
    state_digests: tuple[int, ...] = ()
    earlier_digest: int = 0


def replay_share(lake: Lake, work: Work, share: EventShare) -> WrittenShare:
    """Replay a share of the events, bucket by bucket."""
    events = (read_rows(rows_of_share(work, files, share)) for files in share.buckets)
    return _written(lake, work, share.pane, [make(lake, work, each, share.pane) for each in events])


def replay_rows(lake: Lake, work: Work, rows: pa.Table, pane: Range) -> WrittenShare:
    """Replay the keys of rows that hold them whole, or of a pane whole."""
    return _written(lake, work, pane, [make(lake, work, rows, pane)])


def _written(lake: Lake, work: Work, pane: Range, parts: Sequence[Made]) -> WrittenShare:
    by_pass = list(zip(*(each.passes for each in parts), strict=True))
    result, late = (
        _write(lake, table, [getattr(each, name) for of_pass in by_pass for each in of_pass])
        for table, name in ((work.result, "result"), (work.late, "late"))
    )
    states = [[each.state for each in of_pass if each.state is not None] for of_pass in by_pass]
    return WrittenShare(
        result,
        late,
        pane,
        _counts(work, parts, result, late),
        tuple(sum((each.kernels for each in of_pass), Counter()) for of_pass in by_pass),
        tuple(tuple(farm for each in of_pass for farm in each.farms) for of_pass in by_pass),
        _write(lake, work.state.table, [part for of_pass in states for part in of_pass]) if work.state else [],
        tuple(sum(map(state_digest, of_pass)) for of_pass in states),
        sum(each.earlier_digest for each in parts),
    )


def _counts(
    work: Work, parts: Sequence[Made], result: Sequence[NewFile], late: Sequence[NewFile]
) -> dict[date, Counter[str]]:
    counts = {each.last: Counter(dict.fromkeys(COUNTS, 0)) for each in work.days}
    for part in parts:
        for day, of_day in part.counts.items():
            counts[day].update(of_day)
    for name, files in zip(WRITTEN_COUNTS, (result, late), strict=True):
        for file in files:
            (text,) = file.partition.values()
            counts[date.fromisoformat(text)][name] += file.rows
    return counts


def _write(lake: Lake, table: Table, parts: Sequence[pa.Table]) -> list[NewFile]:
    rows, order = pa.concat_tables(parts), [(name, "ascending") for name in table.sort_by]
    return write_rows(lake, table, rows.sort_by(order) if order else rows)


def rows_of(work: Work, files: Sequence[str]) -> RowsOfFiles:
    """The rows of some files that the run may need."""
    since_us = {"start": work.least_start_us, "arrival": work.days[0].from_us} if work.state is None else {}
    return RowsOfFiles(files, work.read_schema, since_us)


def rows_of_share(work: Work, files: Sequence[str], share: EventShare) -> RowsOfFiles:
    """Those of a share's keys; of a pane with its halo."""
    within = {} if share.keys.is_everything else {work.first_key_column: share.keys}
    if not share.pane.is_everything:
        within["start"] = share.pane.widened(*work.halo_us)
    return rows_of(work, files)._replace(within=within)


def make(lake: Lake, work: Work, events: pa.Table, pane: Range = EVERYTHING) -> Made:
    """Replay whole keys, pass by pass; rows of ticks of other days are not made. pane: of which windows and late
    events."""
    if work.state is None:
        counts = counted(_of_pane(events, "start", pane), work.days)
        return Made([_made(lake, work, back, events, pane) for back in work.passes], counts)
    events, carried = split_rows(events, work.served.query.key)
    earlier_digest, passes = state_digest(carried), []
    for back in work.passes:
        passes.append(_made_on(lake, work, back, events, carried))
        assert (left := passes[-1].state) is not None
        carried = left.select(carried.column_names).cast(carried.schema)
    return Made(passes, counted(events, work.days), earlier_digest)


def counted(events: pa.Table, look_backs: Sequence[LookBack]) -> dict[date, Counter[str]]:
    """READ_COUNTS of each day. O(events · log events + what each day reads)."""
    arrival_us, start_us = stored(events["arrival"]), stored(events["start"])
    order = np.argsort(arrival_us)
    arrival_us, start_us = arrival_us[order], start_us[order]
    found = {}
    for back in look_backs:
        edges_us = (day_start_us(back.first_day), back.from_us, back.until_us)
        first, begins, ends = (int(place) for place in np.searchsorted(arrival_us, edges_us))
        earlier = int(np.count_nonzero(start_us[first:begins] >= back.least_start_us))
        found[back.last] = Counter(events_read=earlier + ends - begins, events_of_day=ends - begins)
    return found


def _made(lake: Lake, work: Work, back: LookBack, events: pa.Table, pane: Range) -> Pass:
    read, ticks = _read_by(work, back, events), _ticks_of(work, back)
    options = {**asdict(work.limits), **({WORKERS: work.workers} if work.workers else {})}
    rules = work.served.rules(back.last_tick_us)._replace(rows_from_us=back.from_us, starts_us=pane.bounds)
    replayed = replay_events(_that_make_rows(read, back), work.served, ticks, rules, options=options)
    return _of_days(lake, work, back, replayed, _of_pane(late_events(read, work.served, ticks), "start", pane))


def _made_on(lake: Lake, work: Work, back: LookBack, events: pa.Table, carried: pa.Table) -> Pass:
    """From what an earlier day left."""
    read, ticks = _read_by(work, back, events), _ticks_of(work, back)
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


def _read_by(work: Work, back: LookBack, events: pa.Table) -> pa.Table:
    """Of what the whole run reads, what a pass does."""
    if len(work.passes) == 1:
        return events
    start, arrival = events["start"], events["arrival"]
    began = pc.or_(pc.greater_equal(start, _time(back.least_start_us)), pc.greater_equal(arrival, _time(back.from_us)))
    inside = pc.and_(
        pc.greater_equal(arrival, _time(day_start_us(back.first_day))), pc.less(arrival, _time(back.until_us))
    )
    return events.filter(pc.and_(began, inside))


def _ticks_of(work: Work, back: LookBack) -> "PassTicks":
    """From the last before what a pass reads on: of an earlier one only its newest start counts."""
    if len(work.passes) == 1:
        return work.ticks
    edges_us = (day_start_us(back.first_day), back.until_us)
    first, end = (int(place) for place in np.searchsorted(work.ticks.tick_us, edges_us))
    return type(work.ticks)(*(each[max(0, first - 1) : end] for each in work.ticks))


def _of_pane(table: pa.Table, column: str, pane: Range) -> pa.Table:
    return table if pane.is_everything else table.filter(filter_of(column, TIME, pane))


def _that_make_rows(events: pa.Table, back: LookBack) -> pa.Table:
    # Late events reach further back than rows; the kernel is fed from the same first event whatever they are.
    if back.bound_us is None:
        return events
    return events.filter(pc.greater(events["start"], _time(back.bound_us)))


def _between(table: pa.Table, time_column: str, date_column: str, back: LookBack) -> pa.Table:
    """The rows of a pass's days, with the day of each."""
    times = table[time_column]
    inside = pc.and_(pc.greater_equal(times, _time(back.from_us)), pc.less(times, _time(back.until_us)))
    kept = table.filter(inside)
    return kept.append_column(date_column, kept[time_column].cast(pa.date32(), safe=False))


def _time(us: int) -> pa.Scalar:
    return pa.scalar(us, TIME)
