"""Finds streams and queries by looking in their folders: a new one is a new file, and nothing else."""

import hashlib
from functools import cache
from importlib import import_module
from pathlib import Path

from schemas.errors import UnknownName
from schemas.query import Query
from schemas.stream import Stream

ROOT = Path(__file__).parent


def _names(folder: str) -> list[str]:
    return sorted(path.stem for path in (ROOT / folder).glob("*.py") if not path.stem.startswith("_"))


@cache
def streams() -> dict[str, Stream]:
    """All streams by name: `STREAM` of every file in schemas/streams/."""
    return {name: import_module(f"schemas.streams.{name}").STREAM for name in _names("streams")}


@cache
def queries() -> dict[str, Query]:
    """All queries by name: `QUERY` of every file in schemas/queries/."""
    return {name: import_module(f"schemas.queries.{name}").QUERY for name in _names("queries")}


def stream(name: str) -> Stream:
    """The stream of that name; UnknownName otherwise."""
    if name not in streams():
        raise UnknownName("stream", name, list(streams()))
    return streams()[name]


def query(name: str) -> Query:
    """The query of that name; UnknownName otherwise."""
    if name not in queries():
        raise UnknownName("query", name, list(queries()))
    return queries()[name]


def queries_of(stream_name: str) -> list[Query]:
    """The queries that read a stream, by name."""
    return [q for q in queries().values() if q.stream == stream_name]


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
