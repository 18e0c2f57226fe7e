"""Replay: a day's arrivals through the query's kernel, into the audit tables. Here alone Spark meets kernels.

A query whose key contains the stream's key columns is replayed by bucket: a task gets bucket numbers and reads those
buckets' files itself. Spark promises no such thing for rows: it packs and splits files by size. Others shuffle. A day
too small to be worth a JVM's start is replayed in this process (replay_here.py).
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from pipelines import ingest_lock, lake, look_back, replay_here, spark, stale
from pipelines.arrow_schemas import arrow_schema
from pipelines.audit_versions import AuditVersions
from pipelines.config import Config
from pipelines.look_back import LookBack
from pipelines.query_tables import QueryTables
from pipelines.replay_tasks import KEYS_BY, ORDER_COLUMNS, Work, by_bucket, from_shuffle
from pipelines.replaying import refuse_unreplayable
from schemas.errors import BadInput
from schemas.query import Query
from schemas.registry import stream as stream_named
from schemas.stream import Stream
from schemas.tables import silver_table

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


@dataclass(frozen=True)
class Audited:
    """What a replay wrote and read, for the ledger. `counts`: those of replay_tasks.COUNTS."""

    versions: AuditVersions
    inputs: dict
    counts: dict[str, int]

    @property
    def kernel(self) -> str | None:
        """The kernels that replayed any keys, with commas between; None where there were no events."""
        return ", ".join(kernel for kernel, name in KEYS_BY.items() if self.counts[name]) or None


def audit(config: Config, query: Query, day: date) -> Audited:
    """Replace the day of `<query>_late_audit` and `<query>_audit` by a replay's rows, also if there are none.

    Raises NotServed for what no kernel serves, BadInput for events that break the contract of a replay.
    """
    refuse_unreplayable(query)
    stream, tables = stream_named(query.stream), QueryTables.of(query)
    with ingest_lock.held(config, stream.name):
        digests, back = stale.digests(config, stream.name), look_back.of(config, query, stream, day)
    lake.ensure(config, tables.late_audit)
    lake.ensure(config, tables.audit)
    late_version, version, counts = _replayed_and_committed(config, tables, work_of(config, query, back))
    return Audited(
        AuditVersions(version, late_version, back.silver_version, back.pass_version),
        # Nothing had arrived before the day: the run depends on that too.
        stale.read_inputs(digests, stream.first_day if back.bound_us is None else back.first_day, day),
        counts,
    )


def _replayed_and_committed(config: Config, tables: QueryTables, work: Work) -> tuple[int, int, dict[str, int]]:
    if sum(os.path.getsize(path) for files in work.files.values() for path in files) < config.spark_from_bytes:
        return replay_here.commit(config, tables, work.look_back.day, work)
    with _errors_of_tasks():
        return _commit(config, tables, work.look_back.day, replayed(config, work))


def work_of(config: Config, query: Query, back: LookBack) -> Work:
    """What the tasks of a run need to know."""
    stream, tables = stream_named(query.stream), QueryTables.of(query)
    schemas = (_read_schema(query, stream), arrow_schema(tables.audit), arrow_schema(tables.late_audit))
    return Work(query, back, *schemas, _buckets(config, stream, back), set(stream.key) <= set(query.key))


def replayed(config: Config, work: Work, partitions: int | None = None) -> "DataFrame":
    """The tagged rows of one day (see replay_tasks.py), not yet computed; by default in a task per core."""
    if work.whole_buckets:
        source, task = spark.session(config).range(0, len(work.files), 1, partitions), by_bucket
    else:
        source, task = _shuffled(config, work, partitions), from_shuffle
    return source.mapInArrow(partial(task, work), _ddl(work))


def _read_schema(query: Query, stream: Stream) -> pa.Schema:
    silver = arrow_schema(silver_table(stream))
    names = dict.fromkeys((*query.read_columns, *ORDER_COLUMNS))
    return pa.schema([silver.field(name).remove_metadata() for name in names])


def _buckets(config: Config, stream: Stream, back: LookBack) -> dict[int, list[str]]:
    days = [("arrival_date", ">=", back.first_day.isoformat()), ("arrival_date", "<=", back.day.isoformat())]
    table = f"silver_{stream.name}"
    return {bucket: lake.files(config, table, back.silver_version, [*days, ("bucket", "=", str(bucket))])
            for bucket in range(stream.buckets)}


def _shuffled(config: Config, work: Work, partitions: int | None) -> "DataFrame":
    back, key = work.look_back, work.query.key
    silver = spark.session(config).read.format("delta").option("versionAsOf", back.silver_version)
    rows = silver.load(str(config.table(f"silver_{work.query.stream}"))).where(
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


def _commit(
    config: Config, tables: QueryTables, day: date, rows: "DataFrame"
) -> tuple[int, int, dict[str, int]]:
    """One pass over the events, two commits: what the tasks made is kept on disk between them."""
    from pyspark import StorageLevel

    kept = rows.persist(StorageLevel.DISK_ONLY)
    try:
        late = lake.replace_with_spark(
            config,
            tables.late_audit,
            lake.among("arrival_date", [day]),
            kept.where("late IS NOT NULL").select("late.*"),
        )
        results = lake.replace_with_spark(
            config,
            tables.audit,
            lake.among("emitted_date", [day]),
            kept.where("result IS NOT NULL").select("result.*"),
        )
        return late, results, _counts(kept)
    finally:
        spark.give_back(kept)


@contextmanager
def _errors_of_tasks() -> Iterator[None]:
    """A worker's error comes back as the text of its traceback; say only what it says."""
    from pyspark.errors import PythonException

    try:
        yield
    except PythonException as error:
        said = re.search(r"^schemas\.errors\.(?:BadInput|AggregateFailed): (.+)$", str(error), re.MULTILINE)
        if said is None:
            raise
        raise BadInput(said[1]) from error


def _counts(rows: "DataFrame") -> dict[str, int]:
    names = rows.select("counts.*").columns
    sums = rows.where("counts IS NOT NULL").selectExpr(
        *(f"coalesce(sum(counts.{name}), 0) AS {name}" for name in names)
    )
    return sums.first().asDict()
