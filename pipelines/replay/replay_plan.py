"""Which events each task of a replay takes: whole buckets, or where one of them is too large for a task some of its
keys, or where a key is too large some of its time. Delta's log says it, and the footers of buckets that are too large.

    bucket 3     a a b c c c c c c c c c c d e          row groups, sorted by key
    tasks        ── a b ──│─ c ─│─ c ─│─ c ─│─ d e ──   c is cut along time

A cut along time gives a task the windows that start within its pane, and with the pane the events of these windows: its
halo. That is exact where a window's rows follow from its own events alone, and only for aggregates whose states are
exact: a standard deviation would depend on where it is cut.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from windrow.pipelines.delta.day_files import RowGroup, files_by_day, row_groups
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines.engine import Gathering, limit_bytes, packed_within
from windrow.pipelines.engines.file_rows import ALL_TIME, EVERY_ROW, Panes, Range
from windrow.pipelines.replay.work import Work

OF_PANES = -1
"""Instead of a bucket: of panes, which are in none."""
Buckets = Mapping[tuple[str, ...], int]
"""By the files of a bucket their bytes."""

KeyRange = tuple[pc.Expression, int, tuple[object, ...]]
"""Which rows, their bytes, and the only value if it is of one."""

# A pane is at least so many times as long as its halo: else its tasks would mostly read what others read too.
LEAST_PANE = 4


class EventShare(NamedTuple):
    """Files by bucket; keys: a condition on the stream's first key column; pane: where the windows start; about so many
    bytes of the files."""

    buckets: tuple[tuple[str, ...], ...]
    keys: pc.Expression
    pane: Range
    file_bytes: int


class KeyedWork(Protocol):
    """What is done with events of whole keys: a replay, or features of labels.

    read_schema: of what is read of an event; bucket_key: the columns by which keys are in buckets; halo_us: how long
    before and after a pane its events may start, None where a key can't be cut; span_us: of the events that are read
    """

    @property
    def read_schema(self) -> pa.Schema: ...
    @property
    def key(self) -> tuple[str, ...]: ...
    @property
    def bucket_key(self) -> tuple[str, ...]: ...
    @property
    def halo_us(self) -> tuple[int, int] | None: ...
    @property
    def span_us(self) -> tuple[int, int]: ...
    @property
    def whole_buckets(self) -> bool: ...
    @property
    def workers(self) -> int | None: ...


@dataclass(frozen=True)
class ReplayPlan:
    """How the events of a run are given to tasks: in shares of buckets, or gathered by key. limit: how many bytes of
    files a task takes."""

    work: KeyedWork
    buckets: Buckets
    limit: int

    @property
    def files(self) -> list[str]:
        return [file for files in self.buckets for file in files]

    @property
    def file_bytes(self) -> int:
        return sum(self.buckets.values())

    @property
    def large(self) -> Buckets:
        """Those that a task can't take whole."""
        return {files: size for files, size in self.buckets.items() if size > self.limit}

    @property
    def whole(self) -> list[EventShare]:
        """Shares of whole buckets."""
        small = {files: size for files, size in self.buckets.items() if size <= self.limit}
        packed = packed_within(small, self.limit)
        return [EventShare(share, EVERY_ROW, ALL_TIME, sum(small[files] for files in share)) for share in packed]

    @cached_property
    def shares(self) -> list[EventShare]:
        """Of whole buckets, and of parts of those that are too large; the largest first, as slots wait for the last.
        O(row groups of these)."""
        key = self.work.read_schema.field(self.work.bucket_key[0])
        of_parts = (_shares_of_keys(files, key, self.work.halo_us, self.limit) for files in self.large)
        return sorted(chain(self.whole, *of_parts), key=lambda share: share.file_bytes, reverse=True)

    @cached_property
    def gathering(self) -> Gathering:
        """Of rows of which a key is in several buckets, or which have no key: in so many tasks, by panes between the
        least start and the end of the days."""
        key, tasks, panes = self.work.key, max(1, -(-self.file_bytes // self.limit)), Panes()
        if (halo_us := self.work.halo_us) is not None:
            from_us, until_us = self.work.span_us
            least_us = LEAST_PANE * max(1, sum(halo_us))
            count = max(1, min(tasks, (until_us - from_us) // least_us))
            panes = Panes(from_us, max(1, -(-(until_us - from_us) // count)), count, halo_us)
        return Gathering(key, panes, tasks if key else panes.total, self.work.workers)


def plan(lake: Lake, slots: int, work: Work) -> ReplayPlan:
    """For so many tasks at once, of files of the look-backs, and of the state that the run goes on from. O(files)."""
    tables, earlier = work.tables, work.earlier
    found = [files_by_day(lake, tables.source.silver.name, work.silver_version, work.reads_events)]
    if tables.state is not None and earlier is not None:
        found.append(files_by_day(lake, tables.state.name, earlier.version, earlier.day.__eq__))
    files: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for path, size, bucket in (file for by_day in found for of_day in by_day.values() for file in of_day):
        assert bucket is not None, "silver and the states are kept in buckets"
        files[bucket][path] = size
    if work.panes is not None:
        files[OF_PANES] = dict(work.panes.files)
    buckets = {tuple(files[bucket]): sum(files[bucket].values()) for bucket in sorted(files)}
    return ReplayPlan(work, buckets, limit_bytes(buckets.values(), slots, lake.config.task_bytes))


def _shares_of_keys(
    files: tuple[str, ...], key: pa.Field, halo_us: tuple[int, int] | None, limit: int
) -> list[EventShare]:
    """Shares of about so many bytes of a bucket: of whole keys, and of panes of keys that are too large. key: the
    stream's first key column; halo_us: of a pane, None where time can't be cut. O(row groups · log row groups)."""
    by_key: defaultdict[object, list[RowGroup]] = defaultdict(list)
    for group in row_groups(key.name, files):
        by_key[group.least].append(group)
    found = []
    sizes = {least: sum(group.file_bytes for group in of_key) for least, of_key in by_key.items()}
    for keys, size, alone in _ranges(sizes, limit, key):
        panes = _panes(by_key[alone[0]], halo_us, limit) if alone else [(ALL_TIME, size)]
        found += [EventShare((files,), keys, pane, of_pane) for pane, of_pane in panes]
    return found


def _ranges(bytes_from: Mapping[object, int], limit: int, key: pa.Field) -> list[KeyRange]:
    """Conditions on a key column, each of about so many bytes; of each row one holds. A value that has more is alone,
    the null one too. bytes_from: of the row groups that begin with a value."""
    column, ranges = pc.field(key.name), list[KeyRange]()
    left, filled = EVERY_ROW, bytes_from.get(None, 0)
    if filled > limit:
        ranges, left, filled = [(column.is_null(), filled, (None,))], column.is_valid(), 0
    for value in sorted(each for each in bytes_from if each is not None):  # type: ignore[type-var]
        size, scalar = bytes_from[value], pa.scalar(value, key.type)
        if filled + size > limit:
            ranges.append((left & ((column < scalar) | column.is_null()), filled, ()))
            left, filled = column >= scalar, 0
        if size > limit:
            ranges.append((column == scalar, size, (value,)))
            left = column > scalar
        else:
            filled += size
    return [*ranges, (left, filled, ())]


def _panes(groups: Sequence[RowGroup], halo_us: tuple[int, int] | None, limit: int) -> list[tuple[Range, int]]:
    """Panes of as many bytes each as the others, at most about the limit, and these; together all time."""
    total = sum(group.file_bytes for group in groups)
    pane_bytes = total / max(1, -(-total // limit))
    cuts_us: list[int] = []
    before = 0
    for group in sorted(groups, key=lambda group: group.earliest_us):
        is_full = before >= pane_bytes * (len(cuts_us) + 1)
        if halo_us is not None and is_full:
            before_us = cuts_us[-1] if cuts_us else min(each.earliest_us for each in groups)
            if group.earliest_us - before_us >= LEAST_PANE * sum(halo_us):
                cuts_us.append(group.earliest_us)
        before += group.file_bytes
    return [(Range(low, high), total // (len(cuts_us) + 1)) for low, high in pairwise([None, *cuts_us, None])]
