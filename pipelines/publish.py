"""Publish: exactly the judged version of a day's audit rows replaces the day of the published tables. No JVM.

The late table goes first: a reader who sees a result also finds the events that it could not count. Each
table is one Delta commit under its lock. A lock per query keeps the look for a newer verdict and the two
commits together, so that of two runs of one day the one that was judged last stays.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

import pyarrow as pa
import pyarrow.dataset as ds

from pipelines import lake, ledger
from pipelines.arrow_schemas import arrow_schema
from pipelines.audit_versions import AuditVersions
from pipelines.config import Config
from pipelines.query_tables import QueryTables
from schemas.query import Query
from schemas.tables import Table


@dataclass(frozen=True)
class Publication:
    """What publishing did. `versions` by table name; `superseded` says why nothing was written."""

    versions: dict[str, int]
    rows: dict[str, int]
    superseded: str | None = None


def publish(config: Config, query: Query, day: date, versions: AuditVersions) -> Publication:
    """Replace the day of `<query>_late` and then of `<query>` by the rows of the judged audit versions.

    Writes nothing, and says so, where a newer version of the day's audit rows has been judged meanwhile.
    """
    tables = QueryTables.of(query)
    with lake.locked(config, f"{query.name}.publish"):
        newest = ledger.newest_judged_version(config, tables.audit.name, day)
        if newest is not None and newest > versions.audit:
            return Publication(
                {},
                {},
                f"version {versions.audit} of {tables.audit.name} was not published: version "
                f"{newest}, made later for {day}, has been judged; its run publishes",
            )
        late = _replace_day(config, tables.late_audit, versions.late_audit, tables.late, day)
        results = _replace_day(config, tables.audit, versions.audit, tables.results, day)
    return Publication(
        {tables.late.name: late[0], tables.results.name: results[0]},
        {tables.late.name: late[1], tables.results.name: results[1]},
    )


def _replace_day(config: Config, source: Table, version: int, target: Table, day: date) -> tuple[int, int]:
    """The version written and its rows of the day."""
    lake.ensure(config, target)
    (partition,) = target.partition_by
    judged, of_day = lake.dataset(config, source.name, version), ds.field(partition) == pa.scalar(day)
    schema = arrow_schema(target)
    scanner = judged.scanner(filter=of_day, columns=schema.names)
    reader = pa.RecordBatchReader.from_batches(schema, _batches(scanner, schema))
    written = lake.replace(config, target, lake.among(partition, [day]), reader)
    return written, judged.count_rows(filter=of_day)


def _batches(scanner: ds.Scanner, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    # A day is streamed, never held: its rows may be many times the memory of the machine that publishes.
    for batch in scanner.to_batches():
        columns = [batch[field.name].cast(field.type) for field in schema]
        yield pa.RecordBatch.from_arrays(columns, schema=schema)
