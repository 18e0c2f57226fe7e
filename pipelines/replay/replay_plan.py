"""What the tasks of a replay will read, from Delta's log and the footers of buckets that are too large for one task."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa

from pipelines.delta.day_files import files_by_day
from pipelines.delta.lake import Lake
from pipelines.engines.engine import Gathering
from pipelines.replay.day_state import StateTarget, with_state
from pipelines.replay.event_shares import Cuts, EventShare, shares_of_buckets, tasks_and_panes
from pipelines.replay.look_back import LookBacks
from pipelines.replay.one_pass import Work
from pipelines.replay.specifications import ServedQuery, can_be_cut, is_exact
from pipelines.replay.task import ORDER_COLUMNS
from pipelines.rows.arrow_schemas import ARROW_TYPES
from pipelines.tables.query_tables import QueryTables
from schemas.model import Model

Buckets = Mapping[tuple[str, ...], int]
"""By the files of a bucket their bytes."""


@dataclass(frozen=True)
class ReplayPlan:
    """How the events of a run are given to tasks: in shares of buckets, or gathered by key."""

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
        key, starts_us = self.work.served.query.key, (self.work.least_start_us, self.work.days[-1].until_us)
        tasks, panes = tasks_and_panes(self.file_bytes, starts_us, self.cuts)
        return Gathering(key, panes, tasks if key else panes.total, self.work.workers)


def plan(lake: Lake, slots: int, tables: QueryTables, work: Work, backs: LookBacks) -> ReplayPlan:
    """For so many tasks at once. O(files of silver)."""
    halo_us = work.halo_us if can_be_cut(work.served, work.read_schema) else None
    cuts = Cuts(slots, work.first_key_column, halo_us, lake.config.task_bytes)
    return ReplayPlan(work, buckets_of(lake, tables, backs), cuts)


def work_of(lake: Lake, tables: QueryTables, served: ServedQuery, backs: LookBacks, workers: int | None = None) -> Work:
    """What the tasks of a run need to know. workers: threads of a model's farm; None of a plain query."""
    query = tables.query
    silver = {column.name: column for column in tables.source.silver.columns}
    read = [silver[name] for name in dict.fromkeys((*query.read_columns, *ORDER_COLUMNS))]
    read_schema = pa.schema([pa.field(each.name, ARROW_TYPES[each.type], each.nullable) for each in read])
    stream = tables.source.stream
    whole_buckets = set(stream.key) <= set(query.key)
    # Farms are counted by day; what a day leaves is its own; and a rounded state depends on where its events begin.
    at_once = query.window.context_free and not isinstance(query, Model) and is_exact(query, read_schema)
    state = None
    if tables.state is not None:
        read_schema = with_state(read_schema)
        state = StateTarget(tables.state, stream.key if whole_buckets else (), stream.buckets)
    return Work(
        served,
        backs.of_days,
        at_once,
        backs.ticks,
        read_schema,
        tables.audit,
        tables.late_audit,
        whole_buckets,
        stream.key[0],
        served.kind.halo_us(query.window),
        lake.config.limits,
        workers,
        state,
    )


def buckets_of(lake: Lake, tables: QueryTables, backs: LookBacks) -> Buckets:
    """Those that have files of the look-backs, or of the state from which the run goes on. O(files of the tables)."""
    found = [files_by_day(lake, tables.source.silver.name, backs.silver_version, backs.reads)]
    if tables.state is not None and (earlier := backs.earlier) is not None:
        found.append(files_by_day(lake, tables.state.name, earlier.version, earlier.day.__eq__))
    files: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for path, size, bucket in (file for by_day in found for of_day in by_day.values() for file in of_day):
        assert bucket is not None, "silver and the states are kept in buckets"
        files[bucket][path] = size
    return {tuple(files[bucket]): sum(files[bucket].values()) for bucket in sorted(files)}
