"""Maintenance: every table of the lake keeps few files, and nothing that no reader and no run needs any more.

A run needs the snapshot that its ingest left, and the audit rows that it publishes; an ingest that was cut off may need
what bronze held before it. So what was replaced is kept for some days; the newest snapshot of each stream, audit rows
that wait for their publication with what they were made from, and what an unfinished ingest began with are kept for as
long as they are that. The audit rows of a day that was published longer ago are taken out: the published tables have
them.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, date, datetime, timedelta

from pipelines.config import Config
from pipelines.delta.lake import Lake
from pipelines.ingest.files import known_files
from pipelines.ledger import run_table, snapshots
from pipelines.ledger.run_table import Audits, audits
from pipelines.tables.query_tables import QueryTables
from pipelines.tables.stream_tables import StreamTables
from pipelines.upkeep.table_maintenance import Maintained, maintain_table
from schemas import registry
from schemas.errors import IngestBehind, NotSetUp
from schemas.state_table import state_name
from schemas.tables import Table

Progress = Callable[[str], None]


def maintain(config: Config, keep: timedelta, dry_run: bool, progress: Progress) -> list[Maintained]:
    """Maintain every table; `progress` gets the name of each as it begins. Returns what was done, by table.

    Waits for whoever commits to a table, before it looks at bronze for the stream's ingest, and for no run: those read
    what is kept.
    """
    lake = Lake(config).committing(run_id=run_table.new_run_id("maintenance", None))
    found = audits(lake)
    needed = _needed_versions(lake, found)
    if not dry_run:
        _drop_published_audit_rows(lake, found, datetime.now(UTC) - keep)
    bronze = {f"bronze_{stream}": stream for stream in registry.streams()}
    done = []
    for name in sorted(lake.names(), key=lambda name: (name in bronze, name)):  # last: an ingest may take long
        progress(name)
        with _no_ingest(lake, bronze.get(name)):
            versions = needed[name] | (_versions_before(lake, bronze[name]) if name in bronze else set())
            done.append(maintain_table(lake, name, keep, versions, dry_run))
    return sorted(done)


def _no_ingest(lake: Lake, stream: str | None) -> AbstractContextManager[object]:
    # One that begins notes first which version of bronze it would have to go back to.
    return nullcontext() if stream is None else lake.ingest_locked(stream)


def _versions_before(lake: Lake, stream: str) -> set[int]:
    """The versions of bronze that have what unfinished files delivered before."""
    rows = known_files(lake, StreamTables.of(registry.stream(stream)).files).values()
    return {before[1] for row in rows if (before := row.row_before()) is not None}


def _needed_versions(lake: Lake, found: Audits) -> dict[str, set[int]]:
    """By table, the versions that runs read which may still come."""
    needed: dict[str, set[int]] = defaultdict(set)
    for name, version in (*_newest_snapshots(lake), *_waiting(found), *_states(lake, found)):
        needed[name].add(version)
    return needed


def _newest_snapshots(lake: Lake) -> Iterator[tuple[str, int]]:
    """Tables and their versions in the newest snapshot of each stream."""
    for stream in registry.streams():
        try:
            newest = snapshots.newest(lake, stream)
        except (NotSetUp, IngestBehind):
            continue  # nothing that a run could read
        yield from ((name, state.version) for name, state in newest.tables.items())


def _waiting(found: Audits) -> Iterator[tuple[str, int]]:
    """Tables and versions that audits wrote and read whose publication may still come."""
    for (query, _), row in found.waiting.items():
        if query in registry.queries():
            tables, versions = QueryTables.of(registry.query(query)), row.versions
            yield tables.audit.name, versions.audit
            yield tables.late_audit.name, versions.late_audit
            yield tables.source.silver.name, versions.silver
            yield tables.source.passes.name, versions.passes
            if versions.state is not None:
                yield state_name(query), versions.state


def _states(lake: Lake, found: Audits) -> Iterator[tuple[str, int]]:
    """Tables and versions of what days have left, where an audit of a day has left more, which perhaps nobody will
    publish: the next day goes on from what was published."""
    for (query, day), audited in found.waiting.items():
        if audited.outputs.get("state") is not None and (published := run_table.latest(lake, query, day, "publish")):
            yield state_name(query), published.inputs["state"]


def _drop_published_audit_rows(lake: Lake, found: Audits, before: datetime) -> None:
    old: dict[str, set[date]] = defaultdict(set)
    for (query, day), at in found.settled_at.items():
        if at < before:
            old[query].add(day)
    for query in old.keys() & registry.queries().keys():
        tables = QueryTables.of(registry.query(query))
        for table in (tables.audit, tables.late_audit):
            _drop_days(lake, table, old[query])


def _drop_days(lake: Lake, table: Table, days: set[date]) -> None:
    if lake.version(table.name) is None:
        return
    held = sorted(days & lake.partition_dates(table.name))
    if held:
        lake.replace(table, {table.partition_by[0]: held}, [])
