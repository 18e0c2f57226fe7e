"""Which events the labels of a run can ask of, and how both come to tasks: labels lie beside silver for as long as the
run lasts, as rows of the same files to whatever gives keys to tasks (replay_plan.py).

    silver   bucket 3   key · values · start · arrival · path …
    labels   bucket 3   key · null   · T     · T       · null … · row of label · label:<column> …

A key with too many events is cut along time: a label needs the events of its longest window, which lie before it.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property, partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from windrow.pipelines import storage
from windrow.pipelines.delta.day_files import files_by_day
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import ROWS_PER_GROUP, NewFile, write_rows
from windrow.pipelines.engines.engine import Engine, limit_bytes
from windrow.pipelines.engines.file_rows import ALL_TIME, Range, RowsOfFiles, read_rows
from windrow.pipelines.features.newest_rows import read_columns
from windrow.pipelines.features.probing import AskedFeatures, feature_parts, features_of
from windrow.pipelines.location import Location
from windrow.pipelines.replay.event_arrays import key_codes
from windrow.pipelines.replay.replay_plan import EventShare, ReplayPlan
from windrow.pipelines.replay.work import ORDER_COLUMNS, is_exact
from windrow.pipelines.rows.arrays import ARROW_TYPES, stored
from windrow.pipelines.tables.arrival_days import DAY_US, EPOCH_DATE
from windrow.pipelines.tables.query_tables import QueryTables, plan_aggregates
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas import registry
from windrow.schemas.feature_set import KNOWN, FeatureSet
from windrow.schemas.tables import Table, bucket_of
from windrow.schemas.windows import DAY, MICROSECOND

OF_LABEL = "label:"
"""Before the names of labels' columns, which may be those of silver, in which no colon is."""
ROW = "row of label"  # no name of a label's column has a blank


