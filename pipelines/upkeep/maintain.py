"""Maintenance: every table of the lake keeps few files, and nothing that no reader and no run needs any more.

A run needs the snapshot that its ingest left, and the audit rows that it publishes; an ingest that was cut off may need
what bronze held before it. So what was replaced is kept for some days; the newest snapshot of each stream, audit rows
that wait for their publication with what they were made from, and what an unfinished ingest began with are kept for as
long as they are that. The audit rows of a day that was published longer ago are taken out: the published tables have
them.

What is kept goes by when a version was replaced, not by how old its files and its commit are, and only maintenance
takes anything away: Delta's writers would shorten a log by the age of its commits, those of a version that was replaced
a minute ago too (`contract.PROPERTIES`), and their checkpoints forget after a week which files were removed when.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator
from contextlib import nullcontext
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import NamedTuple

from deltalake import CommitProperties, DeltaTable
from deltalake.exceptions import DeltaError

from windrow.pipelines import storage
from windrow.pipelines.config import Config
from windrow.pipelines.delta import contract
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.log import CommitNote, commit_times, current_since
from windrow.pipelines.ingest.files import known_files
from windrow.pipelines.ledger import run_table, snapshots
from windrow.pipelines.ledger.run_table import StepRow, audits
from windrow.pipelines.location import Location
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas import registry
from windrow.schemas.errors import IngestBehind, NotSetUp
from windrow.schemas.side_tables import state_name

Progress = Callable[[str], None]
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
# Delta's own: how long checkpoints know of removed files, and how long commits stay in the log; these the longer, by as
# much as versions are kept: the oldest version was made some time before it was replaced.
_REMOVED_KNOWN, _LOG_KEPT = timedelta(days=7), timedelta(days=30)
# A file that no commit names may be of a run that is about to commit it.
_WRITTEN_BEFORE_COMMIT = _DAY


class Maintained(NamedTuple):
    """What was done to a table. `removed_files` are those that no version holds which is kept; of a table that is only
    looked at, those that would go."""

    table: str
    files_before: int
    files_after: int
    removed_files: int
    freed_bytes: int
    version: int


def maintain(config: Config, keep: timedelta, dry_run: bool, progress: Progress) -> list[Maintained]:
    """Maintain every table; `progress` gets the name of each as it begins. Returns what was done, by table. Waits for
    a writer that commits to a table, before it looks at bronze for the stream's ingest, and for no run: those read what
    is kept."""
    lake = Lake(config).committing(run_id=run_table.new_run_id("maintenance", None))
    found = audits(lake)
    needed: dict[str, set[int]] = defaultdict(set)  # by table, the versions that runs read which may still come
    waiting = [row for row, settled_at in found if settled_at is None]
    for name, version in (*_newest_snapshots(lake), *_waiting(lake, waiting)):
        needed[name].add(version)
    if not dry_run:
        before = datetime.now(UTC) - keep
        _drop_audit_rows(lake, [row for row, settled_at in found if settled_at is not None and settled_at < before])
    bronze = {f"bronze_{stream}": stream for stream in registry.streams()}
    done = []
    for name in sorted(lake.names(), key=lambda name: (name in bronze, name)):  # last: an ingest may take long
        progress(name)
        # An ingest that begins notes first which version of bronze it would have to go back to.
        with lake.ingest_locked(bronze[name]) if name in bronze else nullcontext():
            versions = needed[name] | (_versions_before(lake, bronze[name]) if name in bronze else set())
            done.append(maintain_table(lake, name, keep, versions, dry_run))
    return sorted(done)


def _versions_before(lake: Lake, stream: str) -> set[int]:
    """The versions of bronze that have what unfinished files delivered before."""
    rows = known_files(lake, StreamTables.of(registry.stream(stream)).files).values()
    return {before[1] for row in rows if (before := row.row_before()) is not None}


def _newest_snapshots(lake: Lake) -> Iterator[tuple[str, int]]:
    """Tables and their versions in the newest snapshot of each stream."""
    for stream in registry.streams():
        try:
            newest = snapshots.newest(lake, stream)
        except (NotSetUp, IngestBehind):
            continue  # nothing that a run could read
        yield from ((name, state.version) for name, state in newest.tables.items())


def _waiting(lake: Lake, audited: list[StepRow]) -> Iterator[tuple[str, int]]:
    """Tables and versions that audits wrote and read whose publication may still come. Perhaps no run will publish
    them: the next day goes on from what the published day has left."""
    for row in audited:
        (query, day), has_state = row.replayed, row.outputs.get("state") is not None
        if has_state and (published := run_table.latest(lake, query, day, "publish")):
            yield state_name(query), published.inputs["state"]
        if query in registry.queries():
            tables, versions = QueryTables.of(registry.query(query)), row.versions
            yield tables.audit.name, versions.audit
            yield tables.late_audit.name, versions.late_audit
            yield tables.source.silver.name, versions.silver
            yield tables.source.passes.name, versions.passes
            if versions.state is not None:
                yield state_name(query), versions.state


def _drop_audit_rows(lake: Lake, audited: list[StepRow]) -> None:
    old: dict[str, set[date]] = defaultdict(set)
    for query, day in (row.replayed for row in audited):
        old[query].add(day)
    for query in old.keys() & registry.queries().keys():
        tables = QueryTables.of(registry.query(query))
        for table in (tables.audit, tables.late_audit):
            if held := sorted(old[query] & lake.partition_dates(table.name)):
                lake.replace(table, {table.partition_by[0]: held}, [])


def maintain_table(lake: Lake, name: str, keep: timedelta, versions: Collection[int], dry_run: bool) -> Maintained:
    """Compact its small files, remove what no version holds that was replaced less than `keep` ago or is among
    `versions`, and shorten its log. Under the table's lock; O(files and commits), and the rows of files that are
    compacted."""
    folder, note = lake.folder(name), CommitNote(lake.of_run).properties
    with lake.locked(name) as lock:
        lake.existing_version(name)  # damage that delta-rs passes over would end as files that seem to be of no use
        table = storage.delta_table(folder)
        files_before = len(table.file_uris())
        if not dry_run:
            lock.require_held()
            _set_properties(table, keep, note)
            table.optimize.compact(commit_properties=note)
        recent = current_since(commit_times(folder), time.time() - keep.total_seconds())
        kept = sorted({*recent, *(version for version in versions if _opens(folder, version))})
        lock.require_held()
        # By name, at 11 ms a version: when a file was removed a checkpoint may have forgotten.
        vacuum = partial(table.vacuum, enforce_retention_duration=False, commit_properties=note, keep_versions=kept)
        removed, freed_bytes = _vacuum(folder, vacuum, keep, dry_run)
        if not dry_run:
            # Write a checkpoint, and remove commits that no reader and no run needs
            table.create_checkpoint()
            # Delta removes by age alone; where the oldest version that is kept is older, the table hardly changes.
            if commit_times(folder).get(kept[0], 0.0) > time.time() - (keep + _LOG_KEPT).total_seconds():
                table.cleanup_metadata()
        return Maintained(name, files_before, len(table.file_uris()), removed, freed_bytes, table.version())


def shorten_to_newest(lake: Lake, name: str) -> None:
    """Keep of a table its newest version alone: no file of older ones, and of the log the checkpoint and what makes
    it. A run that reads an older version is told so."""
    maintain_table(lake, name, timedelta(0), (), False)
    folder, note = lake.folder(name), CommitNote(lake.of_run).properties
    with lake.locked(name) as lock:
        table, configuration = storage.delta_table(folder), {"delta.logRetentionDuration": "interval 0 days"}
        before = {each: table.metadata().configuration[each] for each in configuration}
        lock.require_held()
        table.alter.set_table_properties(configuration, commit_properties=note)
        table.create_checkpoint()
        table.cleanup_metadata()
        table.alter.set_table_properties(before, commit_properties=note)


def _opens(folder: Location, version: int) -> bool:
    try:
        storage.delta_table(folder, version)
    except DeltaError:  # its log went before this commit needed it
        return False
    return True


def _set_properties(table: DeltaTable, keep: timedelta, note: CommitProperties) -> None:
    """What other tools go by that vacuum the table or shorten its log; a commit where they aren't so yet."""
    days = {
        "delta.deletedFileRetentionDuration": max(keep, _REMOVED_KNOWN) // _DAY,
        "delta.logRetentionDuration": (keep + _LOG_KEPT) // _DAY,
    }
    asked = contract.PROPERTIES | {name: f"interval {count} days" for name, count in days.items()}
    if not asked.items() <= table.metadata().configuration.items():
        table.alter.set_table_properties(asked, commit_properties=note)


def _vacuum(folder: Location, vacuum: Callable[..., list[str]], keep: timedelta, dry_run: bool) -> tuple[int, int]:
    """Files that went, or would go, and their bytes."""
    named = partial(vacuum, retention_hours=keep // _HOUR, full=False)
    every = partial(vacuum, retention_hours=max(keep, _WRITTEN_BEFORE_COMMIT) // _HOUR, full=True)
    ways = [named, every] if keep < _WRITTEN_BEFORE_COMMIT else [every]
    # The log also names files that went before.
    gone = {path for way in ways for path in way(dry_run=True) if (folder / path).exists()}
    freed_bytes = sum((folder / path).stat().st_size for path in gone)
    for way in ways if gone and not dry_run else ():
        way(dry_run=False)
    return len(gone), freed_bytes
