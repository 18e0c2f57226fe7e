"""The local engine: each share of work in this process, one after the other; rows are mapped on all cores."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from pipelines.config import Config
from pipelines.engines.engine import Executors, Found, Gathering, GroupWork, MappedFiles, RowMap, Share
from pipelines.engines.local import workers
from pipelines.engines.local.relations import DuckdbRelations
from pipelines.engines.ranges import RowsOfFiles, read_rows
from pipelines.rows import databases

ROWS_PER_COMMIT = 1_000_000


@dataclass(frozen=True)
class LocalEngine:
    """How rows move without a JVM."""

    config: Config
    slots: int = 1
    expected_slots: int = 1
    expected_executors: int = 1
    page: None = None

    @property
    def rows_per_commit(self) -> int:
        """delta-rs keeps a file open for each day and bucket until its commit, half a GiB for a million rows."""
        return ROWS_PER_COMMIT

    def reporting(self, show: Callable[[str], None]) -> AbstractContextManager[None]:
        """Nothing: stages say all that there is."""
        return nullcontext()

    @property
    def executors(self) -> Executors:
        """This process, with all cores of the machine."""
        return Executors(1, self.config.cores)

    def each(self, work: Callable[[Share], Found], shares: Sequence[Share], cores: int | None = None) -> list[Found]:
        """O(shares), one after the other."""
        return [work(share) for share in shares]

    def each_group(
        self, work: GroupWork[Found], rows: RowsOfFiles, gathering: Gathering, cores: int | None = None
    ) -> list[Found]:
        """All keys at once, pane after pane."""
        panes = gathering.panes
        ranges = [panes.pane(number) for number in range(panes.total)] if rows.files else []
        within = ({} if pane.is_everything else {"start": pane.widened(*panes.halo_us)} for pane in ranges)
        return [work(read_rows(rows._replace(within=each)), pane) for each, pane in zip(within, ranges, strict=True)]

    def map_rows(self, work: RowMap, files: Sequence[str], rows: int, folder: Path) -> MappedFiles:
        """With a process per core, as far as there are rows for it."""
        useful = rows // self.config.lines_per_worker
        paths = workers.map_all(workers.Mapping(work, tuple(files), folder), max(1, min(self.config.cores, useful)))
        return MappedFiles(tuple(paths), work.schema)

    @contextmanager
    def relations(self, folder: Path) -> Iterator[DuckdbRelations]:
        """A database in memory that spills."""
        with databases.open_database(folder / "spilled", self.config.lake) as database:
            yield DuckdbRelations(database, folder, self.rows_per_commit)


made = LocalEngine
