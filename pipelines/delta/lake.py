"""The lake: the Delta tables of one installation, read by name and committed to under a lock.

Every commit of the pipeline takes the table's lock (locks/): rows that are here go through `replace` and `append`,
files that tasks have written through file_commits.py. Each replaces exactly the rows that columns' values name, also
when there are no new rows; none relies on an option whose no-op is silent.
"""

import datetime
import re
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import unquote

import pyarrow as pa
import pyarrow.dataset
import pyarrow.fs
from deltalake import DeltaTable, write_deltalake
from deltalake.exceptions import DeltaError

from windrow.pipelines import storage
from windrow.pipelines.config import Config
from windrow.pipelines.delta import contract, locks, log
from windrow.pipelines.delta.log import CommitNote, rows_version, version_made
from windrow.pipelines.location import Location
from windrow.pipelines.rows.arrays import arrow_schema
from windrow.schemas.errors import NotSetUp
from windrow.schemas.registry import made_by
from windrow.schemas.tables import Table

Where: TypeAlias = Mapping[str, Iterable[str | int | datetime.date]]
"""By column the values that it may have: rows whose columns all do. Of no columns, every row."""
Rows: TypeAlias = pa.Table | list[dict]
_REPAIRED = ".repaired"
_UNSAFE, _PARTS = ("'", "\\", "$"), re.compile(r"(['\\$])")


class TableState(NamedTuple):
    """A version of a table. `id` is Delta's own: a table that was moved away and made again has another, and counts its
    versions from 0; `made_ms`: when it was made, in ms since the epoch; `rows_version`: the version that brought the
    rows, where it is known."""

    version: int
    id: str
    made_ms: int
    rows_version: int | None = None


