"""The local engine: each share of work in this process, one after the other; rows are mapped on all cores."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pipelines.engines.engine import Engine, Found, Gathering, GroupWork
from pipelines.engines.local import workers
from pipelines.engines.local.relations import DuckdbRelations
from pipelines.engines.ranges import RowsOfFiles, read_rows
from pipelines.engines.row_maps import MappedFiles, RowMap
from pipelines.location import Location
from pipelines.rows import databases


class LocalEngine(Engine):
    """How rows move without a JVM."""

    # delta-rs keeps a file open for each day and bucket until its commit, half a GiB for a million rows.
    rows_per_commit = 1_000_000

    def each_group(self, work: GroupWork[Found], rows: RowsOfFiles, gathering: Gathering) -> list[Found]:
        """All keys at once, pane after pane."""
        panes = gathering.panes
        ranges = [panes.pane(number) for number in range(panes.total)] if rows.files else []
        within = ({} if pane.is_everything else {"start": pane.widened(*panes.halo_us)} for pane in ranges)
        return [work(read_rows(rows._replace(within=each)), pane) for each, pane in zip(within, ranges, strict=True)]

    def map_rows(self, work: RowMap, files: Sequence[str], rows: int, folder: Location) -> MappedFiles:
        """With a process per core, as far as there are rows for it."""
        useful = max(1, min(self.config.cores, rows // self.config.lines_per_worker))
        paths = workers.map_all(workers.Mapping(work, tuple(files), _of_this_machine(folder)), useful)
        return MappedFiles(tuple(paths), work.schema)

    @contextmanager
    def relations(self, folder: Location) -> Iterator[DuckdbRelations]:
        """A database in memory that spills."""
        here = _of_this_machine(folder)
        with databases.open_database(here / "spilled", self.config.lake) as database:
            yield DuckdbRelations(database, here, self.rows_per_commit)


def _of_this_machine(folder: Location) -> Path:
    assert isinstance(folder, Path), "what is on its way to the lake lies on this machine"
    return folder


made = LocalEngine
