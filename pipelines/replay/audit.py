"""Replay: a day's arrivals through the query's kernel, into the audit tables: the tasks of task.py, as the engine runs
them, and a commit for each table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pyarrow as pa

from pipelines.lake.arrow_schemas import ARROW_TYPES
from pipelines.lake.audit_versions import AuditVersions
from pipelines.lake.engine import Engine
from pipelines.lake.file_commits import replace_partitions
from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.lake.shares import file_sizes, packed
from pipelines.replay.look_back import LookBack, Reading
from pipelines.replay.specifications import ServedQuery
from pipelines.replay.task import COUNTS, KEYS_BY, ORDER_COLUMNS, Work, WrittenShare, replay_files, replay_rows, rows_of


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


def audit(
    lake: Lake, engine: Engine, tables: QueryTables, served: ServedQuery, back: LookBack, read: Reading
) -> Audited:
    """Replace the day of `<query>_late_audit` and `<query>_audit` by a replay's rows, also if there are none.

    back: which events the run reads; read: from what.

    Raises BadInput for events that break the contract of a replay, TooManyRows and TooManySeconds beyond the limits of
    the lake's configuration.
    """
    for table in (tables.audit, tables.late_audit):
        lake.ensure(table)
    written = replayed(lake, engine, tables, work_of(lake, tables, served, back))
    late_version, version = _commit(lake, tables, back, written)
    counts = {name: sum(each.counts[name] for each in written) for name in COUNTS.names}
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


def replayed(lake: Lake, engine: Engine, tables: QueryTables, work: Work) -> list[WrittenShare]:
    """What the tasks of a day write."""
    buckets = buckets_of(lake, tables, work.look_back)
    if work.whole_buckets:
        sizes = {files: sum(file_sizes(files).values()) for files in buckets}
        shares = packed(sizes, engine.slots, lake.config.task_bytes) if sizes else []
        return engine.each(partial(replay_files, lake, work), shares)
    rows = rows_of(work, [file for files in buckets for file in files])
    return engine.each_group(partial(replay_rows, lake, work), rows, work.served.query.key)


def _commit(lake: Lake, tables: QueryTables, back: LookBack, written: Sequence[WrittenShare]) -> tuple[int, int]:
    """The versions, late table first."""
    late = [file for each in written for file in each.late]
    result = [file for each in written for file in each.result]
    return (
        replace_partitions(lake, tables.late_audit, "arrival_date", [back.day], late),
        replace_partitions(lake, tables.audit, "emitted_date", [back.day], result),
    )


def work_of(lake: Lake, tables: QueryTables, served: ServedQuery, back: LookBack) -> Work:
    """What the tasks of a run need to know."""
    query = tables.query
    silver = {column.name: column for column in tables.source.silver.columns}
    read = [silver[name] for name in dict.fromkeys((*query.read_columns, *ORDER_COLUMNS))]
    read_schema = pa.schema([pa.field(each.name, ARROW_TYPES[each.type], each.nullable) for each in read])
    whole_buckets = set(tables.source.stream.key) <= set(query.key)
    return Work(served, back, read_schema, tables.audit, tables.late_audit, whole_buckets, lake.config.limits)


def buckets_of(lake: Lake, tables: QueryTables, back: LookBack) -> list[tuple[str, ...]]:
    """The files of each bucket that has any."""
    days = [("arrival_date", ">=", back.first_day.isoformat()), ("arrival_date", "<=", back.day.isoformat())]
    silver, buckets = tables.source.silver.name, range(tables.source.stream.buckets)
    files = (lake.files(silver, back.silver_version, [*days, ("bucket", "=", str(bucket))]) for bucket in buckets)
    return [tuple(of_bucket) for of_bucket in files if of_bucket]
