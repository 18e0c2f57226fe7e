"""A run of a feature set: labels in, a table of features out; or features in memory.

    labels ──▶ shares of keys ──probe──▶ files ──law──▶ one commit that replaces the table ──▶ ledger

Like a replay it reads the snapshot that the newest ingest left, and is stale when a day of it is different now.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from windrow.pipelines import flow
from windrow.pipelines.config import Config
from windrow.pipelines.delta.file_commits import replace_table
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.features.feature_columns import feature_table
from windrow.pipelines.features.feature_runs import (
    COLUMNS,
    KNOWLEDGE,
    STEP,
    TIME_COLUMN,
    FeatureRequest,
    newest_runs,
    rows_digest,
)
from windrow.pipelines.features.labels import in_lake_types, read_labels
from windrow.pipelines.features.probe_work import ProbeWork, feature_shares, features_in_memory
from windrow.pipelines.features.recount import recounted
from windrow.pipelines.gate.gate import Gate, failure
from windrow.pipelines.ledger import run_table, snapshots, verdicts
from windrow.pipelines.ledger.code_hash import definition_hash
from windrow.pipelines.ledger.entry import TABLE, TABLES, VERSION, LedgerEntry, Run
from windrow.pipelines.ledger.run_table import StepRow
from windrow.pipelines.logged import silent
from windrow.pipelines.replay.work import Reading
from windrow.pipelines.rows.arrays import ARROW_TYPES
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas import registry
from windrow.schemas.erased import erased_name
from windrow.schemas.errors import WrongParameter
from windrow.schemas.feature_set import KNOWN, FeatureSet
from windrow.schemas.ledger_tables import LEDGER
from windrow.schemas.tables import Table
from windrow.schemas.windows import require

Progress = Callable[[str], None]
_TABLE = re.compile(r"[a-z][a-z0-9_]*\Z")


@dataclass(frozen=True)
class FeatureRun:
    """What a run wrote: how many labels, and features of each, into which version of the table."""

    run_id: str
    features: str
    table: str
    version: int
    labels: int
    columns: int
    events_read: int
    law: str


class AskedLabels(NamedTuple):
    """Labels in the lake's types."""

    features: FeatureSet
    rows: pa.Table
    time: str
    knowledge: str

    @classmethod
    def of(cls, features: FeatureSet, labels: pa.Table, knowledge: str, time: str | None) -> "AskedLabels":
        rows, chosen = in_lake_types(labels, features, time, key_types(features))
        return cls(features, rows, chosen, knowledge)

    def table(self, name: str) -> Table:
        return feature_table(name, self.rows.schema, self.time, self.features, self.knowledge)


def make_features(config: Config, request: FeatureRequest, progress: Progress = silent) -> FeatureRun:
    """Replace the table by the labels with their features behind.

    Raises UnknownName, WrongParameter and BadInput for labels that can't be asked and a table that isn't of features,
    NotSetUp before the first ingest, GateFailed, and what a replay raises.
    """
    lake, features, into = Lake(config), registry.feature_set(request.features), request.into
    before = newest_runs(lake)
    _require_free(lake, into, before)
    labels = read_labels(lake, request.labels, key_types(features))
    if request.labels == into:
        labels = labels.drop_columns([each for each in before[into].outputs[COLUMNS] if each in labels.column_names])
    asked = AskedLabels.of(features, labels, request.knowledge, request.time)
    run = Run(run_table.new_run_id(into, None), features.stream, features.name)
    lake = lake.committing(run_id=run.run_id, definition=definition_hash(run.stream, features.name))
    with lake.locked(f"{into}.features"), run_table.step(lake, run, STEP) as entry:
        return _made(lake, run, asked, asked.table(into), entry, entry.stages.following(progress))


