"""Publish: exactly the checked version of a day's audit rows replaces the day of the published tables. No JVM.

The late table goes first: a reader who sees a result also finds the events that it could not count. Each
table is one Delta commit under its lock. A lock per query keeps the look for newer rows that passed and the two
commits together, so that of two runs of one day the rows of the newer snapshot stay, and of one snapshot those that
were made last.
"""

from dataclasses import dataclass
from datetime import date

import pyarrow as pa
import pyarrow.dataset as ds

from pipelines.lake.audit_versions import AuditVersions
from pipelines.lake.day_statistics import NO_ROWS, by_day
from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.ledger import verdicts
from schemas.errors import Superseded
from schemas.tables import Table


@dataclass(frozen=True)
class Publication:
    """What publishing wrote, by table name: versions, rows, and the digests of the day's statistics."""

    versions: dict[str, int]
    rows: dict[str, int]
    digests: dict[str, str]


def publish(lake: Lake, tables: QueryTables, day: date, versions: AuditVersions) -> Publication:
    """Replace the day of `<query>_late` and then of `<query>` by the rows of the checked audit versions.

    Raises Superseded, with nothing written, where rows of the day that were made from a newer snapshot have passed the
    gate, or later rows of the same one. Those that failed there publish nothing themselves, and so keep nobody else
    from it.
    """
    with lake.locked(f"{tables.query.name}.publish"):
        newest = verdicts.newest_passed(lake, tables, day)
        if newest is not None and newest[:2] > (versions.snapshot, versions.audit):
            raise _superseded(tables, day, versions, newest)
        written = {
            tables.late.name: _replace_day(lake, tables.late_audit, versions.late_audit, tables.late, day),
            tables.results.name: _replace_day(lake, tables.audit, versions.audit, tables.results, day),
        }
    of_day = {name: by_day(lake, name, version).get(day, NO_ROWS) for name, version in written.items()}
    return Publication(
        written,
        {name: found.rows for name, found in of_day.items()},
        {name: found.digest for name, found in of_day.items()},
    )


def _superseded(tables: QueryTables, day: date, versions: AuditVersions, newest: verdicts.Passed) -> Superseded:
    audited = f"version {versions.audit} of {tables.audit.name} for {day}"
    made = "from the files of a newer ingest" if newest.snapshot > versions.snapshot else "later"
    # Not that run's own publication: killed in the same process as its audit, it has no row to go on from.
    command = f"windrow replay {tables.query.name} --day {day}"
    return Superseded(audited, f"version {newest.version}, made {made}", newest.run_id, command)


def _replace_day(lake: Lake, source: Table, version: int, target: Table, day: date) -> int:
    """The version written."""
    lake.ensure(target)
    (partition,) = target.partition_by
    checked, of_day = lake.dataset(source.name, version), ds.field(partition) == pa.scalar(day)
    # A day is streamed, never held: its rows may be many times the memory of the machine that publishes.
    return lake.replace(target, {partition: [day]}, checked.scanner(filter=of_day).to_batches())