@dataclass(frozen=True)
class Lake:
    """Made once, from the config of a run or a command. `of_run`: what each commit says of the run that made it."""

    config: Config
    of_run: Mapping[str, str | None] = field(default_factory=dict, compare=False)
    _schemas: dict[Table, pa.Schema] = field(default_factory=dict, init=False, repr=False, compare=False)

    def committing(self, **of_run: str | None) -> "Lake":
        """The same lake, whose commits also say this of the run that makes them, in Delta's commit metadata."""
        return replace(self, of_run={**self.of_run, **of_run})

    def schema(self, table: Table) -> pa.Schema:
        """The table's Arrow schema, made once."""
        if table not in self._schemas:
            self._schemas[table] = arrow_schema(table)
        return self._schemas[table]

    def locked(self, name: str) -> AbstractContextManager[locks.Lock]:
        return locks.locked(self.config, name)

    def ingest_locked(self, stream_name: str) -> AbstractContextManager[locks.Lock]:
        """Wait for a running ingest of the stream, and let none begin: a reader of several of its tables together
        needs that. Not re-entrant."""
        return locks.locked(self.config, f"ingest_{stream_name}")

    def ensure(self, table: Table) -> pa.Schema:
        """Make the table, or check the one on disk: TableMismatch lists every difference; comments are renewed.
        Returns its schema."""
        folder, schema = self.folder(table.name), self.schema(table)
        with self.locked(table.name) as lock, locks.full_disk_reported(self.config, table.name):
            lock.require_held()
            if self._is_there(table.name):
                contract.require(folder, table, schema)
            else:
                contract.create(folder, table, schema)
        return schema

    def require(self, table: Table) -> None:
        """Check the table on disk, where there is one, as `ensure` does; changes nothing."""
        if self._is_there(table.name):
            contract.require_same(self._open(table.name, None), table, self.schema(table))

    def differs(self, table: Table) -> bool:
        """Whether the table on disk is another than its definition, where there is one; `ensure` would refuse it."""
        is_there = self._is_there(table.name)
        return is_there and bool(contract.differences(table, self.schema(table), self._open(table.name, None)))

    def append(self, table: Table, rows: Rows) -> int:
        """Add rows, in one commit without a JVM; returns its version."""
        return self._write(table, rows, {"mode": "append"})

    def replace(self, table: Table, where: Where, rows: Rows) -> int:
        """Replace the rows whose columns have one of these values by others, in one commit without a JVM. The rows must
        be among those and fulfil the table's constraints, else nothing is written. Returns the version that this commit
        made."""
        return self._write(table, rows, {"mode": "overwrite", "predicate": _predicate(where)})

    def _write(self, table: Table, rows: Rows, how: dict[str, Any]) -> int:
        folder, note = self.folder(table.name), CommitNote(self.of_run)
        with self.locked(table.name) as lock, locks.full_disk_reported(self.config, table.name):
            locks.require_rights(self.config, table.name)
            schema = self.schema(table)
            fitted = pa.Table.from_pylist(rows, schema) if isinstance(rows, list) else rows.select(schema.names)
            lock.require_held()
            write_deltalake(storage.delta_table(folder), fitted.cast(schema), commit_properties=note.properties, **how)
            return version_made(folder, note, table)

    def folder(self, name: str) -> Location:
        return (self.config.anew if name in self.config.asked_anew else self.config.lake) / name

    def repaired_folder(self, name: str) -> Location:
        """Where a repair makes the table that replaces a damaged one, until it renames it."""
        return self.config.lake / f".{name}{_REPAIRED}"

    def names(self) -> list[str]:
        """Tables of the lake: its folders that hold anything, damaged ones too."""
        try:
            folders = storage.names(self.config.lake)
        except FileNotFoundError:
            return []
        tables = {name for name in folders if not name.startswith(".") and self.holds_anything(name)}
        halves = {name[1:].removesuffix(_REPAIRED) for name in folders if name.endswith(_REPAIRED)}
        return sorted(tables | {name for name in halves if self.is_half_repaired(name)})

    def holds_anything(self, name: str) -> bool:
        """Whether there is a table of that name, or what damage has left of it."""
        try:
            return bool(storage.names(self.folder(name)))
        except (FileNotFoundError, NotADirectoryError):
            return False
        except PermissionError:
            return True

    def is_half_repaired(self, name: str) -> bool:
        """Whether a repair was killed after it moved the table away, and before it put another into its place."""
        return self.repaired_folder(name).exists() and not self.folder(name).exists()

    def version(self, name: str) -> int | None:
        """The table's newest version; None where there is no such table."""
        return storage.read_only_table(self.folder(name)).version() if self._is_there(name) else None

    def existing_version(self, name: str) -> int:
        """The table's newest version; NotSetUp where there is no such table."""
        return self._open(name, None).version()

    def read(
        self,
        name: str,
        version: int | None = None,
        filters: list[tuple] | None = None,
        columns: list[str] | None = None,
    ) -> pa.Table:
        """Rows of a table, without a JVM. `filters`: (column, operator, value) triples that must all hold."""
        opened = self._open(name, version)
        return opened.to_pyarrow_table(filters=filters, columns=columns, filesystem=self._files_of(name))

    def dataset(self, name: str, version: int | None = None) -> pyarrow.dataset.Dataset:
        """The table as a pyarrow dataset, for DuckDB and for reading in parts."""
        return self._open(name, version).to_pyarrow_dataset(filesystem=self._files_of(name))

    def files(self, name: str, version: int | None = None, filters: list[tuple] | None = None) -> list[str]:
        """Paths of the Parquet files of one version; filters on partition columns choose among them."""
        # As addresses they come with a space or an é of the home's path encoded; DuckDB and pyarrow want plain paths.
        return [unquote(uri) for uri in self._open(name, version).file_uris(file_pruning_predicate=filters)]

    def state(self, name: str) -> TableState:
        """The table's newest version, and which table it is; NotSetUp where there is none."""
        table = self._open(name, None)
        metadata = table.metadata()
        written = rows_version(self.folder(name), table.version())
        return TableState(table.version(), str(metadata.id), metadata.created_time, written)

    def lacks_files(self, name: str, version: int, filters: list[tuple] | None = None) -> bool:
        """Whether a version can't be read any more: maintenance removed its files, Delta's clean-up its log, or the
        table with it is gone. Not where the newest version lacks them too: that is damage. O(files)."""
        newest = self.version(name)
        if newest is None or version >= newest:
            return version != newest
        try:
            gone = {path for path in self.files(name, version, filters) if not storage.exists(path)}
        except DeltaError:
            return True
        return bool(gone.difference(self.files(name, filters=filters)))

    def partition_dates(self, name: str) -> set[datetime.date]:
        """Days of the table's date partitions that hold files, from its log alone; none where there is no table."""
        if self.version(name) is None:
            return set()
        actions = self.add_actions(name)
        return {*actions[day_column(actions)].cast(pa.date32()).unique().to_pylist()}

    def row_count(self, name: str) -> int:
        """Rows of the table, from its log alone. O(files)."""
        return sum(count or 0 for count in self.add_actions(name).column("num_records").to_pylist())

    def add_actions(self, name: str, version: int | None = None) -> pa.Table:
        """What the table's log says of each of its files: path, size, rows, partition, and statistics by column."""
        return pa.table(self._open(name, version).get_add_actions(flatten=True))

    def _open(self, name: str, version: int | None) -> DeltaTable:
        if not self._is_there(name):
            raise NotSetUp(f"there is no table {name!r} below {self.config.lake}", made_by(name))
        return storage.read_only_table(self.folder(name), version)

    def _is_there(self, name: str) -> bool:
        """TableDamaged for the damage that delta-rs would take for an empty table, or for no table."""
        folder = self.folder(name)
        if storage.is_delta_table(folder) and not log.has_empty_entry(folder):
            return True
        if self.holds_anything(name) or self.is_half_repaired(name):
            found = next(iter(log.damaged_log(folder)), None)
            if found is None:  # an entry that a newer checkpoint stands for
                return True
            raise found.error(name, self.config.lake)
        return False

    def _files_of(self, name: str) -> pyarrow.fs.FileSystem:
        # delta-rs's own file system calls back into Python for each file. A scan then hung now and then (2 of 6
        # processes within 10,000 scans): it starts with Python's lock and waits for Arrow's, while Arrow's thread does
        # the opposite.
        files, path = storage.arrow_files(str(self.folder(name)))
        return pyarrow.fs.SubTreeFileSystem(path, files)


def day_column(actions: pa.Table) -> str:
    """Which column of `add_actions` holds the days of a table that is partitioned by date."""
    return next(each for each in actions.column_names if each.startswith("partition.") and each.endswith("_date"))


def _predicate(where: Where) -> str:
    """SQL that DataFusion (delta-rs) and Spark read alike: `path` IN ('a', 'b'); of no values, never true."""
    listed = ((column, ", ".join(map(_literal, values))) for column, values in where.items())
    return " AND ".join(f"`{column}` IN ({values})" if values else "1 = 0" for column, values in listed) or "1 = 1"


def _literal(value: str | int | datetime.date) -> str:
    if isinstance(value, datetime.date):
        return f"CAST('{value.isoformat()}' AS DATE)"
    if isinstance(value, int):
        return str(value)
    # The two dialects disagree on quotes and backslashes inside a literal (and Delta parses its own print of it again),
    # so these stay outside, and so does $, which starts a variable for Spark: concat('it', chr(39), 's').
    parts = [f"chr({ord(part)})" if part in _UNSAFE else f"'{part}'" for part in _PARTS.split(value) if part]
    return f"concat({', '.join(parts)})" if len(parts) > 1 else "".join(parts) or "''"
