"""A table's files by what Delta's log knows of them: as a view for DuckDB that names those to read, few columns, few
days, or few paths, of many files. And what they hold, without reading a row: of each day, as the log says it; of which
keys and of when, as Parquet's footers say it of files that are sorted by key.

deltalake's dataset puts the statistics of every column of every file into expressions, in Python: of 400 files that
took a second or more each time. A dataset of pyarrow's that knows partitions only took 2.4 ms for each file whose
identities were read; naming the files to DuckDB takes one.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta
from functools import reduce
from typing import Any, NamedTuple
from urllib.parse import unquote

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from windrow.pipelines import storage
from windrow.pipelines.delta.lake import Lake, day_column
from windrow.schemas.tables import Table
from windrow.schemas.windows import EPOCH, MICROSECOND

# As DuckDB names them: the folders' names are texts.
_PARTITION_TYPES = {"date": "DATE", "int64": "BIGINT", "string": "VARCHAR"}
# Delta's log cuts times off to milliseconds, also the greatest.
_CUT_OFF = timedelta(milliseconds=1)
_TOTALS = {"null_count": "sum", "min": "min", "max": "max"}


def add_view(database: duckdb.DuckDBPyConnection, lake: Lake, table: Table, view: str, files: Sequence[str]) -> None:
    """Make a view of some of the table's files."""
    if not files:
        database.register(f"{view}_without_rows", lake.schema(table).empty_table())
    rows = parquet(table, files) if files else f'"{view}_without_rows"'
    database.execute(f'CREATE OR REPLACE TEMP VIEW "{view}" AS SELECT * FROM {rows}')


def files_of(
    lake: Lake, table: Table, days: Iterable[date] | None = None, paths: Iterable[str] | None = None
) -> list[str]:
    """The Parquet files of the table's newest version; of arrival days only these, if given; if paths of landed files
    are, those that may hold rows of these. O(files of the table)."""
    asked = {"arrival_date": days, "path": paths}
    among = [(column, "in", sorted({*map(str, values)})) for column, values in asked.items() if values is not None]
    # Among no values delta-rs finds every file.
    return lake.files(table.name, None, among or None) if all(values for _, _, values in among) else []


class DayFile(NamedTuple):
    """A file of a table that is partitioned by day; of its bucket, where it has any."""

    path: str
    file_bytes: int
    bucket: int | None


def files_by_day(lake: Lake, name: str, version: int, wanted: Callable[[date], bool]) -> dict[date, list[DayFile]]:
    """The files of a version that hold rows of the wanted days, in the order of the days. O(files of the table)."""
    actions = lake.add_actions(name, version)
    of_days = pc.cast(actions[day_column(actions)], pa.date32())
    days = sorted(day for day in pc.unique(of_days).to_pylist() if wanted(day))
    asked = pc.is_in(of_days, pa.array(days, pa.date32()))
    columns = [actions["path"], actions["size_bytes"], of_days]
    columns += [actions["partition.bucket"]] if "partition.bucket" in actions.column_names else []
    found: dict[date, list[DayFile]] = {day: [] for day in days}
    for path, size, day, *bucket in zip(*(each.filter(asked).to_pylist() for each in columns), strict=True):
        place = f"{lake.folder(name)}/{unquote(path)}"
        found[day].append(DayFile(place, size, int(bucket[0]) if bucket else None))
    return found


def parquet(table: Table, files: Sequence[str], *options: str) -> str:
    """SQL: the rows of the files, partition columns included."""
    listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
    partitions = [column for column in table.columns if column.name in table.partition_by]
    types = ", ".join(f"'{column.name}': {_PARTITION_TYPES[column.type]}" for column in partitions)
    hive = f"hive_partitioning = TRUE, hive_types = {{{types}}}" if partitions else "hive_partitioning = FALSE"
    grows = ("union_by_name = TRUE",) if table.grows else ()  # a file may be older than a column
    return f"read_parquet([{listed}], {', '.join((hive, *grows, *options))})"


class DayStatistics(NamedTuple):
    """Of one day: its rows, and a digest of its columns' nulls, least and greatest values."""

    rows: int
    digest: str


NO_ROWS = DayStatistics(0, "")


