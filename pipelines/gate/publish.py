"""Publish: exactly the checked version of a day's audit rows replaces the day of the published tables.

The late table goes first: a reader who sees a result also finds the events that it could not count. Each
table is one Delta commit under its lock. A lock per query keeps the look for newer rows that passed and the two
commits together, so that of two runs of one day the rows of the newer snapshot stay, and of one snapshot those that
were made last.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import NamedTuple

import pyarrow.compute as pc

from pipelines import storage
from pipelines.lake.audit_versions import AuditVersions
from pipelines.lake.day_statistics import NO_ROWS, by_day
from pipelines.lake.engine import Engine
from pipelines.lake.file_commits import replace_partitions
from pipelines.lake.lake import Lake
from pipelines.lake.new_files import NewFile, write_batches
from pipelines.lake.query_tables import QueryTables
from pipelines.lake.shares import file_sizes, packed
from pipelines.ledger import verdicts
from schemas.errors import Superseded
from schemas.tables import Table


@dataclass(frozen=True)
class Publication:
    """What publishing wrote, by table name: versions, rows, and the digests of the day's statistics. `revisions`: rows
    of the results that replace an earlier one of their window; `had_rows`: whether the day had any before."""

    versions: dict[str, int]
    rows: dict[str, int]
    digests: dict[str, str]
    revisions: int
    had_rows: bool


def publish(lake: Lake, engine: Engine, tables: QueryTables, day: date, versions: AuditVersions) -> Publication:
    """Replace the day of `<query>_late` and then of `<query>` by the rows of the checked audit versions.

    Raises Superseded, with nothing written, where rows of the day that were made from a newer snapshot have passed the
    gate, or later rows of the same one. Those that failed there publish nothing themselves, and so keep nobody else
    from it.
    """
    late_rows = AuditRows(tables.late_audit.name, versions.late_audit, day)
    rows = AuditRows(tables.audit.name, versions.audit, day)
    with lake.locked(f"{tables.query.name}.publish"):
        newest = verdicts.newest_passed(lake, tables, day)
        if newest is not None and newest[:2] > (versions.snapshot, versions.audit):
            raise _superseded(tables, day, versions, newest)
        had_rows = [_has_rows(lake, table, day) for table in (tables.late, tables.results)]
        written = {
            tables.late.name: _replace_day(lake, engine, late_rows, tables.late),
            tables.results.name: _replace_day(lake, engine, rows, tables.results),
        }
    of_day = {name: by_day(lake, name, version).get(day, NO_ROWS) for name, version in written.items()}
    return Publication(
        written,
        {name: found.rows for name, found in of_day.items()},
        {name: found.digest for name, found in of_day.items()},
        _revisions(lake, tables.results, day, written[tables.results.name]),
        any(had_rows),
    )


def _has_rows(lake: Lake, table: Table, day: date) -> bool:
    lake.ensure(table)
    (partition,) = table.partition_by
    return bool(lake.files(table.name, None, [(partition, "=", day.isoformat())]))


def _revisions(lake: Lake, results: Table, day: date, version: int) -> int:
    """O(rows of the day), a column of them."""
    (partition,) = results.partition_by
    of_day = (pc.field(partition) == day) & (pc.field("revision") > 0)
    return lake.dataset(results.name, version).count_rows(filter=of_day)


class AuditRows(NamedTuple):
    """A day of a version of an audit table."""

    table: str
    version: int
    day: date


def _superseded(tables: QueryTables, day: date, versions: AuditVersions, newest: verdicts.Passed) -> Superseded:
    audited = f"version {versions.audit} of {tables.audit.name} for {day}"
    made = "from the files of a newer ingest" if newest.snapshot > versions.snapshot else "later"
    # Not that run's own publication: killed in the same process as its audit, it has no row to go on from.
    command = f"windrow replay {tables.query.name} --day {day}"
    return Superseded(audited, f"version {newest.version}, made {made}", newest.run_id, command)


def _replace_day(lake: Lake, engine: Engine, source: AuditRows, target: Table) -> int:
    """The version written."""
    (partition,) = target.partition_by
    files = lake.files(source.table, source.version, [(partition, "=", source.day.isoformat())])
    shares = packed(file_sizes(files), engine.slots, lake.config.task_bytes) if files else []
    copied = engine.each(partial(copy_share, lake, target, {partition: source.day}), shares)
    return replace_partitions(lake, target, partition, [source.day], [file for found in copied for file in found])


def copy_share(lake: Lake, target: Table, partition: Mapping[str, date], files: Sequence[str]) -> list[NewFile]:
    """Write the rows of some files for another table, a file for each. A day is streamed, never held: its rows may be
    many times the memory of the machine that publishes."""
    copied = []
    for path in files:
        with storage.parquet(path) as file:
            copied.append(write_batches(lake, target, partition, storage.batches(file)))
    return [each for each in copied if each is not None]
