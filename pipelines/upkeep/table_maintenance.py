"""Keeps one table in shape: few files, no files that nobody needs, a short log.

What is kept goes by when a version was replaced, not by how old its files and its commit are, and only maintenance
takes anything away: Delta's writers would shorten a log by the age of its commits, those of a version that was replaced
a minute ago too (`contract.PROPERTIES`), and their checkpoints forget after a week which files were removed when.
"""

import time
from collections.abc import Callable, Collection
from datetime import timedelta
from functools import partial
from typing import NamedTuple

from deltalake import CommitProperties, DeltaTable
from deltalake.exceptions import DeltaError

from pipelines import storage
from pipelines.delta import contract
from pipelines.delta.commits import CommitNote
from pipelines.delta.lake import Lake
from pipelines.delta.log import commit_times, current_since
from pipelines.location import Location

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


def maintain_table(lake: Lake, name: str, keep: timedelta, versions: Collection[int], dry_run: bool) -> Maintained:
    """Compact its small files, remove what no version holds that was replaced less than `keep` ago or is among
    `versions`, and shorten its log. Under the table's lock; O(files and commits), and the rows of files that are
    compacted."""
    folder, note = lake.folder(name), CommitNote(lake.of_run).properties
    with lake.locked(name) as lock:
        lake.existing_version(name)  # damage that delta-rs passes over would end as files that nobody seems to need
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
            _shorten_log(table, folder, keep, kept[0])
        return Maintained(name, files_before, len(table.file_uris()), removed, freed_bytes, table.version())


def _opens(folder: Location, version: int) -> bool:
    try:
        storage.delta_table(folder, version)
    except DeltaError:  # its log went before anybody needed it
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


def _shorten_log(table: DeltaTable, folder: Location, keep: timedelta, oldest: int) -> None:
    """Write a checkpoint, and remove commits of longer ago than anybody needs."""
    table.create_checkpoint()
    # Delta removes by age alone; where the oldest version that is kept is older, the table hardly changes.
    if commit_times(folder).get(oldest, 0.0) > time.time() - (keep + _LOG_KEPT).total_seconds():
        table.cleanup_metadata()
