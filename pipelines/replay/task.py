"""What one task of a replay does: gather whole keys, replay them for all days of the run, keep these days' rows, and
write them.

Days that follow each other are one pass, one call of the kernel, where that makes the same rows as one by one; what a
pass made is written before the next begins, so that memory holds the rows of one.
A query whose key contains the stream's key columns is replayed by bucket: a task reads the files of some buckets, which
hold their keys whole, so that nothing is shuffled. Rows of other queries come together by key first. What an earlier
day left of a key comes along as a row among its events.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.kernels.api import CHOSEN, PassTicks
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import NewFile, write_rows
from windrow.pipelines.engines.file_rows import ALL_TIME, Range, RowsOfFiles, read_rows
from windrow.pipelines.ledger.farm_runs import FarmRun
from windrow.pipelines.replay.day_state import split_rows, state_digest, state_rows
from windrow.pipelines.replay.events_by_key import QueryEvents
from windrow.pipelines.replay.kept_panes import PaneRows, split_panes
from windrow.pipelines.replay.replay_events import WORKERS, Replayed, late_events, replay_events
from windrow.pipelines.replay.replay_plan import EventShare
from windrow.pipelines.replay.work import LookBack, Work
from windrow.pipelines.rows.arrays import TIME, stored
from windrow.schemas.tables import Table
from windrow.schemas.windows import DAY

KEYS_BY = {kernel: f"keys_by_{kernel}" for kernel in CHOSEN}
"""Kernel → name of the count of keys that it replayed."""
COUNTS = ("events_read", "events_of_day", "rows", "late_rows")
# Of a pass; a day is never cut. A month of 5.5 million rows at once took 4.6 processor s, in passes 2.4.
ROWS_AT_ONCE = 1 << 19
# Of an event and a window, as long as no pass has told: a guess, high enough for the first pass to be small.
ROWS_OF_AN_EVENT = 64


@dataclass
class WrittenShare:
    """What a task made of its share, as files that no commit names yet; which keys it was given, and the pane of these;
    counts of each day; how many keys each kernel replayed in the pass that made a day, and what a model's farms did;
    and digests: of the states that each day left, and of that which the first went on from."""

    keys: Hashable
    pane: Range
    counts: dict[date, Counter[str]]
    earlier_digest: int
    result: list[NewFile] = field(default_factory=list)
    late: list[NewFile] = field(default_factory=list)
    state: list[NewFile] = field(default_factory=list)
    kernels: dict[date, Counter[str]] = field(default_factory=dict)
    farms: dict[date, list[FarmRun]] = field(default_factory=dict)
    state_digests: dict[date, int] = field(default_factory=dict)

    def write(self, lake: Lake, work: Work, days: Sequence[date], made: Sequence[Replayed]) -> None:
        """Keep what a pass over the parts made of some days."""
        tables = work.tables
        result = write_rows(lake, tables.audit, *(each.rows for each in made))
        late = write_rows(lake, tables.late_audit, *(each.late for each in made))
        for files, count in ((result, "rows"), (late, "late_rows")):
            for file in files:
                (text,) = file.partition.values()
                self.counts[date.fromisoformat(text)][count] += file.rows
        self.result, self.late = self.result + result, self.late + late
        if tables.state is not None:
            carried = (each.carried for each in made if each.carried is not None)
            of_stream = tables.source.stream, work.whole_buckets
            states = [state_rows(each, *of_stream, tables.state, days[-1]) for each in carried]
            self.state += write_rows(lake, tables.state, *states)
            self.state_digests[days[-1]] = sum(map(state_digest, states))
        self.kernels |= dict.fromkeys(days, sum((Counter(each.kernels) for each in made), Counter()))
        self.farms |= {day: [farm for each in made for farm in each.farms] for day in days}


def replay_share(lake: Lake, work: Work, share: EventShare) -> WrittenShare:
    """Replay a share of the events, which some buckets have."""
    events = (read_rows(rows_of_share(work, files, share)) for files in share.buckets)
    keys = (share.buckets, str(share.keys))
    return _replayed(lake, work, [each.sort_by("arrival") for each in events], share.pane, keys)


def replay_rows(lake: Lake, work: Work, rows: pa.Table, pane: Range) -> WrittenShare:
    """Replay the keys of rows that hold them whole, or of a pane whole."""
    return _replayed(lake, work, [rows.sort_by("arrival")], pane)


def rows_of(work: Work, files: Sequence[str]) -> RowsOfFiles:
    """The rows of some files that the run may need."""
    since_us = {} if work.goes_on else {"start": work.least_start_us, "arrival": work.backs[0].from_us}
    return RowsOfFiles(files, work.read_schema, since_us)


def rows_of_share(work: Work, files: Sequence[str], share: EventShare) -> RowsOfFiles:
    """Those of a share's keys; of a pane with its halo."""
    pane = share.pane.widened(*work.halo_us) if work.halo_us else ALL_TIME
    return rows_of(work, files)._replace(within=share.keys & pane.starts)


