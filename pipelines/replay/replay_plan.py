"""What the tasks of a replay will read, from Delta's log and the footers of buckets that are too large for one task."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from pipelines.delta.day_files import files_by_day
from pipelines.delta.lake import Lake
from pipelines.engines.engine import Gathering
from pipelines.engines.ranges import EVERYTHING, Panes
from pipelines.engines.shares import limit_bytes, packed_within
from pipelines.replay import event_shares
from pipelines.replay.event_shares import EventShare
from pipelines.replay.specifications import can_be_cut
from pipelines.replay.work import Work

Buckets = Mapping[tuple[str, ...], int]
"""By the files of a bucket their bytes."""


@dataclass(frozen=True)
class ReplayPlan:
    """How the events of a run are given to tasks: in shares of buckets, or gathered by key. slots: how many tasks there
    are at once; task_bytes: of files, of one task at most."""

    work: Work
    buckets: Buckets
    slots: int
    task_bytes: int

    @property
    def files(self) -> list[str]:
        """All that are read."""
        return [file for files in self.buckets for file in files]

    @property
    def file_bytes(self) -> int:
        """Of all files."""
        return sum(self.buckets.values())

    @cached_property
    def limit(self) -> int:
        """How many bytes a task takes."""
        return limit_bytes([self.file_bytes], self.slots, self.task_bytes)

    @property
    def small(self) -> Buckets:
        """Buckets that a task can take whole."""
        return {files: size for files, size in self.buckets.items() if size <= self.limit}

    @property
    def large(self) -> Buckets:
        """Those that it can't."""
        return {files: size for files, size in self.buckets.items() if size > self.limit}

    @cached_property
    def halo_us(self) -> tuple[int, int] | None:
        """Of a pane; None where time can't be cut."""
        return self.work.halo_us if can_be_cut(self.work.served, self.work.read_schema) else None

    @cached_property
    def shares(self) -> list[EventShare]:
        """Of whole buckets, and of parts of those that are too large; the largest first, as slots wait for the last.
        O(row groups of these)."""
        small, column = self.small, self.work.tables.source.stream.key[0]
        together = [
            EventShare(share, EVERYTHING, EVERYTHING, sum(small[files] for files in share))
            for share in packed_within(small, self.limit)
        ]
        of_parts = (event_shares.shares_of_keys(files, column, self.halo_us, self.limit) for files in self.large)
        return sorted(chain(together, *of_parts), key=lambda share: share.file_bytes, reverse=True)

    @cached_property
    def gathering(self) -> Gathering:
        """Of rows of which a key is in several buckets, or which have no key: in so many tasks, by panes between the
        least start and the end of the days."""
        key, tasks, panes = self.work.tables.query.key, max(1, -(-self.file_bytes // self.limit)), Panes()
        if self.halo_us is not None:
            from_us, until_us = self.work.least_start_us, self.work.backs[-1].until_us
            least_us = event_shares.LEAST_PANE * max(1, sum(self.halo_us))
            count = max(1, min(tasks, (until_us - from_us) // least_us))
            panes = Panes(from_us, max(1, -(-(until_us - from_us) // count)), count, self.halo_us)
        return Gathering(key, panes, tasks if key else panes.total)


def plan(lake: Lake, slots: int, work: Work) -> ReplayPlan:
    """For so many tasks at once. O(files of silver)."""
    return ReplayPlan(work, buckets_of(lake, work), slots, lake.config.task_bytes)


def buckets_of(lake: Lake, work: Work) -> Buckets:
    """Those that have files of the look-backs, or of the state from which the run goes on. O(files of the tables)."""
    tables, earlier = work.tables, work.earlier
    found = [files_by_day(lake, tables.source.silver.name, work.silver_version, work.reads)]
    if tables.state is not None and earlier is not None:
        found.append(files_by_day(lake, tables.state.name, earlier.version, earlier.day.__eq__))
    files: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for path, size, bucket in (file for by_day in found for of_day in by_day.values() for file in of_day):
        assert bucket is not None, "silver and the states are kept in buckets"
        files[bucket][path] = size
    return {tuple(files[bucket]): sum(files[bucket].values()) for bucket in sorted(files)}
