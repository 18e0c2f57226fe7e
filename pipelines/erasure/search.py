"""Every file of the lake, and of what Windrow keeps beside it, read for a person's values.

    Parquet         each value of a text, and each text in binary; of a number each column of its name
    all others      their bytes, unpacked: logs of tables, validation results, pages, files of steps that run

A text is looked for in each of its spellings, wherever it is no part of a longer word or of a value of others. A number
would be found in every file, so that it is looked for in columns of its name, and in what a table's log says of these.
"""

import gzip
from collections.abc import Iterator
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as types

from windrow.pipelines import storage
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.erasure.person import Person, spellings
from windrow.pipelines.location import Location
from windrow.schemas import registry
from windrow.schemas.errors import StorageFailed
from windrow.schemas.tables import silver_table


class Trace(NamedTuple):
    """A file that still holds a value: in which column, None where a file has none."""

    file: str
    column: str | None


class Searched(NamedTuple):
    """How many files were read, of how many bytes, and which still hold a value."""

    files: int
    file_bytes: int
    found: list[Trace]


class Sought(NamedTuple):
    """Whose values; and those of others which hold one, each with the place of it in there: `Ann Lee`, of Ann."""

    person: Person
    of_others: list[tuple[str, int]]

    def is_in(self, text: str) -> bool:
        """Whether a text has a value that is not within one of others. O(text · values of others)."""
        places = (found.start() for found in self.person.trace.finditer(text))
        return any(not self._is_of_others(text, place) for place in places)

    def _is_of_others(self, text: str, place: int) -> bool:
        return any(place >= at and text.startswith(value, place - at) for value, at in self.of_others)


def search(config: Config, person: Person) -> Searched:
    """Read all. StorageFailed for a folder that can't be read. O(bytes)."""
    files = file_bytes = 0
    found: list[Trace] = []
    sought = Sought(person, _of_others(config, person))
    for root, entry in _entries(config):
        files, file_bytes = files + 1, file_bytes + storage.state(entry.place).file_bytes
        columns = (
            _in_parquet(entry.place, sought) if entry.below.endswith(".parquet") else _in_bytes(entry.place, sought)
        )
        found += [Trace(f"{root.name}/{entry.below}", column) for column in columns]
    return Searched(files, file_bytes, found)


def _of_others(config: Config, person: Person) -> list[tuple[str, int]]:
    """Of personal columns of all streams, as lines and pages write them."""
    lake, own, found = Lake(config), {*person.texts}, set[str]()
    for stream in registry.streams().values():
        columns = [name for name in stream.personal if stream.column(name).type == "string"]
        if columns and lake.version(name := silver_table(stream).name) is not None:
            for batch in lake.dataset(name).to_batches(columns=columns):
                texts = {text for column in batch.columns for text in pc.unique(column).to_pylist() if text}
                found.update(text for text in texts - found - own if person.trace.search(text))
    written = sorted({text for value in found for text in spellings(value)})
    return [(text, place.start()) for text in written for place in person.trace.finditer(text)]


def _entries(config: Config) -> Iterator[tuple[Location, storage.Listed]]:
    kept = (config.lake, config.anew, config.replaced, config.damaged, config.trials, config.running)
    for root in (*kept, config.expectations, config.report, config.scratch):
        if root.is_dir():
            yield from ((root, entry) for entry in storage.entries(root, _refuse) if entry.place.is_file())


def _refuse(error: OSError) -> None:
    raise StorageFailed(
        f"{error.filename} can't be read ({error.strerror}), so that nothing says what it holds"
    ) from error


def _in_parquet(place: Location, sought: Sought) -> list[str | None]:
    found: dict[str | None, None] = {}
    with storage.parquet(place) as file:
        for batch in storage.batches(file):
            for name, column in _leaves(batch):
                if name not in found and _holds(name, column, sought):
                    found[name] = None
    return [*found]


def _leaves(batch: pa.RecordBatch) -> Iterator[tuple[str, pa.Array]]:
    """The columns, and what is within them: a checkpoint of a log has structures."""
    waiting = [*zip(batch.schema.names, batch.columns, strict=True)]
    while waiting:
        name, column = waiting.pop()
        if types.is_struct(column.type):
            inner = zip((field.name for field in column.type), column.flatten(), strict=True)
            waiting += [(f"{name}.{of}", each) for of, each in inner]
        elif types.is_map(column.type):
            waiting += [(f"{name}.key", column.keys), (f"{name}.value", column.items)]
        elif types.is_list(column.type):
            waiting.append((name, column.flatten()))
        else:
            yield name, column


def _holds(name: str, column: pa.Array, sought: Sought) -> bool:
    if types.is_dictionary(column.type):
        column = column.dictionary
    if types.is_string(column.type) or types.is_large_string(column.type):
        return any(sought.is_in(text) for text in pc.unique(column).to_pylist() if text)
    if types.is_binary(column.type) or types.is_large_binary(column.type):
        return any(sought.is_in(_decoded(each)) for each in column.to_pylist() if each)
    of_column = sought.person.values.get(name.rpartition(".")[2], ())
    numbers = [value for value in of_column if not isinstance(value, str)]
    return bool(numbers) and bool(
        pc.any(pc.is_in(column.cast(pa.float64(), safe=False), pa.array(numbers, pa.float64()))).as_py()
    )


def _in_bytes(place: Location, sought: Sought) -> list[str | None]:
    content = place.read_bytes()
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    return [None] if sought.is_in(_decoded(content)) else []


def _decoded(content: bytes) -> str:
    return content.decode(errors="replace")