def by_day(lake: Lake, name: str, version: int | None = None) -> dict[date, DayStatistics]:
    """The days that have rows, at a version, by default the newest; none where there is no table. O(files)."""
    if lake.version(name) is None:
        return {}
    actions = lake.add_actions(name, version)
    day = day_column(actions)
    # Not of texts: writers cut them off at different lengths.
    texts = (pa.string(), pa.large_string(), pa.string_view())
    compared = sorted(each.name for each in actions.schema if each.type not in texts)
    totals = [(name, _TOTALS.get(name.partition(".")[0])) for name in compared]
    asked = [("num_records", "sum"), *((name, how) for name, how in totals if how is not None)]
    grouped = actions.group_by(day).aggregate(asked)
    dates = pc.cast(grouped[day], pa.date32()).to_pylist()
    rows, *others = (grouped[f"{column}_{how}"].to_pylist() for column, how in asked)
    values = zip(*others, strict=True) if others else [()] * len(dates)
    digests = (hashlib.sha256(repr(of_day).encode()).hexdigest()[:16] for of_day in values)
    return {each: DayStatistics(n, digest) for each, n, digest in zip(dates, rows, digests, strict=True)}


class AskedValues(NamedTuple):
    """Which values of a column are asked for: those from `low` to `high`, both included, None being no bound; or those
    that are null."""

    low: Any = None
    high: Any = None
    of_null: bool = False

    def may_be_in(self, actions: pa.Table, column: str) -> pa.ChunkedArray | None:
        """Of which files a column may have such a value, by what the log says of each; None where it says nothing."""
        names = actions.column_names
        if (partition := f"partition.{column}") in names:
            values = actions[partition]
            return pc.is_null(values) if self.of_null else self._overlaps(values, values)
        if self.of_null:
            nulls = f"null_count.{column}"
            return pc.fill_null(pc.greater(actions[nulls], 0), True) if nulls in names else None
        least, greatest = f"min.{column}", f"max.{column}"
        return self._overlaps(actions[least], actions[greatest]) if {least, greatest} <= {*names} else None

    def _overlaps(self, least: pa.ChunkedArray, greatest: pa.ChunkedArray) -> pa.ChunkedArray:
        if pa.types.is_boolean(least.type):  # Arrow puts truths into no order
            least, greatest = least.cast(pa.uint8()), greatest.cast(pa.uint8())
        may = pa.chunked_array([pa.repeat(True, len(least))])
        if self.low is not None:
            low = self.low - _CUT_OFF if isinstance(self.low, datetime) else self.low
            may = pc.and_(may, pc.fill_null(pc.greater_equal(greatest, pa.scalar(low).cast(greatest.type)), True))
        if self.high is not None:
            may = pc.and_(may, pc.fill_null(pc.less_equal(least, pa.scalar(self.high).cast(least.type)), True))
        return may


def files_holding(lake: Lake, name: str, version: int | None, asked: Mapping[str, AskedValues]) -> pa.Table:
    """What the log of a version says of the files that may have a row whose columns all have values that are asked for,
    as `Lake.add_actions` does. No file is opened. O(files of the table)."""
    actions = lake.add_actions(name, version)
    may = [bounds.may_be_in(actions, column) for column, bounds in asked.items()]
    known = [each for each in may if each is not None]
    return actions.filter(reduce(pc.and_, known)) if known else actions


def places_of(lake: Lake, name: str, actions: pa.Table) -> list[str]:
    """Where these files of a table lie."""
    return [f"{lake.folder(name)}/{unquote(path)}" for path in actions["path"].to_pylist()]


class RowGroup(NamedTuple):
    """Some rows of a file: the least value of its first key column, None where that isn't known; its earliest event
    start, in µs since the epoch; and its part of the file's bytes."""

    least: object
    earliest_us: int
    file_bytes: int


def row_groups(column: str, files: Sequence[str]) -> list[RowGroup]:
    """Those of some files. O(row groups)."""
    found = []
    for group in _column_chunks(files):
        file_bytes = sum(each.total_compressed_size for each in group.values())
        found.append(RowGroup(_least(group[column]), _us(_least(group.get("start"))), file_bytes))
    return found


def bounds_us(column: str, files: Sequence[str]) -> tuple[int, int] | None:
    """The least and the greatest time of a column that has no nulls; None of no rows. O(row groups)."""
    found = [group[column].statistics for group in _column_chunks(files)]
    return (_us(min(each.min for each in found)), _us(max(each.max for each in found))) if found else None


def _column_chunks(files: Sequence[str]) -> Iterator[dict[str, pq.ColumnChunkMetaData]]:
    with ThreadPoolExecutor() as pool:
        for metadata in pool.map(_metadata, files):
            for number in range(metadata.num_row_groups):
                group = metadata.row_group(number)
                chunks = [group.column(each) for each in range(group.num_columns)]
                yield {each.path_in_schema: each for each in chunks}


def _metadata(file: str) -> pq.FileMetaData:
    with storage.parquet(file) as opened:
        return opened.metadata


def _least(column: pq.ColumnChunkMetaData | None) -> object:
    statistics = column.statistics if column is not None else None
    return statistics.min if statistics is not None and statistics.has_min_max else None


def _us(time: object) -> int:
    return (time - EPOCH) // MICROSECOND if isinstance(time, datetime) else -(1 << 62)
