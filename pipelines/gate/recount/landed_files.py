"""What the checks of files look at, at the versions of one snapshot: the files of an ingest."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa

from pipelines.delta.file_commits import MOST_PATHS
from pipelines.delta.lake import Lake
from pipelines.engines.engine import Engine, Relations
from pipelines.tables.snapshot import Snapshot
from pipelines.tables.stream_tables import StreamTables


@dataclass(frozen=True)
class LandedFiles:
    """Some landed files: `files`, `silver` and `quarantine` of them are names in `relations`; silver's version."""

    relations: Relations
    tables: StreamTables
    version: int

    def one(self, statement: str) -> tuple:
        """The only row of a statement."""
        (row,) = self.relations.rows(statement)
        return row


@contextmanager
def open_files(
    lake: Lake, engine: Engine, tables: StreamTables, snapshot: Snapshot, paths: Collection[str] | None = None
) -> Iterator[LandedFiles]:
    """Open the rows of some landed files, by default of all. O(rows of table files that may hold some of theirs)."""
    with engine.relations(lake.config.scratch) as relations:
        if paths is not None:
            relations.add_rows("asked", pa.table({"path": pa.array(sorted(paths), pa.string())}))
        few = None if paths is None or len(paths) > MOST_PATHS else [("path", "in", sorted(paths))]
        wanted = "" if paths is None else "WHERE path IN (SELECT path FROM asked)"
        for view, table in (("files", tables.files), ("silver", tables.silver), ("quarantine", tables.quarantine)):
            # Among no values delta-rs finds every file.
            none = paths is not None and not paths
            files = [] if none else lake.files(table.name, snapshot.version(table.name), few)
            relations.add_files(f"all_{view}", lake, table, files)
            relations.define(view, f"SELECT * FROM all_{view} {wanted}")
        yield LandedFiles(relations, tables, snapshot.version(tables.silver.name))
