"""Finds streams and queries by looking in their folders: a new one is a new file, and nothing else.

They load one by one: one that is broken harms itself, and those that need it, only. Whoever asks for it by name gets
BrokenDefinition; whoever asks for all gets the others.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Generic, TypeVar

from schemas.errors import BrokenDefinition, UnknownName
from schemas.loading import load
from schemas.query import Query
from schemas.stream import Stream
from schemas.validation import validate_query, validate_stream
from schemas.windows import require

T = TypeVar("T", Stream, Query)
ROOT = Path(__file__).parent


@dataclass(frozen=True)
class Definitions(Generic[T]):
    """Those of a folder, by name: each is either found or broken."""

    found: dict[str, T]
    broken: dict[str, BrokenDefinition]

    def named(self, kind: str, name: str) -> T:
        """The definition of that name; BrokenDefinition if its file is, UnknownName without a file."""
        if name in self.broken:
            raise self.broken[name]
        if name not in self.found:
            raise UnknownName(kind, name, [*self.found, *self.broken])
        return self.found[name]


def streams() -> dict[str, Stream]:
    """All streams by name: `STREAM` of every file in schemas/streams/ that isn't broken."""
    return _streams().found


def queries() -> dict[str, Query]:
    """All queries by name: `QUERY` of every file in schemas/queries/ that isn't broken."""
    return _queries().found


def broken_streams() -> dict[str, BrokenDefinition]:
    """What is wrong with the other files of schemas/streams/, by name."""
    return _streams().broken


def broken_queries() -> dict[str, BrokenDefinition]:
    """What is wrong with the other files of schemas/queries/, by name; queries of broken streams are among them."""
    return _queries().broken


def stream_names() -> list[str]:
    """Of all streams, broken ones too, sorted."""
    return sorted([*streams(), *broken_streams()])


def query_names() -> list[str]:
    """Of all queries, broken ones too, sorted."""
    return sorted([*queries(), *broken_queries()])


def stream(name: str) -> Stream:
    """The stream of that name; BrokenDefinition or UnknownName otherwise."""
    return _streams().named("stream", name)


def query(name: str) -> Query:
    """The query of that name; BrokenDefinition or UnknownName otherwise."""
    return _queries().named("query", name)


def queries_of(stream_name: str) -> list[Query]:
    """The queries that read a stream, by name."""
    return [q for q in queries().values() if q.stream == stream_name]


@cache
def _streams() -> Definitions[Stream]:
    return _load("streams", "STREAM", Stream, validate_stream)


@cache
def _queries() -> Definitions[Query]:
    return _load("queries", "QUERY", Query, lambda query: validate_query(query, stream(query.stream)))


def _load(folder: str, attribute: str, kind: type[T], validate: Callable[[T], object]) -> Definitions[T]:
    made: Definitions[T] = Definitions({}, {})
    for name in sorted(path.stem for path in (ROOT / folder).glob("*.py") if not path.stem.startswith("_")):
        try:
            made.found[name] = load(f"schemas.{folder}.{name}", attribute, kind, _named(name, validate))
        except BrokenDefinition as broken:
            made.broken[name] = broken
    return made


def _named(name: str, validate: Callable[[T], object]) -> Callable[[T], object]:
    def named_and_valid(found: T) -> None:
        require(found.name == name, "name", found.name, f"that of its file, {name!r}")
        validate(found)

    return named_and_valid


def stream_hash(name: str) -> str:
    """Changes whenever what a stream's lines mean may change: its file and the files that every stream shares."""
    shared = [ROOT / "stream.py", ROOT / "parsing.py", ROOT / "fields.py", ROOT / "local_time.py"]
    return _hash_files([ROOT / "streams" / f"{name}.py", *shared])


def replay_hash(name: str) -> str:
    """Changes whenever what a replay takes from a stream's definition does, apart from its events: what columns hold,
    which days there are, and how far ahead an event may be. How lines are read shows in the events."""
    found = stream(name)
    columns = [(column.name, column.type, column.low, column.high, column.nullable) for column in found.columns]
    facts = (found.key, columns, found.ahead_at_most, found.first_day, found.last_day)
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


def query_hash(name: str) -> str:
    """Changes whenever a query's file or the query language changes."""
    return _hash_files([ROOT / "queries" / f"{name}.py", ROOT / "query.py", *sorted((ROOT / "windows").glob("*.py"))])


def _hash_files(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
