"""Parquet files of a table that a writer made and that no commit names yet (file_commits.py): the writer need not be
where the commit is made. What is left of a writer that was killed is in no version; maintenance removes it.

    <table>/arrival_date=2018-10-01/bucket=3/part-…-c000.snappy.parquet
"""

import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cache, partial
from itertools import chain, groupby, pairwise
from operator import itemgetter
from typing import NamedTuple
from uuid import uuid4

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from windrow.pipelines import storage
from windrow.pipelines.delta import locks
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.location import Location, at
from windrow.schemas.errors import BadInput, StorageFailed
from windrow.schemas.tables import Table
from windrow.schemas.windows import EPOCH

# A text that is longer has no bounds in the log, as other writers cut it off there.
LONGEST_BOUND = 64
ROWS_PER_GROUP, BYTES_PER_GROUP = 131_072, 32 << 20
# What a part without rows takes in memory.
_PART_BYTES = 4 << 10
_MS = timedelta(milliseconds=1)


class NewFile(NamedTuple):
    """A file as a commit names it. `path`: below the table's folder; `partition`: the texts of its columns' values;
    `statistics`: rows, nulls and bounds by column, as Delta keeps them (JSON)."""

    path: str
    file_bytes: int
    rows: int
    partition: Mapping[str, str]
    statistics: str


def write_rows(lake: Lake, table: Table, *parts: pa.Table) -> list[NewFile]:
    """Write rows into a file for each partition that they have, in the table's order. StorageFailed where they break
    the table's contract. O(rows · log rows)."""
    fitted = [_in_types(lake, table, part) for part in parts if len(part)]
    if not fitted:
        return []
    rows = _checked(table, pa.concat_tables(fitted))
    # The partitions first, then each by itself: to sort by all columns at once took a third longer. Rows of one
    # partition, as of a day, are copied once.
    several = [name for name in table.partition_by if pc.count_distinct(rows[name], mode="all").as_py() > 1]
    slices = _slices(table, _sorted(rows, several))
    return [_file(lake, table, values, iter([_sorted(part, table.sort_by)])) for values, part in slices]


def write_no_rows(lake: Lake, table: Table, partition: Mapping[str, object]) -> NewFile:
    """A file that says of a partition that it has no rows."""
    schema = pa.schema([field for field in lake.schema(table) if field.name not in partition])
    return _made(lake, table, partition, partial(_write, iter([schema.empty_table()])))


def write_batches(
    lake: Lake, table: Table, partition: Mapping[str, object], batches: Iterable[pa.RecordBatch]
) -> NewFile | None:
    """Write batches of one partition into one file, as they come; None where there are no rows. Memory: a row group,
    and a batch."""
    return next(write_sorted(lake, table, (_with(partition, each, lake.schema(table)) for each in batches)), None)


def write_sorted(lake: Lake, table: Table, batches: Iterable[pa.RecordBatch]) -> Iterator[NewFile]:
    """Write rows, which come sorted by partition, into a file for each, as they come. Memory: a row group, and a
    batch."""
    of_table = (_in_types(lake, table, pa.Table.from_batches([each])) for each in batches)
    slices = (each for part in gathered(of_table) for each in _slices(table, _checked(table, part)))
    for values, of_one in groupby(slices, key=itemgetter(0)):
        yield _file(lake, table, values, map(itemgetter(1), of_one))


def _sorted(rows: pa.Table, columns: Sequence[str]) -> pa.Table:
    return rows.sort_by([(name, "ascending") for name in columns]) if columns else rows


def _file(lake: Lake, table: Table, values: tuple, parts: Iterator[pa.Table]) -> NewFile:
    return _made(lake, table, dict(zip(table.partition_by, values, strict=True)), partial(_write, parts))


def _slices(table: Table, rows: pa.Table) -> Iterator[tuple[tuple, pa.Table]]:
    """Slices of sorted rows that are of one partition each, without its columns, behind its values."""
    columns = [rows[name].combine_chunks() for name in table.partition_by]
    codes = [each.dictionary_encode("encode").indices.to_numpy() for each in columns]
    left = rows.drop_columns(list(table.partition_by))
    edges = sorted({0, len(rows)}.union(*((np.flatnonzero(np.diff(each)) + 1).tolist() for each in codes)))
    for begins, ends in pairwise(edges):
        yield tuple(each[begins].as_py() for each in columns), left.slice(begins, ends - begins)


def copied(lake: Lake, table: Table, partition: Mapping[str, object], file: str) -> NewFile:
    """A file of another table, of the same columns and constraints, as one of this. O(bytes): no row is read."""
    return _made(lake, table, partition, partial(storage.copy_file, at(file)))


