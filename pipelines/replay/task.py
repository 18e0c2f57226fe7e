"""What one task of a replay does: gather whole keys, replay them in one call, keep the rows of the day, and write them.

A query whose key contains the stream's key columns is replayed by bucket: a task reads the files of some buckets, which
hold their keys whole, so that nothing is shuffled. Rows of other queries come together by key first. What an earlier
day left of a key comes along as a row among its events.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from kernels.replay import CHOSEN
from pipelines.lake.arrays import TIME
from pipelines.lake.engine import RowsOfFiles
from pipelines.lake.lake import Lake
from pipelines.lake.new_files import NewFile, write_rows
from pipelines.lake.ranges import EVERYTHING, Range, filter_of
from pipelines.lake.read_rows import read_rows
from pipelines.ledger.farm_runs import FarmRun
from pipelines.replay.day_state import StateTarget, split_rows, state_digest, state_rows
from pipelines.replay.event_shares import EventShare
from pipelines.replay.late_events import late_events
from pipelines.replay.look_back import LookBack
from pipelines.replay.replay_events import WORKERS, Replayed, replay_events, replay_on
from pipelines.replay.specifications import ServedQuery
from schemas.replay_limits import ReplayLimits
from schemas.tables import Table

ORDER_COLUMNS = ("start", "end", "arrival", "path", "line", "reading")
KEYS_BY = {kernel: f"keys_by_{kernel}" for kernel in CHOSEN}
"""Kernel → name of the count of keys that it replayed."""
COUNTS = pa.schema([(name, pa.int64()) for name in ("events_read", "events_of_day", "rows", "late_rows")])


@dataclass(frozen=True)
class Work:
    """What every task of one run knows.

    result, late: the audit tables; whole_buckets: a key is in one bucket only; first_key_column: by which silver's
    files are sorted; halo_us: how long before and after a pane of windows their events may start; limits: what each
    call of the kernel may cost; workers: threads of a model's farm, None of a plain query; state: where a day leaves
    what the next one goes on from, None where it leaves nothing
    """

    served: ServedQuery
    look_back: LookBack
    read_schema: pa.Schema
    result: Table
    late: Table
    whole_buckets: bool
    first_key_column: str
    halo_us: tuple[int, int]
    limits: ReplayLimits
    workers: int | None = None
    state: StateTarget | None = None


@dataclass(frozen=True)
class Made:
    """Rows of the day, late rows of the day, a row of COUNTS, how many keys each kernel replayed, what a model's farm
    did, what is left for the next day, and the digest of what an earlier one had left."""

    result: pa.Table
    late: pa.Table
    counts: pa.Table
    kernels: Mapping[str, int]
    farms: tuple[FarmRun, ...]
    state: pa.Table | None = None
    earlier_digest: int = 0


class WrittenShare(NamedTuple):
    """What a task made of its share, as files that no commit names yet; the pane of its keys; its counts; how many keys
    each kernel replayed; what a model's farms did; and the digests of the state that it left, and of that which it
    went on from."""

    result: list[NewFile]
    late: list[NewFile]
    pane: Range
    counts: dict[str, int]
    kernels: Counter[str]
    farms: tuple[FarmRun, ...] = ()
    state: list[NewFile] = []
    state_digest: int = 0
    earlier_digest: int = 0


def replay_share(lake: Lake, work: Work, share: EventShare) -> WrittenShare:
    """Replay a share of the events, bucket by bucket."""
    events = (read_rows(rows_of_share(work, files, share)) for files in share.buckets)
    return _written(lake, work, share.pane, [make(lake, work, each, share.pane) for each in events])


def replay_rows(lake: Lake, work: Work, rows: pa.Table, pane: Range) -> WrittenShare:
    """Replay the keys of rows that hold them whole, or of a pane whole."""
    return _written(lake, work, pane, [make(lake, work, rows, pane)])


def _written(lake: Lake, work: Work, pane: Range, parts: Sequence[Made]) -> WrittenShare:
    counts = pa.concat_tables(each.counts for each in parts)
    return WrittenShare(
        _write(lake, work.result, [each.result for each in parts]),
        _write(lake, work.late, [each.late for each in parts]),
        pane,
        {name: sum(counts[name].to_pylist()) for name in counts.column_names},
        sum((Counter(each.kernels) for each in parts), Counter()),
        tuple(farm for each in parts for farm in each.farms),
        *_state_of(lake, work, [each.state for each in parts if each.state is not None]),
        sum(each.earlier_digest for each in parts),
    )


def _state_of(lake: Lake, work: Work, parts: Sequence[pa.Table]) -> tuple[list[NewFile], int]:
    """Its files, and its digest."""
    if work.state is None or not parts:
        return [], 0
    return _write(lake, work.state.table, parts), sum(state_digest(each) for each in parts)


def _write(lake: Lake, table: Table, parts: Sequence[pa.Table]) -> list[NewFile]:
    rows, order = pa.concat_tables(parts), [(name, "ascending") for name in table.sort_by]
    return write_rows(lake, table, rows.sort_by(order) if order else rows)


def rows_of(work: Work, files: Sequence[str]) -> RowsOfFiles:
    """The rows of some files that the run may need."""
    back = work.look_back
    since_us = {"start": back.least_start_us, "arrival": back.from_us} if work.state is None else {}
    return RowsOfFiles(files, work.read_schema, since_us)


def rows_of_share(work: Work, files: Sequence[str], share: EventShare) -> RowsOfFiles:
    """Those of a share's keys; of a pane with its halo."""
    within = {} if share.keys.is_everything else {work.first_key_column: share.keys}
    if not share.pane.is_everything:
        within["start"] = share.pane.widened(*work.halo_us)
    return rows_of(work, files)._replace(within=within)


