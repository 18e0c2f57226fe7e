"""Commits of files that are written already (new_files.py), under the table's lock: one version of the table that has
the new files, and no longer those that they replace. The log is delta-rs's, whichever engine wrote the files.
"""

import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import quote

from deltalake import Schema
from deltalake.transaction import AddAction, RemoveAction

from windrow.pipelines import storage
from windrow.pipelines.delta import locks
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.log import CommitNote, version_made
from windrow.pipelines.delta.new_files import NewFile
from windrow.schemas.errors import StorageFailed
from windrow.schemas.tables import Table

Filters = list[tuple]
# Of more paths than these each file of a table holds some: there is nothing to leave out.
MOST_PATHS = 1_000


@dataclass(frozen=True)
class FileCommit:
    """A table that is about to be committed to; its lock is held."""

    lake: Lake
    table: Table
    lock: locks.Lock

    def files(self, filters: Filters | None = None) -> list[str]:
        """Files of the newest version, below the table's folder, that may hold such rows."""
        folder = self.lake.folder(self.table.name)
        return [path.removeprefix(f"{folder}/") for path in self.lake.files(self.table.name, filters=filters)]

    def replace_all(self, added: Sequence[NewFile]) -> int:
        """Take all files out and others in, of the table's definition of now, in one commit; returns its version."""
        folder, note = self.lake.folder(self.table.name), CommitNote(self.lake.of_run)
        opened, schema = storage.delta_table(folder), Schema.from_arrow(self.lake.schema(self.table))
        self.lock.require_held()
        opened.create_write_transaction(
            _added(added), "overwrite", schema, list(self.table.partition_by), commit_properties=note.properties
        )
        return version_made(folder, note, self.table)

    def replace(self, removed: Collection[str], added: Sequence[NewFile]) -> int:
        """Take these files out and others in; returns the version that this commit made."""
        folder, note = self.lake.folder(self.table.name), CommitNote(self.lake.of_run)
        opened, now_ms = storage.delta_table(folder), int(time.time() * 1000)
        actions: list[AddAction | RemoveAction] = [RemoveAction(_address(path), True, now_ms) for path in removed]
        actions += _added(added)
        self.lock.require_held()
        opened.create_write_transaction(
            actions, "append", opened.schema(), list(self.table.partition_by), commit_properties=note.properties
        )
        return version_made(folder, note, self.table)


def _added(files: Sequence[NewFile]) -> list[AddAction | RemoveAction]:
    now_ms = int(time.time() * 1000)
    return [
        AddAction(_address(each.path), each.file_bytes, dict(each.partition), now_ms, True, each.statistics)
        for each in files
    ]


@contextmanager
def committing(lake: Lake, table: Table) -> Iterator[FileCommit]:
    """Hold the table's lock. StorageFailed without room, or the right to write."""
    with lake.locked(table.name) as lock, locks.full_disk_reported(lake.config, table.name):
        locks.require_rights(lake.config, table.name)
        yield FileCommit(lake, table, lock)


def replace_partitions(lake: Lake, table: Table, column: str, values: Collection, added: Sequence[NewFile]) -> int:
    """Replace all rows whose partition has one of these values, in one commit, also where no rows come; returns its
    version. StorageFailed for a new file of another partition."""
    texts = sorted({str(value) for value in values})
    if outside := [each.path for each in added if each.partition[column] not in texts]:
        raise StorageFailed(f"{outside[0]} of table {table.name!r} is not of the days that are replaced: {texts}")
    with committing(lake, table) as commit:
        # Among no values delta-rs finds every file.
        removed = commit.files([(column, "in", texts)]) if texts else []
        return commit.replace(removed, added)


def replace_table(lake: Lake, table: Table, added: Sequence[NewFile]) -> int:
    """Replace all rows, and the columns where the table had others, in one commit; returns its version."""
    with committing(lake, table) as commit:
        return commit.replace_all(added)


def append_files(lake: Lake, table: Table, added: Sequence[NewFile]) -> int:
    """Add rows, in one commit; returns its version."""
    with committing(lake, table) as commit:
        return commit.replace((), added)


def replace_paths(
    lake: Lake,
    table: Table,
    paths: Collection[str],
    added: Sequence[NewFile],
    rewritten: Callable[[Sequence[str]], Sequence[NewFile]],
) -> int:
    """Replace all rows of these landed files, in one commit; returns its version. `rewritten` writes the files that may
    hold some of them anew, without these."""
    with committing(lake, table) as commit:
        few = [("path", "in", sorted(paths))] if len(paths) <= MOST_PATHS else None
        removed = commit.files(few) if paths else []
        return commit.replace(removed, [*rewritten(removed), *added])


def _address(path: str) -> str:
    # The log has addresses, in which a % of a path stands encoded.
    return quote(path, safe="/=-_.~:+")