def gathered(parts: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """In parts of about a row group's rows or bytes: to check the constraints of a part takes 3 ms, and the footer of
    its row group a kilobyte a column, however few it has."""
    waiting: list[pa.Table] = []
    rows = size = 0
    for part in parts:
        more = _PART_BYTES + part.nbytes
        if waiting and (rows + len(part) > ROWS_PER_GROUP or size + more > BYTES_PER_GROUP):
            yield pa.concat_tables(waiting)
            waiting, rows, size = [], 0, 0
        if len(part):
            waiting.append(part)
            rows, size = rows + len(part), size + more
    if waiting:
        yield pa.concat_tables(waiting)


def _with(partition: Mapping[str, object], rows: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    for name in partition.keys() - {*rows.schema.names}:
        value = pa.scalar(partition[name], schema.field(name).type)
        rows = rows.append_column(name, pa.repeat(value, len(rows)))
    return rows


def _in_types(lake: Lake, table: Table, rows: pa.Table) -> pa.Table:
    """The table's columns in its types; StorageFailed for a null or a value that they have not."""
    schema = lake.schema(table)
    try:
        return rows.select(schema.names).cast(schema)
    except (ValueError, pa.ArrowInvalid) as error:
        raise StorageFailed(f"rows for table {table.name!r} fail validation: {error}. Nothing was published") from error


def _checked(table: Table, rows: pa.Table) -> pa.Table:
    """The rows; StorageFailed where some break a constraint."""
    if not table.constraints or not len(rows):
        return rows
    # Conditions are in the words of Delta, which quotes names as Spark does.
    conditions = [condition.replace("`", '"') for _, condition in table.constraints]
    counts = ", ".join(f"count(*) FILTER (NOT coalesce({condition}, FALSE))" for condition in conditions)
    with _database().cursor() as database:
        database.register("rows", rows)
        (breaking,) = database.sql(f"SELECT {counts} FROM rows").fetchall()
    for (name, condition), broken in zip(table.constraints, breaking, strict=True):
        if broken:
            raise StorageFailed(
                f"{broken} rows for table {table.name!r} violate its constraint {name}: {condition}. Nothing was "
                "published"
            )
    return rows


@cache
def _database() -> duckdb.DuckDBPyConnection:
    """One of a process: to open and close it takes longer than to check half a million rows."""
    return duckdb.connect()


# A forked process has none of its threads, and would wait for them as it ends.
os.register_at_fork(before=_database.cache_clear)


def _made(lake: Lake, table: Table, partition: Mapping[str, object], make: Callable[[Location], None]) -> NewFile:
    values = {name: str(value) for name, value in partition.items()}
    folder = "".join(f"{name}={value}/" for name, value in values.items())
    path = f"{folder}part-00000-{uuid4()}-c000.snappy.parquet"
    place = lake.folder(table.name) / path
    with locks.full_disk_reported(lake.config, table.name):
        storage.make_folder(place.parent)
        try:
            make(place)
            with storage.parquet(place) as written:
                metadata = written.metadata
            statistics = _statistics(metadata)
        except BaseException as error:
            place.unlink(missing_ok=True)  # half of a file belongs to no table, and the disk may be full
            if isinstance(error, OverflowError):
                raise BadInput(
                    f"a row of table {table.name!r} would have a time outside the years 1 to 9999, which Delta can't "
                    "hold: a window, a key or a label of it reaches that far. Make windows or gaps shorter, leave such "
                    "labels out, or refuse such events in the stream"
                ) from None
            raise
    return NewFile(path, storage.state(place).file_bytes, metadata.num_rows, values, statistics)


def _write(parts: Iterator[pa.Table], place: Location) -> None:
    first = next(parts)
    plain = pa.schema([field.remove_metadata() for field in first.schema])
    with storage.new_parquet(place, plain) as writer:
        for part in chain([first], parts):
            writer.write_table(part.cast(plain), ROWS_PER_GROUP)


def _statistics(metadata: pq.FileMetaData) -> str:
    """From the file's footer; each of its columns is a leaf."""
    least, greatest, nulls = {}, {}, {}
    for number in range(metadata.num_columns):
        groups = [metadata.row_group(group).column(number) for group in range(metadata.num_row_groups)]
        name, statistics = groups[0].path_in_schema, [each.statistics for each in groups if each.statistics is not None]
        nulls[name] = sum(each.null_count for each in statistics)
        if bounded := [each for each in statistics if each.has_min_max]:
            least[name] = _bound(min(each.min for each in bounded))
            greatest[name] = _bound(max(each.max for each in bounded))
    bounds = {
        kind: {name: value for name, value in values.items() if value is not None}
        for kind, values in (("minValues", least), ("maxValues", greatest))
    }
    return json.dumps({"numRecords": metadata.num_rows, **bounds, "nullCount": nulls})


def _bound(value: object) -> object:
    """As Delta writes it: times cut off to milliseconds; None for one that it has no text for."""
    if isinstance(value, datetime):
        cut = EPOCH + (value - EPOCH) // _MS * _MS
        return cut.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, str | bytes):
        return value if isinstance(value, str) and len(value) <= LONGEST_BOUND else None
    return value
