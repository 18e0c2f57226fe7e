"""What the tasks of a replay will read, from Delta's log and the footers of buckets that are too large for one task."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import NamedTuple
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.lake.arrow_schemas import ARROW_TYPES
from pipelines.lake.engine import Gathering
from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.replay.day_state import StateTarget, with_state
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
    stream = tables.source.stream
    whole_buckets = set(stream.key) <= set(query.key)
    state = None
    if tables.state is not None:
        read_schema = with_state(read_schema)
        state = StateTarget(tables.state, stream.key if whole_buckets else (), stream.buckets)
    halo_us = served.kind.halo_us(query.window)
    return Work(
        served,
        back,
        read_schema,
        tables.audit,
        tables.late_audit,
        whole_buckets,
        stream.key[0],
        halo_us,
        lake.config.limits,
        workers,
        state,
    )


def buckets_of(lake: Lake, tables: QueryTables, back: LookBack) -> Buckets:
    """Those that have files of the look-back, or of the state from which the run goes on."""
    events = _FilesOfDays(tables.source.silver.name, back.silver_version, "arrival_date", back.first_day, back.day)
    asked = [events]
    if tables.state is not None and (earlier := back.earlier) is not None:
        asked.append(_FilesOfDays(tables.state.name, earlier.version, "logical_date", earlier.day, earlier.day))
    files: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for each in asked:
        for path, size, bucket in each.found(lake):
            files[bucket][path] = size
    return {tuple(files[bucket]): sum(files[bucket].values()) for bucket in sorted(files)}


class _FilesOfDays(NamedTuple):
    """Of one version of a table, from one day to another, both included, by its column."""

    table: str
    version: int
    column: str
    first: date
    last: date

    def found(self, lake: Lake) -> Iterator[tuple[str, int, int]]:
        """Path, bytes and bucket of each. O(files of the table)."""
        actions = lake.add_actions(self.table, self.version)
        day = pc.cast(actions[f"partition.{self.column}"], pa.date32())
        between = pc.and_(pc.greater_equal(day, self.first), pc.less_equal(day, self.last))
        found = actions.select(["path", "size_bytes", "partition.bucket"]).filter(between)
        for path, size, bucket in zip(*(column.to_pylist() for column in found.columns), strict=True):
            yield f"{lake.folder(self.table)}/{unquote(path)}", size, int(bucket)
