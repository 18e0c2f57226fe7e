"""Publish: exactly the checked version of a day's audit rows replaces the day of the published tables. No JVM.

The late table goes first: a reader who sees a result also finds the events that it could not count. Each
table is one Delta commit under its lock. A lock per query keeps the look for a newer verdict and the two
commits together, so that of two runs of one day the one that was checked last stays.
"""

from dataclasses import dataclass
from datetime import date

import pyarrow as pa
import pyarrow.dataset as ds

from pipelines.lake.audit_versions import AuditVersions
from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.ledger import verdicts
from schemas.tables import Table


@dataclass(frozen=True)
class Publication:
    """What publishing did. `versions` by table name; `superseded`: why nothing was written."""

    versions: dict[str, int]
    rows: dict[str, int]
    superseded: str | None = None


def publish(lake: Lake, tables: QueryTables, day: date, versions: AuditVersions) -> Publication:
    """Replace the day of `<query>_late` and then of `<query>` by the rows of the checked audit versions.

    Writes nothing, and reports so, where a newer version of the day's audit rows has been checked meanwhile.
    """
    with lake.locked(f"{tables.query.name}.publish"):
        newest = verdicts.newest_version(lake, tables.audit.name, day)
        if newest is not None and newest > versions.audit:
            return Publication(
                {},
                {},
                f"version {versions.audit} of {tables.audit.name} was not published: version "
                f"{newest}, made later for {day}, has been checked; its run publishes",
            )
        late = _replace_day(lake, tables.late_audit, versions.late_audit, tables.late, day)
        results = _replace_day(lake, tables.audit, versions.audit, tables.results, day)
    return Publication(
        {tables.late.name: late[0], tables.results.name: results[0]},
        {tables.late.name: late[1], tables.results.name: results[1]},
    )


def _replace_day(lake: Lake, source: Table, version: int, target: Table, day: date) -> tuple[int, int]:
    """The version written and its rows of the day."""
    lake.ensure(target)
    (partition,) = target.partition_by
    checked, of_day = lake.dataset(source.name, version), ds.field(partition) == pa.scalar(day)
    # A day is streamed, never held: its rows may be many times the memory of the machine that publishes.
    written = lake.replace(target, {partition: [day]}, checked.scanner(filter=of_day).to_batches())
    return written, checked.count_rows(filter=of_day)
