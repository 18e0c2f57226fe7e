"""A day's replay through Spark. Here alone Spark meets kernels.

A query whose key contains the stream's key columns is replayed by bucket: a task gets bucket numbers and reads those
buckets' files itself. Spark promises no such thing for rows: it packs and splits files by size. Others shuffle.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from pipelines.lake import spark
from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.replay.task import Work, by_bucket, from_shuffle
from schemas import errors

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SQL_TYPES = {
    pa.string(): "STRING",
    pa.int64(): "BIGINT",
    pa.float64(): "DOUBLE",
    pa.bool_(): "BOOLEAN",
    pa.timestamp("us", "UTC"): "TIMESTAMP",
    pa.date32(): "DATE",
}

_REFUSED = re.compile(r"^schemas\.errors\.(\w+): (.+)$", re.MULTILINE)


def commit(lake: Lake, tables: QueryTables, work: Work) -> tuple[int, int, dict[str, int]]:
    """Replay and replace the day of both audit tables. Returns the versions, late table first, and the counts.

    One pass over the events, two commits: what the tasks made is kept on disk between them.
    """
    from pyspark import StorageLevel

    day = work.look_back.day
    with spark.end_reported(), _errors_of_tasks():
        kept = replayed(lake, tables, work).persist(StorageLevel.DISK_ONLY)
        try:
            late_rows = kept.where("late IS NOT NULL").select("late.*")
            late = lake.replace_with_spark(tables.late_audit, {"arrival_date": [day]}, late_rows)
            rows = kept.where("result IS NOT NULL").select("result.*")
            results = lake.replace_with_spark(tables.audit, {"emitted_date": [day]}, rows)
            return late, results, _counts(kept)
        finally:
            spark.give_back(kept)


def replayed(lake: Lake, tables: QueryTables, work: Work, partitions: int | None = None) -> "DataFrame":
    """The tagged rows of one day (see task.py), not yet computed; by default in a task per core."""
    if work.whole_buckets:
        source, task = spark.session(lake.config).range(0, len(work.files), 1, partitions), by_bucket
    else:
        source, task = _shuffled(lake, tables, work, partitions), from_shuffle
    return source.mapInArrow(partial(task, work), _ddl(work))


def _shuffled(lake: Lake, tables: QueryTables, work: Work, partitions: int | None) -> "DataFrame":
    back, key = work.look_back, work.served.query.key
    silver = spark.session(lake.config).read.format("delta").option("versionAsOf", back.silver_version)
    rows = silver.load(str(lake.folder(tables.source.silver.name))).where(
        f"arrival_date BETWEEN DATE'{back.first_day}' AND DATE'{back.day}' AND "
        f"(start >= timestamp_micros({back.least_start_us}) OR arrival >= timestamp_micros({back.from_us}))"
    )
    columns = rows.select(*work.read_schema.names)
    numbered = (partitions,) if partitions else ()
    return columns.repartition(*numbered, *key) if key else columns.coalesce(1)


def _ddl(work: Work) -> str:
    return ", ".join(f"{kind.name} STRUCT<{_fields(kind.type)}>" for kind in work.out_schema)


def _fields(struct: pa.StructType) -> str:
    return ", ".join(f"`{field.name}`: {_SQL_TYPES[field.type]}" for field in struct)


@contextmanager
def _errors_of_tasks() -> Iterator[None]:
    """A worker's error comes back as the text of its traceback: it is raised again, with its own words only."""
    from pyspark.errors import PythonException

    try:
        yield
    except PythonException as error:
        found = _REFUSED.search(str(error))
        if found is None:
            raise
        raise errors.raised_elsewhere(*found.groups()) from error


def _counts(rows: "DataFrame") -> dict[str, int]:
    names = rows.select("counts.*").columns
    sums = rows.where("counts IS NOT NULL").selectExpr(
        *(f"coalesce(sum(counts.{name}), 0) AS {name}" for name in names)
    )
    (counted,) = sums.collect()
    return counted.asDict()
