"""Delta tables in plain Python, over the files that delta-rs would write: what pipelines/delta asks of deltalake,
without its 2 to 30 ms of processor time a call. An entry of the log and each file of rows is a call of the
simulation's, which may fail, or kill (seams.py). test_deterministic_faults.py compares what it makes with what delta-rs
reads.
"""

import json
import os
import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset
import pyarrow.parquet as pq
from deltalake import CommitProperties, Schema
from deltalake.exceptions import CommitFailedError, DeltaError

from tests.support.faults.plain_log import (
    action_of,
    add_action,
    forget_logs,
    log_versions,
    may_hold,
    put_entry,
    remove_action,
    state_of,
    tried,
)
from tests.support.faults.seams import new_name, now_ms
from tests.support.faults.world import READ, WRITE
from windrow.pipelines.delta.new_files import _statistics

_TIME = pa.timestamp("us", "UTC")
_CONDITION = re.compile(r"`(\w+)` IN \((.*?)\)(?= AND `|$)")
_VALUE = re.compile(r"CAST\('([^']*)' AS DATE\)|'([^']*)'|(-?\d+)")
_rows: dict[tuple[int, int], pa.Table] = {}
_schemas: dict[str, pa.Schema] = {}
_whole: dict[tuple[str, str], pa.Table] = {}


class PlainTable:
    """As `deltalake.DeltaTable`."""

    def __init__(self, table_uri: str, version: int | None = None, storage_options: object = None):
        self.folder = table_uri
        self.state = tried(READ, "open table", self.folder, lambda: state_of(self.folder, version))
        self.optimize = SimpleNamespace(compact=self._compact)

    @staticmethod
    def is_deltatable(table_uri: str, storage_options: object = None) -> bool:
        return bool(log_versions(table_uri))

    @classmethod
    def create(cls, table_uri: str, schema: pa.Schema, partition_by: list[str], description: str, **how: Any) -> None:
        metadata = {
            "id": new_name(),
            "description": description,
            "format": {"provider": "parquet", "options": {}},
            "schemaString": Schema.from_arrow(schema).to_json(),
            "partitionColumns": partition_by,
            "configuration": {name: text for name, text in how["configuration"].items() if "minWriter" not in name},
            "createdTime": now_ms(),
        }
        protocol = {"minReaderVersion": 1, "minWriterVersion": 3}
        actions = [{"commitInfo": {"operation": "CREATE TABLE"}}, {"protocol": protocol}, {"metaData": metadata}]
        try:
            put_entry(table_uri, 0, actions)
        except FileExistsError as error:
            raise CommitFailedError("a Delta Lake table already exists at that location") from error

    def version(self) -> int:
        return self.state.version

    def schema(self) -> Schema:
        return Schema.from_json(self.state.metadata["schemaString"])

    def metadata(self) -> SimpleNamespace:
        found = self.state.metadata
        return SimpleNamespace(
            id=found["id"],
            created_time=found["createdTime"],
            partition_columns=found["partitionColumns"],
            configuration=found["configuration"],
        )

    @property
    def partitions(self) -> list[str]:
        return self.state.metadata["partitionColumns"]

    @property
    def arrow(self) -> pa.Schema:
        text = self.state.metadata["schemaString"]
        if text not in _schemas:
            found = pa.schema(Schema.from_json(text).to_arrow())
            _schemas[text] = pa.schema([each.remove_metadata() for each in found])
        return _schemas[text]

    def file_uris(self, file_pruning_predicate: list[tuple] | None = None) -> list[str]:
        return [
            f"{self.folder}/{path}" for path, add in self.state.files.items() if may_hold(add, file_pruning_predicate)
        ]

    def to_pyarrow_table(self, filters: list | None = None, columns: list[str] | None = None, **_: object) -> pa.Table:
        asked = [path for path, add in self.state.files.items() if may_hold(add, filters)]
        rows = tried(READ, "read rows", self.folder, lambda: self._rows(asked))
        if filters:
            rows = rows.filter(pq.filters_to_expression(filters))
        return rows.select(columns) if columns else rows

    def _rows(self, paths: list[str]) -> pa.Table:
        if self.state.rows is None or len(paths) < len(self.state.files):
            rows = pa.concat_tables([self.arrow.empty_table(), *map(self.rows_of, paths)])
            if len(paths) < len(self.state.files):
                return rows
            self.state.rows = rows
        return self.state.rows

    def to_pyarrow_dataset(self, **_: object) -> pyarrow.dataset.Dataset:
        return pyarrow.dataset.dataset(self.to_pyarrow_table())

    def rows_of(self, path: str) -> pa.Table:
        """With the values of its partition. DeltaError for a file that is gone."""
        key = self.folder, path
        if key not in _whole:
            rows, values = _read(f"{self.folder}/{unquote(path)}"), self.state.files[path]["partitionValues"]
            for name in self.partitions:
                value = pa.scalar(values[name]).cast(self.arrow.field(name).type)
                rows = rows.append_column(self.arrow.field(name), pa.repeat(value, len(rows)))
            _whole[key] = rows.select(self.arrow.names).cast(self.arrow)
        return _whole[key]

    def get_add_actions(self, flatten: bool) -> pa.Table:
        if self.state.actions is None:
            self.state.actions = self._actions()
        return self.state.actions

    def _actions(self) -> pa.Table:
        adds = list(self.state.files.values())
        stats = [json.loads(add["stats"]) for add in adds]
        columns: dict[str, pa.Array] = {
            "path": pa.array([add["path"] for add in adds], pa.string()),
            "size_bytes": pa.array([add["size"] for add in adds], pa.int64()),
            "num_records": pa.array([each["numRecords"] for each in stats], pa.int64()),
        }
        of_files = [each for each in self.arrow if each.name not in self.partitions]
        for kind, key in (("null_count", "nullCount"), ("min", "minValues"), ("max", "maxValues")):
            for each in of_files:
                values = [of[key].get(each.name) for of in stats]
                columns[f"{kind}.{each.name}"] = _typed(values, pa.int64() if kind == "null_count" else each.type)
        for name in self.partitions:
            values = [add["partitionValues"][name] for add in adds]
            columns[f"partition.{name}"] = pa.array(values, pa.string()).cast(self.arrow.field(name).type)
        return pa.table(columns)

    def create_write_transaction(
        self, actions: Sequence, mode: str, schema: Schema, partition_by: object, commit_properties: CommitProperties
    ) -> None:
        found = [action_of(each) for each in actions]
        if mode == "overwrite":
            found += [remove_action(path) for path in self.state.files]
            found.append({"metaData": self.state.metadata | {"schemaString": schema.to_json()}})
        self.commit("WRITE", found, commit_properties)

    def write(self, rows: pa.Table) -> Iterable[dict]:
        """The actions that add files of these rows, which are written."""
        for values, part in _partitioned(rows, self.partitions):
            folder = "".join(f"{name}={value}/" for name, value in values.items())
            path = f"{folder}part-{new_name()}.parquet"
            place = Path(self.folder, path)

            def write(place: Path = place, part: pa.Table = part) -> None:
                place.parent.mkdir(parents=True, exist_ok=True)
                pq.write_table(part.replace_schema_metadata(), place)

            tried(WRITE, "write rows", place, write)
            stats = _statistics(pq.read_metadata(place))
            yield {"add": add_action(path, values, os.path.getsize(place), stats)}

    def commit(self, operation: str, actions: list[dict], properties: CommitProperties) -> None:
        """In the next version that is free, as delta-rs does; CommitFailedError where another took a file out."""
        said = {"commitInfo": {"operation": operation, **properties.custom_metadata}}
        removed = {each["remove"]["path"] for each in actions if "remove" in each}
        state = self.state
        while not removed - state.files.keys():
            try:
                put_entry(self.folder, state.version + 1, [said, *actions])
                return
            except FileExistsError:
                state = PlainTable(self.folder).state
        raise CommitFailedError("a concurrent transaction deleted data this operation read")

    def _compact(self, commit_properties: CommitProperties) -> None:
        added = list(self.write(self.to_pyarrow_table()))
        actions = [*map(remove_action, self.state.files), *added]
        for each in actions:
            next(iter(each.values()))["dataChange"] = False
        self.commit("OPTIMIZE", actions, commit_properties)


