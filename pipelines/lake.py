"""Delta by contract: tables are made from `schemas/tables.py`, checked against it, and committed to under a lock.

Every commit of the pipeline goes through `replace` (delta-rs) or `replace_with_spark`. Both hold an operating-system
lock of the table: on a local file system two processes that commit at the same moment can both be told "committed"
while one commit is lost (measured: 1 of 36,000). Both replace exactly the rows that a predicate names, also when there
are no new rows; neither relies on an option whose no-op is silent.

Predicates are SQL that DataFusion (delta-rs) and Spark read alike: make them with `among`.
"""

import datetime
import fcntl
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.dataset
import pyarrow.fs
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import DeltaError

from pipelines import orphans
from pipelines.arrow_schemas import arrow_schema, column_comment
from pipelines.config import Config
from schemas.errors import NotSetUp, StorageFailed, TableMismatch
from schemas.tables import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# Deletion vectors break delta-rs's way to pyarrow, so that DuckDB and Polars could not read the table.
PROPERTIES = {"delta.enableDeletionVectors": "false"}
# delta-rs rewrites a constraint's text (`end` >= start becomes start <= end), so the text as defined is kept beside.
_CONSTRAINT, _DEFINED = "delta.constraints.", "windrow.constraints."
_UNSAFE, _PARTS = ("'", "\\", "$"), re.compile(r"(['\\$])")
_FULL_DISK = ("no space left on device", "file too large", "disk quota exceeded", "os error 28", "os error 27",
              "failed to offload data block")


def among(column: str, values: Iterable[str | int | datetime.date]) -> str:
    """A predicate that holds where the column is one of the values: `path IN ('a', 'b')`; of no values, never."""
    listed = ", ".join(_literal(value) for value in values)
    return f"`{column}` IN ({listed})" if listed else "1 = 0"


def _literal(value: str | int | datetime.date) -> str:
    if isinstance(value, datetime.date):
        return f"CAST('{value.isoformat()}' AS DATE)"
    return str(value) if isinstance(value, int) else _text_literal(value)


def _text_literal(text: str) -> str:
    # The two dialects disagree on quotes and backslashes inside a literal (and Delta parses its own print of it again),
    # so these stay outside, and so does $, which starts a variable for Spark: concat('it', chr(39), 's').
    parts = [f"chr({ord(part)})" if part in _UNSAFE else f"'{part}'" for part in _PARTS.split(text) if part]
    return f"concat({', '.join(parts)})" if len(parts) > 1 else "".join(parts) or "''"


@contextmanager
def locked(config: Config, name: str) -> Iterator[None]:
    """Hold the operating-system lock of that name; waits for whoever has it. A killed process lets go of it, and what
    it left running is ended before the lock counts as taken."""
    place = config.locks / f"{name}.lock"
    with full_disk_said(config, place.name):
        config.locks.mkdir(parents=True, exist_ok=True)
        place.touch()
    with open(place) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with full_disk_said(config, place.name):
            orphans.end_all(config)
        yield


@contextmanager
def full_disk_said(config: Config, name: str) -> Iterator[None]:
    """Turn a full disk, as Python, Rust and Java each report it, into StorageFailed."""
    try:
        yield
    except StorageFailed:
        raise
    except Exception as error:
        text = str(error)
        if not any(sign in text.lower() for sign in _FULL_DISK):
            raise
        raise StorageFailed(
            f"no space to write {name!r} below {config.home}: the disk is full, or a quota or file-size limit is "
            "reached. Nothing of this write was published; free some space and run the same command again") from error


def ensure(config: Config, table: Table) -> None:
    """Make the table, or check the one on disk: TableMismatch lists every difference; comments are renewed."""
    with locked(config, table.name), full_disk_said(config, table.name):
        if not DeltaTable.is_deltatable(str(config.table(table.name))):
            _create(config, table)
            return
        found = DeltaTable(config.table(table.name))
        differences = [*_schema_differences(table, found), *_constraint_differences(table, found)]
        if differences:
            raise TableMismatch(table.name, differences)
        _renew_comments(table, found)


def _create(config: Config, table: Table) -> None:
    # Beside its place and then renamed: a table that a kill left without its constraints would be checked by nobody.
    place, beside = config.table(table.name), config.lake / f".{table.name}.new"
    shutil.rmtree(beside, ignore_errors=True)
    beside.mkdir(parents=True)
    defined = {_DEFINED + name: condition for name, condition in table.constraints}
    made = DeltaTable.create(beside, arrow_schema(table), partition_by=list(table.partition_by),
                             description=table.comment, configuration={**PROPERTIES, **defined},
                             raise_if_key_not_exists=False)
    for name, condition in table.constraints:
        made.alter.add_constraint({name: condition})
    beside.rename(place)


def _schema_differences(table: Table, found: DeltaTable) -> list[str]:
    expected = {field.name: field for field in arrow_schema(table)}
    present = {field.name: field for field in pa.schema(found.schema().to_arrow())}
    differences = [f"column {name} is missing ({expected[name].type})" for name in expected if name not in present]
    differences += [f"column {name} is not in the definition" for name in present if name not in expected]
    for name in (name for name in expected if name in present):
        for what in ("type", "nullable"):
            defined, on_disk = getattr(expected[name], what), getattr(present[name], what)
            if defined != on_disk:
                differences.append(f"column {name}: {what} is {on_disk}, defined as {defined}")
    partitions = tuple(found.metadata().partition_columns)
    if partitions != table.partition_by:
        differences.append(f"partitioned by {partitions}, defined as {table.partition_by}")
    return differences


