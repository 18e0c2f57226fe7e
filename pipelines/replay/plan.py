"""What the tasks of a replay will read, from Delta's log and the footers of buckets that are too large for one task."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.lake.arrow_schemas import ARROW_TYPES
from pipelines.lake.engine import Gathering
from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.replay.event_shares import Cuts, EventShare, shares_of_buckets, tasks_and_panes
from pipelines.replay.look_back import LookBack
from pipelines.replay.specifications import ServedQuery, can_be_cut
from pipelines.replay.task import ORDER_COLUMNS, Work

Buckets = Mapping[tuple[str, ...], int]
"""By the files of a bucket their bytes."""


@dataclass(frozen=True)
class ReplayPlan:
    """How the events of a day are given to tasks: in shares of buckets, or gathered by key."""

    work: Work
    buckets: Buckets
    cuts: Cuts

    @property
    def files(self) -> list[str]:
        """All that are read."""
        return [file for files in self.buckets for file in files]

    @property
    def file_bytes(self) -> int:
        """Of all files."""
        return sum(self.buckets.values())

    @cached_property
    def shares(self) -> list[EventShare]:
        """Of whole buckets, and of parts of those that are too large. O(row groups of these)."""
        return shares_of_buckets(self.buckets, self.cuts)

    @cached_property
    def gathering(self) -> Gathering:
        """Of rows of which a key is in several buckets, or which have no key."""
        back, key = self.work.look_back, self.work.served.query.key
        tasks, panes = tasks_and_panes(self.file_bytes, (back.least_start_us, back.until_us), self.cuts)
        return Gathering(key, panes, tasks if key else panes.total)


def plan(lake: Lake, slots: int, tables: QueryTables, work: Work) -> ReplayPlan:
    """For so many tasks at once. O(files of silver)."""
    halo_us = work.halo_us if can_be_cut(work.served, work.read_schema) else None
    cuts = Cuts(slots, work.first_key_column, halo_us, lake.config.task_bytes)
    return ReplayPlan(work, buckets_of(lake, tables, work.look_back), cuts)


def work_of(lake: Lake, tables: QueryTables, served: ServedQuery, back: LookBack, workers: int | None = None) -> Work:
    """What the tasks of a run need to know. workers: threads of a model's farm; None of a plain query."""
    query = tables.query
    silver = {column.name: column for column in tables.source.silver.columns}
    read = [silver[name] for name in dict.fromkeys((*query.read_columns, *ORDER_COLUMNS))]
    read_schema = pa.schema([pa.field(each.name, ARROW_TYPES[each.type], each.nullable) for each in read])
    whole_buckets = set(tables.source.stream.key) <= set(query.key)
    halo_us = served.kind.halo_us(query.window)
    first = tables.source.stream.key[0]
    return Work(
        served,
        back,
        read_schema,
        tables.audit,
        tables.late_audit,
        whole_buckets,
        first,
        halo_us,
        lake.config.limits,
        workers,
    )


def buckets_of(lake: Lake, tables: QueryTables, back: LookBack) -> Buckets:
    """Those that have files of the look-back."""
    silver = tables.source.silver.name
    actions = lake.add_actions(silver, back.silver_version)
    day = pc.cast(actions["partition.arrival_date"], pa.date32())
    between = pc.and_(pc.greater_equal(day, back.first_day), pc.less_equal(day, back.day))
    found = actions.select(["path", "size_bytes", "partition.bucket"]).filter(between)
    files: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for path, size, bucket in zip(*(column.to_pylist() for column in found.columns), strict=True):
        files[int(bucket)][f"{lake.folder(silver)}/{unquote(path)}"] = size
    return {tuple(files[bucket]): sum(files[bucket].values()) for bucket in sorted(files)}