@dataclass(frozen=True)
class ProbeWork:
    """labels: the schema of the labels, which have at least one row; time: their time column; first_us, last_us: of
    their times; versions: of silver, and of the tables of queries that are asked; table: what features are written to,
    None where they are wanted in memory."""

    features: FeatureSet
    source: StreamTables
    knowledge: str
    labels: pa.Schema
    time: str
    first_us: int
    last_us: int
    versions: Mapping[str, int]
    table: Table | None = None
    workers: None = field(default=None, init=False)

    @property
    def key(self) -> tuple[str, ...]:
        return self.features.key

    @property
    def bucket_key(self) -> tuple[str, ...]:
        return self.source.stream.key

    @property
    def whole_buckets(self) -> bool:
        """Whether a key is in one bucket only."""
        return {*self.bucket_key} <= {*self.key}

    @property
    def longest_us(self) -> int:
        return max((size // MICROSECOND for size in self.features.windows.values()), default=0)

    @cached_property
    def halo_us(self) -> tuple[int, int] | None:
        """What a label asks of events starts in its longest window, and never behind it."""
        plan = plan_aggregates(self.features.query, {field.name: field.type for field in self.read_schema}).plan
        return (self.longest_us, 0) if is_exact(plan) else None

    @property
    def span_us(self) -> tuple[int, int]:
        return self.first_us - self.longest_us, self.last_us + 1

    @cached_property
    def read_schema(self) -> pa.Schema:
        """Of events and labels."""
        silver = {column.name: column.type for column in self.source.silver.columns}
        names = dict.fromkeys((*self.features.query.read_columns, *ORDER_COLUMNS))
        events = [pa.field(name, ARROW_TYPES[silver[name]]) for name in names]
        of_labels = [pa.field(OF_LABEL + each.name, each.type) for each in self.labels if each.name not in self.key]
        return pa.schema([*events, pa.field(ROW, pa.int64()), *of_labels])

    @property
    def arrival_days(self) -> tuple[date, date]:
        """The first and the last day on which an event that counts can have arrived."""
        from_us = self.span_us[0] - self.source.stream.ahead_at_most_us
        last = _day(self.last_us) if self.knowledge == KNOWN else date.max
        return _day(from_us), last


class FeatureShare(NamedTuple):
    """What a task made: files that no commit names yet, or rows; and how many labels and events it had."""

    files: list[NewFile]
    rows: list[pa.Table]
    labels: int
    events: int


def feature_shares(lake: Lake, engine: Engine, work: ProbeWork, labels: pa.Table) -> list[FeatureShare]:
    """The features of the labels, in files: of all shares together a row a label."""
    with _labels_beside(lake, work, labels) as staged:
        buckets = _files(lake, work, staged)
        plan = ReplayPlan(work, buckets, limit_bytes(buckets.values(), engine.slots, lake.config.task_bytes))
        if work.whole_buckets:
            return engine.each(partial(probe_share, lake, work), plan.shares)
        rows = RowsOfFiles(plan.files, work.read_schema, {"start": work.span_us[0]})
        return engine.each_group(partial(probe_rows, lake, work), rows, plan.gathering)


def features_in_memory(lake: Lake, work: ProbeWork, labels: pa.Table) -> pa.Table:
    """The same in the order of the labels; nothing is written."""
    found = []
    of_buckets = _with_silvers_columns(labels, work)
    for bucket, rows in of_buckets.items():
        (files,) = _files(lake, work, {bucket: []}) or [()]
        read = RowsOfFiles(files, work.read_schema, {"start": work.span_us[0]})
        events = read_rows(read) if files else work.read_schema.empty_table()
        both = pa.concat_tables([events, rows], promote_options="default").select(work.read_schema.names)
        found += probe_rows(lake, work, both, ALL_TIME).rows
    return _in_their_order(pa.concat_tables(found))


def probe_share(lake: Lake, work: ProbeWork, share: EventShare) -> FeatureShare:
    """Those of the labels of a share of keys, or of a pane of one."""
    files = [file for bucket in share.buckets for file in bucket]
    pane = share.pane.widened(*work.halo_us) if work.halo_us else ALL_TIME
    within = share.keys & pane.starts
    rows = read_rows(RowsOfFiles(files, work.read_schema, {"start": work.span_us[0]}, within))
    return probe_rows(lake, work, rows, share.pane)


def probe_rows(lake: Lake, work: ProbeWork, rows: pa.Table, pane: Range) -> FeatureShare:
    """Those of the labels in a pane, of rows that hold all of their events."""
    is_label = pc.is_valid(rows[ROW])
    events, staged = rows.filter(pc.invert(is_label)), rows.filter(is_label)
    staged = staged if pane == ALL_TIME else staged.filter(pane.starts)
    names = [name if name in work.key else OF_LABEL + name for name in work.labels.names]
    labels = staged.select(names).rename_columns(work.labels.names).append_column(ROW, staged[ROW])
    if not len(labels):
        return FeatureShare([], [], 0, len(events))
    asked = {each: _rows_of_query(lake, work, each, labels) for each in work.features.asked_queries}
    of_labels = AskedFeatures.of(events, labels, work.time, work.features, work.knowledge, asked)
    if work.table is None:
        return FeatureShare([], [features_of(labels, of_labels)], len(labels), len(events))
    parts = feature_parts(labels, of_labels)
    files = [file for part in parts for file in write_rows(lake, work.table, part.drop_columns([ROW]))]
    return FeatureShare(files, [], len(labels), len(events))


def _in_their_order(found: pa.Table) -> pa.Table:
    """The rows by the number of each label, 0, 1, …, which goes. O(labels)."""
    places = np.empty(len(found), np.int64)
    places[found[ROW].to_numpy()] = np.arange(len(found))
    found = found.drop_columns([ROW])
    return pa.table({name: found[name].combine_chunks().take(places) for name in found.column_names})


def _rows_of_query(lake: Lake, work: ProbeWork, query: str, labels: pa.Table) -> pa.Table:
    """Of the published table, those of the labels' keys."""
    asked = [each for each in work.features.latest.values() if each.query == query]
    columns = [*dict.fromkeys(name for each in asked for name in read_columns(each))]
    until = [("emitted_date", "<=", str(_day(work.last_us)))] if work.knowledge == KNOWN else None
    schema = lake.schema(QueryTables.of(registry.query(query)).results)
    found = RowsOfFiles(
        lake.files(query, work.versions[query], until), pa.schema([schema.field(name) for name in columns]), {}
    )
    within = found.within
    for name in (name for name in work.key if name in columns):
        values = pc.unique(labels[name].combine_chunks())
        within &= pc.field(name).isin(values) | pc.field(name).is_null()
    return read_rows(found._replace(within=within)) if found.files else found.schema.empty_table()


def _files(lake: Lake, work: ProbeWork, staged: Mapping[int, Sequence[Location]]) -> dict[tuple[str, ...], int]:
    """Bytes of silver's files of the days that count, bucket by bucket with the labels' beside them."""
    files: defaultdict[int, dict[str, int]] = defaultdict(dict)
    for bucket, places in staged.items():
        files[bucket] |= {str(place): storage.state(place).file_bytes for place in places}
    silver, (first, last) = work.source.silver.name, work.arrival_days
    found = files_by_day(lake, silver, work.versions[silver], lambda day: first <= day <= last)
    every = (file for of_day in found.values() for file in of_day)
    for path, size, of_key in every if work.features.windows else ():  # else rows of queries alone are asked
        bucket = (of_key or 0) if work.whole_buckets else 0
        if bucket in staged:  # without labels nothing asks
            files[bucket][path] = size
    return {tuple(files[bucket]): sum(files[bucket].values()) for bucket in sorted(files)}


@contextmanager
def _labels_beside(lake: Lake, work: ProbeWork, labels: pa.Table) -> Iterator[dict[int, list[Location]]]:
    """By bucket, files of the labels; gone afterwards."""
    assert work.table is not None, "files are for those of a table"
    folder = lake.config.lake / f".{work.table.name}.labels"
    storage.remove_folder(folder)  # of a run that was killed
    storage.make_folder(folder)
    found: dict[int, list[Location]] = {}
    try:
        for bucket, rows in _with_silvers_columns(labels, work).items():
            found[bucket] = [folder / f"{bucket}.parquet"]
            with storage.new_parquet(found[bucket][0], rows.schema) as writer:
                writer.write_table(rows, ROWS_PER_GROUP)
        yield found
    finally:
        storage.remove_folder(folder)


def _with_silvers_columns(labels: pa.Table, work: ProbeWork) -> dict[int, pa.Table]:
    """By bucket the labels, sorted as silver is: by the stream's key and time."""
    times = labels[work.time]
    columns = {name: labels[name] for name in work.key} | dict.fromkeys(("start", "end", "arrival"), times)
    columns |= {OF_LABEL + name: labels[name] for name in labels.column_names if name not in work.key}
    rows = pa.table(columns | {ROW: pa.array(np.arange(len(labels)))})
    if not work.whole_buckets:
        return {0: rows}
    buckets = _buckets(labels, work)
    order = np.lexsort((stored(times), key_codes(labels, work.bucket_key)[0], buckets))
    edges = np.flatnonzero(np.diff(buckets[order], prepend=-1, append=-1))
    parts = (order[begins:ends] for begins, ends in pairwise(edges))
    return {int(buckets[part[0]]): rows.take(part) for part in parts}


def _buckets(labels: pa.Table, work: ProbeWork) -> np.ndarray:
    """Of silver, by the stream's key."""
    codes = key_codes(labels, work.bucket_key)[0]
    _, firsts, places = np.unique(codes, return_index=True, return_inverse=True)
    keys = labels.select(list(work.bucket_key)).take(firsts).to_pylist()
    of_keys = [bucket_of(tuple(key.values()), work.source.stream.buckets) for key in keys]
    return np.array(of_keys, np.int64)[places]


def _day(us: int) -> date:
    days = us // DAY_US
    return EPOCH_DATE + DAY * max(min(days, (date.max - EPOCH_DATE).days), (date.min - EPOCH_DATE).days)
