"""Replay: a day's arrivals through the query's kernel, into the audit tables.

Through Spark (through_spark.py); a day too small to be worth a JVM's start is replayed in this process (in_process.py).
Both run the same tasks (task.py).
"""

import os
from dataclasses import dataclass

import pyarrow as pa

from pipelines.lake.arrow_schemas import ARROW_TYPES
from pipelines.lake.audit_versions import AuditVersions
from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.replay import in_process, through_spark
from pipelines.replay.look_back import LookBack, Reading
from pipelines.replay.specifications import ServedQuery
from pipelines.replay.task import KEYS_BY, ORDER_COLUMNS, Work


@dataclass(frozen=True)
class Audited:
    """What a replay wrote and read, for the ledger.

    counts: those of task.COUNTS; kernel: those that replayed any keys, with commas between; None where there were no
    events.
    """

    versions: AuditVersions
    inputs: dict
    counts: dict[str, int]
    kernel: str | None


def audit(lake: Lake, tables: QueryTables, served: ServedQuery, back: LookBack, read: Reading) -> Audited:
    """Replace the day of `<query>_late_audit` and `<query>_audit` by a replay's rows, also if there are none.

    back: which events the run reads; read: from what.

    Raises BadInput for events that break the contract of a replay, TooManyRows and TooManySeconds beyond the limits of
    the lake's configuration.
    """
    work = work_of(lake, tables, served, back)
    engine = in_process if _is_small(lake, work) else through_spark
    late_version, version, counts = engine.commit(lake, tables, work)
    # Where nothing had arrived before the day, the run depends on that too.
    source = tables.source
    first_day = source.stream.first_day if back.bound_us is None else back.first_day
    passes = read.snapshot.version(source.passes.name)
    return Audited(
        AuditVersions(version, late_version, back.silver_version, passes, read.snapshot.name),
        read.days.inputs(first_day, back.day),
        counts,
        ", ".join(kernel for kernel, name in KEYS_BY.items() if counts[name]) or None,
    )


def _is_small(lake: Lake, work: Work) -> bool:
    size = sum(os.path.getsize(path) for files in work.files.values() for path in files)
    return size < lake.config.spark_from_bytes


def work_of(lake: Lake, tables: QueryTables, served: ServedQuery, back: LookBack) -> Work:
    """What the tasks of a run need to know. Makes the two audit tables where there are none."""
    query = tables.query
    result, late = (lake.ensure(table) for table in (tables.audit, tables.late_audit))
    silver = {column.name: column for column in tables.source.silver.columns}
    read = [silver[name] for name in dict.fromkeys((*query.read_columns, *ORDER_COLUMNS))]
    read_schema = pa.schema([pa.field(each.name, ARROW_TYPES[each.type], each.nullable) for each in read])
    whole_buckets = set(tables.source.stream.key) <= set(query.key)
    files = _buckets(lake, tables, back)
    return Work(served, back, read_schema, result, late, files, whole_buckets, lake.config.limits)


def _buckets(lake: Lake, tables: QueryTables, back: LookBack) -> dict[int, list[str]]:
    days = [("arrival_date", ">=", back.first_day.isoformat()), ("arrival_date", "<=", back.day.isoformat())]
    silver = tables.source.silver.name
    return {
        bucket: lake.files(silver, back.silver_version, [*days, ("bucket", "=", str(bucket))])
        for bucket in range(tables.source.stream.buckets)
    }
