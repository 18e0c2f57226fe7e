"""Keeps one table in shape: few files, no files that nobody needs, a short log."""

from collections.abc import Collection
from datetime import timedelta
from functools import partial
from typing import NamedTuple

from deltalake import DeltaTable

from pipelines.lake.commits import CommitNote
from pipelines.lake.lake import Lake

_HOUR = timedelta(hours=1)


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
    """Compact its small files, remove what no version holds that is younger than `keep` or among `versions`, and write
    a checkpoint. Under the table's lock; O(files), and the rows of files that are compacted."""
    with lake.locked(name):
        table = DeltaTable(lake.folder(name))
        before = len(table.file_uris())
        note = CommitNote(lake.of_run).properties
        if not dry_run:
            table.optimize.compact(commit_properties=note)
        removed, freed_bytes = _vacuum(lake, table, name, keep, versions, dry_run)
        if not dry_run:
            table.create_checkpoint()
            table.cleanup_metadata()
        return Maintained(name, before, len(table.file_uris()), removed, freed_bytes, table.version())


def _vacuum(
    lake: Lake, table: DeltaTable, name: str, keep: timedelta, versions: Collection[int], dry_run: bool
) -> tuple[int, int]:
    """Files that went, or would go, and their bytes."""
    vacuum = partial(
        table.vacuum,
        retention_hours=keep // _HOUR,
        enforce_retention_duration=False,
        commit_properties=CommitNote(lake.of_run).properties,
        full=True,
        keep_versions=sorted({*versions, table.version()}),
    )
    # The log also names files that went before.
    files = [path for path in (lake.folder(name) / each for each in vacuum(dry_run=True)) if path.exists()]
    freed_bytes = sum(path.stat().st_size for path in files)
    if files and not dry_run:
        vacuum(dry_run=False)
    return len(files), freed_bytes