def _replayed(lake: Lake, work: Work, parts: Sequence[pa.Table], pane: Range, of_keys: Hashable = None) -> WrittenShare:
    """Replay parts of whole keys, pass by pass; rows of ticks of other days are not made. parts: in order of arrival,
    so that what a pass reads is one stretch of them."""
    before: Sequence[pa.Table | PaneRows | None] = [None] * len(parts)
    if work.goes_on:
        parts, before = zip(*(split_rows(part, work.tables.query.key) for part in parts), strict=True)
    elif work.panes is not None:
        parts, before = zip(*(split_panes(part, work.tables.query.key, work.panes) for part in parts), strict=True)
    counts = _counted(work, [_of_pane(part, pane) for part in parts])
    carried = [state_digest(each) for each in before if isinstance(each, pa.Table)]
    written = WrittenShare(of_keys, pane, counts, sum(carried))
    left, rows_of_event = list(work.backs), float(ROWS_OF_AN_EVENT * len(work.served))
    while left:
        days = _together(left, written.counts, rows_of_event) if work.at_once else left[:1]
        back = reduce(LookBack.joined, days)
        made = [make_pass(lake, work, back, part, pane, each) for part, each in zip(parts, before, strict=True)]
        written.write(lake, work, [each.last for each in days], made)
        left, before = left[len(days) :], [each.carried for each in made] if work.goes_on else before
        if events := sum(written.counts[each.last]["events_of_day"] for each in days):
            # A pass may make few rows by chance, or none because windows wait: the next one is twice as large at most.
            rows_of_event = max(1.0, rows_of_event / 2, sum(len(each.rows) for each in made) / events)
    return written


def _together(left: Sequence[LookBack], counts: dict[date, Counter[str]], rows_of_event: float) -> Sequence[LookBack]:
    """The first of these days, and those that follow it without a gap, as far as their rows are few enough."""
    rows = 0.0
    for place, each in enumerate(left):
        rows += rows_of_event * counts[each.last]["events_of_day"]
        if place and (rows > ROWS_AT_ONCE or each.first != left[place - 1].last + DAY):
            return left[:place]
    return left


def _counted(work: Work, parts: Sequence[pa.Table]) -> dict[date, Counter[str]]:
    """COUNTS of each day, nothing being written yet; parts: in order of arrival. O(what each day reads)."""
    counts = {each.last: Counter(dict.fromkeys(COUNTS, 0)) for each in work.backs}
    for part in parts:
        arrival_us, start_us = stored(part["arrival"]), stored(part["start"])
        for back in work.backs:
            first, begins, ends = back.places(arrival_us)
            earlier = int(np.count_nonzero(start_us[first:begins] >= back.least_start_us))
            counts[back.last].update(events_read=earlier + ends - begins, events_of_day=ends - begins)
    return counts


def make_pass(
    lake: Lake,
    work: Work,
    back: LookBack,
    events: pa.Table,
    pane: Range = ALL_TIME,
    before: pa.Table | PaneRows | None = None,
) -> Replayed:
    """The rows of a pass's days, as the audit tables have them. events: in order of arrival; pane: which windows and
    late events; before: what an earlier day left, where days go on from each other, or panes of earlier days."""
    first, begins, end = back.places(stored(events["arrival"]))
    earlier = events.slice(first, begins - first)
    began = earlier.filter(pc.greater_equal(earlier["start"], pa.scalar(back.least_start_us, TIME)))
    read = pa.concat_tables([began, events.slice(begins, end - begins)])  # by the pass, of what the whole run reads
    first, _, end = back.places(work.ticks.tick_us)
    # From the last before what a pass reads on: of an earlier one only its newest start counts.
    ticks = PassTicks(*(each[max(0, first - 1) : end] for each in work.ticks))
    options = {**asdict(lake.config.limits), **({WORKERS: work.workers} if work.workers else {})}
    parts = work.served
    rules = parts[0].rules(back.last_tick_us)._replace(rows_from_us=back.from_us, starts_us=(pane.low, pane.high))
    # Late events reach further back than rows; the kernel is fed from the same first event whatever they are.
    of = QueryEvents.of(read, work.tables.query, before)
    replayed = replay_events(of, parts, ticks, rules, options, back.bounds_us)
    late = _of_pane(late_events(of.keyed, parts, ticks), pane)
    return replayed._replace(
        rows=_of_days(lake, work.tables.audit, replayed.rows, "emitted_at", back),
        late=_of_days(lake, work.tables.late_audit, late, "arrival", back),
    )


def _of_pane(table: pa.Table, pane: Range) -> pa.Table:
    return table if pane == ALL_TIME else table.filter(pane.starts)


def _of_days(lake: Lake, table: Table, rows: pa.Table, time_column: str, back: LookBack) -> pa.Table:
    """The rows of a pass's days, with the day of each, in the table's columns."""
    (date_column,), us = table.partition_by, stored(rows[time_column])
    inside = (us >= back.from_us) & (us < back.until_us)
    kept = rows if inside.all() else rows.filter(pa.array(inside))  # a copy took a quarter of a replay
    kept = kept.append_column(date_column, kept[time_column].cast(pa.date32(), safe=False))
    schema = lake.schema(table)
    return kept.select(schema.names).cast(schema)