def _constraint_differences(table: Table, found: DeltaTable) -> list[str]:
    configuration = found.metadata().configuration
    defined = dict(table.constraints)
    present = {key.removeprefix(_CONSTRAINT): configuration.get(_DEFINED + key.removeprefix(_CONSTRAINT), text)
               for key, text in configuration.items() if key.startswith(_CONSTRAINT)}
    return [f"constraint {name} is {present.get(name, 'absent')!r}, defined as {defined.get(name, 'absent')!r}"
            for name in sorted(defined.keys() | present.keys()) if defined.get(name) != present.get(name)]


def _renew_comments(table: Table, found: DeltaTable) -> None:
    present = {field.name: field.metadata.get("comment") for field in found.schema().fields}
    for column in table.columns:
        if present[column.name] != column_comment(column):
            found.alter.set_column_metadata(column.name, {"comment": column_comment(column)})


def replace(config: Config, table: Table, predicate: str | None, rows: pa.Table | pa.RecordBatchReader) -> int:
    """Replace the rows that the predicate names by these, in one commit without a JVM; None appends.

    The rows must fulfil the predicate and the table's constraints, else nothing is written. Returns the version.
    """
    place = config.table(table.name)
    with locked(config, table.name), full_disk_said(config, table.name):
        fitted = rows.cast(arrow_schema(table)) if isinstance(rows, pa.Table) else rows
        mode = "append" if predicate is None else "overwrite"
        write_deltalake(place, fitted, mode=mode, predicate=predicate)
        return _version(config, table.name)


def replace_with_spark(config: Config, table: Table, predicate: str | None, frame: "DataFrame") -> int:
    """`replace` for rows that Spark makes; files are written in the frame's own partitioning and order."""
    with locked(config, table.name), orphans.ended_if_stopped(), full_disk_said(config, table.name):
        writer = frame.select(*table.column_names).write.format("delta")
        if predicate is None:
            writer.mode("append").save(str(config.table(table.name)))
        else:
            writer.mode("overwrite").option("replaceWhere", predicate).save(str(config.table(table.name)))
        return _version(config, table.name)


def version(config: Config, name: str) -> int | None:
    """The table's newest version; None where there is no such table."""
    return _version(config, name) if DeltaTable.is_deltatable(str(config.table(name))) else None


def _version(config: Config, name: str) -> int:
    return DeltaTable(config.table(name)).version()


def _open(config: Config, name: str, version: int | None) -> DeltaTable:
    try:
        return DeltaTable(config.table(name), version=version)
    except DeltaError as error:
        if DeltaTable.is_deltatable(str(config.table(name))):
            raise
        raise NotSetUp(f"there is no table {name!r} below {config.lake}", "windrow ingest STREAM") from error


def read(config: Config, name: str, version: int | None = None, filters: list[tuple] | None = None,
         columns: list[str] | None = None) -> pa.Table:
    """Rows of a table, without a JVM. `filters`: (column, operator, value) triples that must all hold, pushed down."""
    opened = _open(config, name, version)
    return opened.to_pyarrow_table(filters=filters, columns=columns, filesystem=_folder(config, name))


def dataset(config: Config, name: str, version: int | None = None) -> pyarrow.dataset.Dataset:
    """The table as a pyarrow dataset, for DuckDB and for reading in parts."""
    return _open(config, name, version).to_pyarrow_dataset(filesystem=_folder(config, name))


def _folder(config: Config, name: str) -> pyarrow.fs.FileSystem:
    # delta-rs's own file system calls back into Python for each file. A scan then hung now and then (2 of 6 processes
    # within 10,000 scans): it starts with Python's lock and waits for Arrow's, while Arrow's thread does the opposite.
    return pyarrow.fs.SubTreeFileSystem(str(config.table(name)), pyarrow.fs.LocalFileSystem())


def files(config: Config, name: str, version: int | None = None, filters: list[tuple] | None = None) -> list[str]:
    """Paths of the Parquet files of one version; filters on partition columns choose among them."""
    # As addresses they come with a space or an é of the home's path encoded; DuckDB and pyarrow want plain paths.
    return [unquote(uri) for uri in _open(config, name, version).file_uris(file_pruning_predicate=filters)]


def created_at(config: Config, name: str) -> datetime.datetime:
    """When the table was made: one that was moved away and made again starts with version 0 again."""
    return datetime.datetime.fromtimestamp(DeltaTable(config.table(name)).metadata().created_time / 1000, datetime.UTC)


def partition_dates(config: Config, name: str) -> set[datetime.date]:
    """Days of the table's date partitions that hold files, from its log alone; none where there is no table."""
    if version(config, name) is None:
        return set()
    opened = DeltaTable(config.table(name))
    day = next(column for column in opened.metadata().partition_columns if column.endswith("_date"))
    actions = pa.table(opened.get_add_actions(flatten=True))
    return set(actions.column(f"partition.{day}").cast(pa.date32()).to_pylist())
