"""Maintenance: every table of the lake keeps few files, and nothing that no reader and no run needs any more.

A run needs the snapshot that its ingest left, and the audit rows that it publishes. So what was replaced is kept for
some days; the newest snapshot of each stream, and audit rows that were not published, are kept for as long as they are
that. The audit rows of a day that was published longer ago are taken out: the published tables have them.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

from pipelines.config import Config
from pipelines.lake.lake import Lake
from pipelines.lake.maintenance import Maintained, maintain_table
from pipelines.lake.query_tables import QueryTables
from pipelines.ledger import runs, snapshots
from pipelines.ledger.runs import StepRow
from schemas import registry
from schemas.errors import IngestBehind, NotSetUp
from schemas.tables import Table

Progress = Callable[[str], None]


def maintain(config: Config, keep: timedelta, dry_run: bool, progress: Progress) -> list[Maintained]:
    """Maintain every table; `progress` gets the name of each as it begins. Returns what was done, by table.

    Waits for whoever commits to a table, and for no run: those read what is kept.
    """
    lake = Lake(config).committing(run_id=runs.new_run_id("maintenance", None))
    needed = _needed_versions(lake)
    if not dry_run:
        _drop_published_audit_rows(lake, datetime.now(UTC) - keep)
    done = []
    for name in lake.names():
        progress(name)
        done.append(maintain_table(lake, name, keep, needed.get(name, ()), dry_run))
    return done


def _needed_versions(lake: Lake) -> dict[str, list[int]]:
    """By table, the versions that the newest snapshot of each stream has."""
    needed: dict[str, list[int]] = {}
    for stream in registry.streams():
        try:
            newest = snapshots.newest(lake, stream)
        except (NotSetUp, IngestBehind):
            continue  # nothing that a run could read
        for name, state in newest.tables.items():
            needed.setdefault(name, []).append(state.version)
    return needed


def _drop_published_audit_rows(lake: Lake, before: datetime) -> None:
    published: dict[str, dict[date, StepRow]] = {}
    for row in runs.rows(lake, [("step", "=", "publish"), ("state", "=", "done")]):
        query, day = row.replayed
        published.setdefault(query, {})[day] = row
    for query in published.keys() & registry.queries().keys():
        tables = QueryTables.of(registry.query(query))
        old = {day for day, row in published[query].items() if row.at < before}
        for table in (tables.audit, tables.late_audit):
            _drop_days(lake, table, old)


def _drop_days(lake: Lake, table: Table, days: set[date]) -> None:
    if lake.version(table.name) is None:
        return
    held = sorted(days & lake.partition_dates(table.name))
    if held:
        lake.replace(table, {table.partition_by[0]: held}, [])
