"""Keeps one table in shape: few files, no files that nobody needs, a short log.

What is kept goes by when a version was replaced, not by how old its files and its commit are, and only maintenance
takes anything away: Delta's writers would shorten a log by the age of its commits, those of a version that was replaced
a minute ago too (`contract.PROPERTIES`), and their checkpoints forget after a week which files were removed when.
"""

import time
from collections.abc import Collection
from dataclasses import dataclass
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
    with lake.locked(name) as lock:
        lake.existing_version(name)  # damage that delta-rs passes over would end as files that nobody seems to need
        work = _Work(lake, name, storage.delta_table(lake.folder(name)), keep)
        before = work.file_count
        if not dry_run:
            lock.require_held()
            work.set_properties()
            work.table.optimize.compact(commit_properties=work.note)
        kept = work.kept_versions(versions)
        lock.require_held()
        removed, freed_bytes = work.vacuum(kept, dry_run)
        if not dry_run:
            work.shorten_log(min(kept))
        return Maintained(name, before, work.file_count, removed, freed_bytes, work.table.version())


@dataclass(frozen=True)
class _Work:
    """A table that is maintained, and how long what was replaced is kept."""

    lake: Lake
    name: str
    table: DeltaTable
    keep: timedelta

    @property
    def folder(self) -> Location:
        return self.lake.folder(self.name)

    @property
    def note(self) -> CommitProperties:
        return CommitNote(self.lake.of_run).properties

    @property
    def file_count(self) -> int:
        return len(self.table.file_uris())

    def kept_versions(self, needed: Collection[int]) -> set[int]:
        """Those that were replaced less than `keep` ago, the newest, and what is needed and still there."""
        recent = current_since(commit_times(self.folder), time.time() - self.keep.total_seconds())
        return {*recent, *(version for version in needed if self._opens(version))}

    def _opens(self, version: int) -> bool:
        try:
            storage.delta_table(self.folder, version)
        except DeltaError:  # its log went before anybody needed it
            return False
        return True

    def set_properties(self) -> None:
        """What other tools go by that vacuum the table or shorten its log; a commit where they aren't so yet."""
        days = {
            "delta.deletedFileRetentionDuration": max(self.keep, _REMOVED_KNOWN) // _DAY,
            "delta.logRetentionDuration": (self.keep + _LOG_KEPT) // _DAY,
        }
        asked = contract.PROPERTIES | {name: f"interval {count} days" for name, count in days.items()}
        if not asked.items() <= self.table.metadata().configuration.items():
            self.table.alter.set_table_properties(asked, commit_properties=self.note)

    def vacuum(self, kept: Collection[int], dry_run: bool) -> tuple[int, int]:
        """Files that went, or would go, and their bytes."""
        vacuum = partial(
            self.table.vacuum,
            enforce_retention_duration=False,
            commit_properties=self.note,
            # By name, at 11 ms a version: when a file was removed a checkpoint may have forgotten.
            keep_versions=sorted(kept),
        )
        named = partial(vacuum, retention_hours=self.keep // _HOUR, full=False)
        every = partial(vacuum, retention_hours=max(self.keep, _WRITTEN_BEFORE_COMMIT) // _HOUR, full=True)
        ways = [named, every] if self.keep < _WRITTEN_BEFORE_COMMIT else [every]
        # The log also names files that went before.
        gone = {path for way in ways for path in way(dry_run=True) if (self.folder / path).exists()}
        freed_bytes = sum((self.folder / path).stat().st_size for path in gone)
        for way in ways if gone and not dry_run else ():
            way(dry_run=False)
        return len(gone), freed_bytes

    def shorten_log(self, oldest: int) -> None:
        """Write a checkpoint, and remove commits of longer ago than anybody needs."""
        self.table.create_checkpoint()
        # Delta removes by age alone; where the oldest version that is kept is older, the table hardly changes.
        if commit_times(self.folder).get(oldest, 0.0) > time.time() - (self.keep + _LOG_KEPT).total_seconds():
            self.table.cleanup_metadata()