def make(lake: Lake, work: Work, events: pa.Table, pane: Range = EVERYTHING) -> Made:
    """Replay whole keys; rows of ticks before the day are not made. pane: of which windows and late events."""
    back = work.look_back
    earlier_digest = 0
    if work.state is None:
        replayed = _replayed(work, events, pane)
    else:
        events, carried = split_rows(events, work.served.query.key)
        replayed, earlier_digest = _replayed_on(work, events, carried, work.state), state_digest(carried)
    late = late_events(events, work.served, back.ticks)
    rows = _of_day(replayed.rows, "emitted_at", "emitted_date", work)
    late_rows = _of_day(_of_pane(late, "start", pane), "arrival", "arrival_date", work)
    own = _of_pane(events, "start", pane)
    counts = (
        len(own),
        len(_of_day(own, "arrival", "arrival_date", work)),
        len(rows),
        len(late_rows),
    )
    result, late_of_day = lake.schema(work.result), lake.schema(work.late)
    return Made(
        rows.select(result.names).cast(result),
        late_rows.select(late_of_day.names).cast(late_of_day),
        pa.table([[count] for count in counts], schema=COUNTS),
        replayed.kernels,
        tuple(replayed.farms),
        replayed.carried,
        earlier_digest,
    )


def _replayed(work: Work, events: pa.Table, pane: Range) -> Replayed:
    back, served = work.look_back, work.served
    of_farm = {WORKERS: work.workers} if work.workers else {}
    kept, options = _that_make_rows(events, back), {**asdict(work.limits), **of_farm}
    rules = served.rules(back.last_tick_us)._replace(rows_from_us=back.from_us, starts_us=pane.bounds)
    return replay_events(kept, served, back.ticks, rules, options=options)


def _replayed_on(work: Work, events: pa.Table, carried: pa.Table, state: StateTarget) -> Replayed:
    """From what an earlier day left."""
    back, served = work.look_back, work.served
    rules = served.rules(back.last_tick_us)._replace(rows_from_us=back.from_us)
    replayed = replay_on(events, carried, served, back.ticks, rules, asdict(work.limits))
    assert replayed.carried is not None
    return replayed._replace(carried=state_rows(replayed.carried, state, back.day))


def _of_pane(table: pa.Table, column: str, pane: Range) -> pa.Table:
    return table if pane.is_everything else table.filter(filter_of(column, TIME, pane))


def _that_make_rows(events: pa.Table, back: LookBack) -> pa.Table:
    # Late events reach further back than rows; the kernel is fed from the same first event whatever they are.
    if back.bound_us is None:
        return events
    return events.filter(pc.greater(events["start"], _time(back.bound_us)))


def _of_day(table: pa.Table, time_column: str, date_column: str, work: Work) -> pa.Table:
    back = work.look_back
    times = table[time_column]
    inside = pc.and_(pc.greater_equal(times, _time(back.from_us)), pc.less(times, _time(back.until_us)))
    kept = table.filter(inside)
    return kept.append_column(date_column, pa.repeat(pa.scalar(back.day), len(kept)))


def _time(us: int) -> pa.Scalar:
    return pa.scalar(us, TIME)
