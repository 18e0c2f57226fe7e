"""Publish: exactly the checked version of some days' audit rows replaces these days of the published tables.

The late table goes first: a reader who sees a result also finds the events that it could not count. Each table is one
Delta commit under its lock. A lock per query keeps the look for newer rows that passed and the two commits together: of
two runs of one day the rows of the newer snapshot stay, and of one snapshot those that were made last.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial

import pyarrow.compute as pc

from windrow.pipelines.delta.day_files import NO_ROWS, by_day, files_by_day
from windrow.pipelines.delta.file_commits import replace_partitions
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import NewFile, copied
from windrow.pipelines.engines.engine import Engine, packed
from windrow.pipelines.ledger import verdicts
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.tables.stream_tables import AuditVersions
from windrow.schemas.errors import Superseded
from windrow.schemas.tables import Table


@dataclass(frozen=True)
class Publication:
    """What publishing a day wrote, by table: versions, rows, and the digests of the day's statistics. `revisions`: rows
    of the results that replace an earlier one of their window; `had_rows`: whether the day had any before."""

    versions: dict[str, int]
    rows: dict[str, int]
    digests: dict[str, str]
    revisions: int
    had_rows: bool


def publish(
    lake: Lake, engine: Engine, tables: QueryTables, days: Sequence[date], versions: AuditVersions
) -> dict[date, Publication | Superseded]:
    """Replace the days of `<query>_late` and then of `<query>` by the rows of the checked audit versions. A day is
    Superseded, and stays as it is, where rows of it that were made from a newer snapshot have passed the gate, or later
    rows of the same one. Those that failed there publish nothing themselves, and so keep no other batch from it. Where
    windows depend on their key's other events no day is published behind one that is superseded."""
    with lake.locked(f"{tables.query.name}.publish"):
        newest = verdicts.newest_passed(lake, tables, days)
        newer = {day: each for day, each in newest.items() if each[:2] > (versions.snapshot, versions.audit)}
        wanted = [day for day in days if day not in newer]
        if newer and tables.state is not None:
            wanted = [day for day in wanted if day < min(newer)]
        found: dict[date, Publication | Superseded] = {
            day: _superseded(tables, day, versions, each) for day, each in newer.items()
        }
        if not wanted:
            return found
        for table in (tables.late, tables.results):
            lake.ensure(table)
        had_rows = lake.partition_dates(tables.late.name) | lake.partition_dates(tables.results.name)
        late = _replace_days(lake, engine, (tables.late_audit, versions.late_audit), tables.late, wanted)
        results = _replace_days(lake, engine, (tables.audit, versions.audit), tables.results, wanted)
    written = {tables.late.name: late, tables.results.name: results}
    revisions = _revisions(lake, tables.results, wanted, results)
    statistics = {name: by_day(lake, name, version) for name, version in written.items()}
    for day in wanted:
        of_day = {name: of_table.get(day, NO_ROWS) for name, of_table in statistics.items()}
        rows, digests = ({name: getattr(each, what) for name, each in of_day.items()} for what in ("rows", "digest"))
        found[day] = Publication(written, rows, digests, revisions[day], day in had_rows)
    return found


def _revisions(lake: Lake, results: Table, days: Sequence[date], version: int) -> Counter[date]:
    """O(rows of the days), a column of them."""
    (partition,) = results.partition_by
    asked = pc.field(partition).isin(days) & (pc.field("revision") > 0)
    found = lake.dataset(results.name, version).to_table(columns=[partition], filter=asked)[partition]
    return Counter({each["values"]: each["counts"] for each in found.value_counts().to_pylist()})


def _superseded(tables: QueryTables, day: date, versions: AuditVersions, newest: verdicts.Passed) -> Superseded:
    audited = f"version {versions.audit} of {tables.audit.name} for {day}"
    made = "from the files of a newer ingest" if newest.snapshot > versions.snapshot else "later"
    # Not that run's own publication: killed in the same process as its audit, it has no row to go on from.
    command = f"windrow replay {tables.query.name} --day {day}"
    return Superseded(audited, f"version {newest.version}, made {made}", newest.run_id, command)


def _replace_days(lake: Lake, engine: Engine, source: tuple[Table, int], target: Table, days: Sequence[date]) -> int:
    """The version written."""
    (partition,), (table, version) = target.partition_by, source
    found = files_by_day(lake, table.name, version, {*days}.__contains__)
    sizes = {(day, file.path): file.file_bytes for day, of_day in found.items() for file in of_day}
    shares = packed(sizes, engine.slots, lake.config.task_bytes) if sizes else []
    written = engine.each(partial(copy_share, lake, target, partition), shares)
    return replace_partitions(lake, target, partition, days, [file for of_share in written for file in of_share])


def copy_share(lake: Lake, target: Table, partition: str, files: Sequence[tuple[date, str]]) -> list[NewFile]:
    """Copies of some files of days for another table."""
    return [copied(lake, target, {partition: day}, path) for day, path in files]
