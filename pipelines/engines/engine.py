"""What an engine is: how rows move. What they mean is the stages' own, the same for every engine (pipelines/engines/).

A stage has its engine do some work on each share of files, which have a bounded size (`packed`, `each`), and answer
statements of SQL over tables and rows, and over what becomes of rows (`relations`). Files of tables are written where
the work is done, also anew without the rows of some landed files (`rewritten`), and named in commits by the driver
(file_commits.py).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import date
from functools import partial
from pathlib import PurePosixPath
from typing import NamedTuple, Protocol, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from windrow.pipelines import storage
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import NewFile, write_batches
from windrow.pipelines.engines.file_rows import Panes, Range, RowMap, RowsOfFiles
from windrow.pipelines.location import Location, at
from windrow.schemas.tables import Table

Item = TypeVar("Item", bound=Hashable)

# Less is not worth a task of its own.
LEAST_BYTES = 1 << 20
Share = TypeVar("Share")
Found = TypeVar("Found")
GroupWork = Callable[[pa.Table, Range], Found]


def limit_bytes(sizes: Iterable[int], slots: int, most_bytes: int) -> int:
    """How much a share had better have: at most so many bytes, and so few that there are as many shares as slots, where
    there is enough to do."""
    return min(most_bytes, max(LEAST_BYTES, -(-sum(sizes) // slots)))


def packed_within(sizes: Mapping[Item, int], limit: int) -> list[tuple[Item, ...]]:
    """Items in their order, in shares of at most so many bytes, or of one item. O(items)."""
    shares: list[list[Item]] = []
    filled = 0
    for item, size in sizes.items():
        if not shares or filled + size > limit:
            shares.append([])
            filled = 0
        shares[-1].append(item)
        filled += size
    return [tuple(share) for share in shares]


def packed(sizes: Mapping[Item, int], slots: int, most_bytes: int) -> list[tuple[Item, ...]]:
    """Items in shares for so many slots."""
    return packed_within(sizes, limit_bytes(sizes.values(), slots, most_bytes))


def file_sizes(paths: Sequence[str]) -> dict[str, int]:
    """Bytes by path."""
    return {path: storage.state(at(path)).file_bytes for path in paths}


class Gathering(NamedTuple):
    """How rows are brought together: those of a key, and where there are panes those of one pane of a key, with its
    halo; in so many tasks. cores: each has so many for itself, all of an executor."""

    key: tuple[str, ...]
    panes: Panes = Panes()
    tasks: int = 1
    cores: int | None = None


class Relations(Protocol):
    """Named rows, and statements over them, in the words that DuckDB and Spark both know: double quotes around names,
    times in UTC. A name that is given anew means the new rows from then on."""

    def add_files(self, view: str, lake: Lake, table: Table, files: Sequence[str]) -> None:
        """Name the rows of some of the table's Parquet files, its partition columns included."""

    def add_rows(self, view: str, rows: pa.Table) -> None:
        """Name rows that are here."""

    def map_files(self, view: str, work: RowMap, files: Sequence[str], rows: int) -> None:
        """Name what becomes of the rows of Parquet files, about so many."""

    def map_rows(self, view: str, work: RowMap, statement: str) -> None:
        """Name what becomes of the rows of a statement: lines of files, those of one file together and in order."""

    def define(self, view: str, statement: str) -> None:
        """Name what a statement finds, whenever it is asked for."""

    def keep(self, view: str, statement: str) -> None:
        """Name what a statement finds, once."""

    def rows(self, statement: str) -> list[tuple]:
        """The rows of a statement that finds few."""

    def write(self, lake: Lake, table: Table, statements: Sequence[str]) -> list[NewFile]:
        """Write what the statements find together into new files of the table, sorted as its files are."""


class Engine(ABC):
    """One of pipelines/engines/. As it stands here, work is done in this process, one share after the other."""

    def __init__(self, config: Config):
        self.config = config

    @property
    def slots(self) -> int:
        """How many shares are worked on at the same time."""
        return 1

    @property
    def expected_slots(self) -> int:
        """As many as there will be by its settings; nothing is started for the answer."""
        return 1

    @property
    def executors(self) -> tuple[int, int]:
        """How many processes there are that a farm's work can have whole, and the cores of each."""
        return 1, self.config.cores

    @property
    def expected_executors(self) -> int:
        """How many of them there will be by its settings; nothing is started for the answer."""
        return 1

    @property
    def page(self) -> str | None:
        """Addresses at which it shows what it does, or has done, in this process; None where there are none."""
        return None

    def reporting(self, show: Callable[[str], None]) -> AbstractContextManager[None]:
        """Show, as long as it lasts, how far long work is; nothing of what stages say themselves."""
        return nullcontext()

    def each(self, work: Callable[[Share], Found], shares: Sequence[Share], cores: int | None = None) -> list[Found]:
        """What some work finds on each share, in their order; shares and what is found can be pickled. cores: each has
        so many for itself, all of an executor. Errors of schemas/errors.py are raised as they are."""
        return [work(share) for share in shares]

    def share_out(self, work: Callable[[Sequence[Item]], Iterable[Found]], sizes: Mapping[Item, int]) -> list[Found]:
        """All that some work finds on shares of these items, in their order. sizes: bytes by item."""
        # Without items an engine isn't even started.
        shares = packed(sizes, self.slots, self.config.task_bytes) if sizes else []
        return [each for found in self.each(work, shares) for each in found]

    @abstractmethod
    def each_group(self, work: GroupWork[Found], rows: RowsOfFiles, gathering: Gathering) -> list[Found]:
        """What some work finds on rows that are brought together, and the pane that they were gathered for."""

    @abstractmethod
    def relations(self, folder: Location) -> AbstractContextManager[Relations]:
        """Relations that put into a folder what memory has no room for."""


def rewritten(lake: Lake, engine: Engine, table: Table, paths: Sequence[str], files: Sequence[str]) -> list[NewFile]:
    """What is left of these files of the table, which lie below its folder, in shares of the engine's."""
    sizes = {file: (lake.folder(table.name) / file).stat().st_size for file in files}
    return engine.share_out(partial(without_paths, lake, table, paths), sizes)


def without_paths(lake: Lake, table: Table, paths: Sequence[str], files: Sequence[str]) -> list[NewFile]:
    """What is left of each of these files, in its order. O(their rows)."""
    gone, types = pa.array(paths, pa.string()), {column.name: column.type for column in table.columns}
    found = []
    for file in files:
        # Its folders' names have the values.
        texts = dict(part.split("=", 1) for part in PurePosixPath(file).parts[:-1])
        partition: dict[str, object] = {
            name: date.fromisoformat(text) if types[name] == "date" else int(text) for name, text in texts.items()
        }
        with storage.parquet(lake.folder(table.name) / file) as rows:
            left = (batch.filter(pc.invert(pc.is_in(batch["path"], gone))) for batch in storage.batches(rows))
            found.append(write_batches(lake, table, partition, left))
    return [each for each in found if each is not None]