def features_of(
    config: Config, features: FeatureSet, labels: pa.Table, knowledge: str = KNOWN, time: str | None = None
) -> pa.Table:
    """The labels with their features behind, in their order; nothing is written. Raises as make_features."""
    require(isinstance(features, FeatureSet), "feature_set", type(features).__name__, "a name, or a windrow.FeatureSet")
    registry.validate_features(features)
    lake, asked = Lake(config), AskedLabels.of(features, labels, knowledge, time)
    table = asked.table("features")
    work, _ = _work(lake, asked, None)
    found = features_in_memory(lake, work, asked.rows) if len(asked.rows) else lake.schema(table).empty_table()
    return found.select(list(table.column_names))


def key_types(features: FeatureSet) -> dict[str, pa.DataType]:
    """Of the key columns, as the stream has them."""
    stream = registry.stream(features.stream)
    return {name: ARROW_TYPES[stream.column(name).type] for name in features.key}


def _require_free(lake: Lake, into: str, before: dict[str, StepRow]) -> None:
    is_name = bool(_TABLE.match(into)) and into not in LEDGER
    require(is_name, "--into", into, "a table of lower-case letters, digits and _, and none of the ledger")
    of = registry.query_of(into) or registry.stream_of(into) or into in map(erased_name, registry.streams())
    require(not of, "--into", into, "a name that no table or view of a stream or a query has")
    if into not in before and lake.version(into) is not None and lake.files(into):  # none: of a first run that failed
        raise WrongParameter("--into", into, "a new name: the lake has a table of it that windrow features didn't make")


def _made(lake: Lake, run: Run, asked: AskedLabels, table: Table, entry: LedgerEntry, progress: Progress) -> FeatureRun:
    engine = engine_of(lake.config)
    with entry.stages.working(engine, progress):
        work, read = _work(lake, asked, table)
        progress(flow.CHECK_SILVER.name)
        _check_silver(Gate(lake, engine), run, work, read)
        progress(flow.FEATURES.name)
        if lake.version(table.name) is None:
            lake.ensure(table)
        shares = feature_shares(lake, engine, work, asked.rows) if len(asked.rows) else []
        files = [file for share in shares for file in share.files]
        law = recounted(lake, work, files, len(asked.rows))
        verdicts.write(lake, run, {None: [law]}, read.snapshot.name)
        entry.verdicts = [law]
        if failed := failure([law]):
            raise failed
        version = replace_table(lake, table, files)
    names = asked.features.columns(asked.knowledge)
    tables = {each: rows_digest(lake, each, work.versions[each]) for each in asked.features.asked_queries}
    of_request = {TABLE: table.name, KNOWLEDGE: asked.knowledge, TIME_COLUMN: asked.time, TABLES: tables}
    entry.inputs = {**read.days.inputs(*work.arrival_days), **of_request}
    entry.outputs = {VERSION: version, COLUMNS: names}
    events = sum(share.events for share in shares)
    entry.counts = {"labels": len(asked.rows), "features": len(names), "events_read": events}
    return FeatureRun(run.run_id, run.query or "", table.name, version, len(asked.rows), len(names), events, law.figure)


def _check_silver(gate: Gate, run: Run, work: ProbeWork, read: Reading) -> None:
    """The days that are read. GateFailed."""
    first, last = work.arrival_days
    days = sorted(day for day in read.days.by_date if first <= day <= last)
    found = gate.record_silver(run, work.source, read.snapshot, read.days, days)
    if failed := failure([verdict for of_day in found.values() for verdict in of_day]):
        raise failed


def _work(lake: Lake, asked: AskedLabels, table: Table | None) -> tuple[ProbeWork, Reading]:
    features, labels = asked.features, asked.rows
    source = StreamTables.of(registry.stream(features.stream))
    read = Reading.of(lake, source, snapshots.newest(lake, features.stream))
    bounds = pc.min_max(labels[asked.time])
    first_us, last_us = (bounds[each].cast(pa.int64()).as_py() or 0 for each in ("min", "max"))
    versions = {source.silver.name: read.snapshot.version(source.silver.name)}
    versions |= {each: lake.existing_version(each) for each in features.asked_queries}
    work = ProbeWork(features, source, asked.knowledge, labels.schema, asked.time, first_us, last_us, versions, table)
    return work, read