def write_plain(
    table: PlainTable, rows: pa.Table, mode: str, commit_properties: CommitProperties, predicate: str | None = None
) -> None:
    """As `deltalake.write_deltalake`."""
    actions: list[dict] = []
    for path in table.state.files if mode == "overwrite" else ():
        held = table.rows_of(path)
        left = held.filter(pc.invert(_mask(held, predicate or "1 = 1")))
        if len(left) < len(held):
            actions += [remove_action(path), *(table.write(left) if len(left) else ())]
    actions += table.write(rows) if len(rows) else ()
    table.commit("WRITE", actions, commit_properties)


def _read(place: str) -> pa.Table:
    try:
        found = os.stat(place)
    except FileNotFoundError as error:
        raise DeltaError(f"Object at location {place} not found") from error
    key = found.st_ino, found.st_mtime_ns
    if key not in _rows:
        with open(place, "rb") as file:
            _rows[key] = pq.ParquetFile(file).read()
    return _rows[key]


def forget_what_was_made() -> None:
    """A history's own: the next one makes other files in the same places."""
    forget_logs()
    _whole.clear()
    _rows.clear()


def _partitioned(rows: pa.Table, partitions: list[str]) -> Iterable[tuple[dict[str, str], pa.Table]]:
    if not partitions:
        yield {}, rows
        return
    (name,) = partitions
    for value in sorted(pc.unique(rows[name]).to_pylist()):
        yield {name: str(value)}, rows.filter(pc.equal(rows[name], value)).drop_columns([name])


def _mask(rows: pa.Table, predicate: str) -> pa.ChunkedArray:
    """Of Lake's own words."""
    mask = pa.chunked_array([pa.repeat(predicate != "1 = 0", len(rows))])
    for column, listed in _CONDITION.findall(predicate):
        values = [
            date.fromisoformat(day) if day else text or int(number) for day, text, number in _VALUE.findall(listed)
        ]
        mask = pc.and_(mask, pc.is_in(rows[column], pa.array(values, rows[column].type)))
    return mask


def _typed(values: list, kind: pa.DataType) -> pa.Array:
    if kind == _TIME:
        values = [each and datetime.fromisoformat(each) for each in values]
    elif pa.types.is_date(kind):
        values = [each and date.fromisoformat(each) for each in values]
    return pa.array(values, kind)
