"""A query, or a stream, whose file the user has edited, as far as a process that reads it now can see."""

from dataclasses import replace

from pytest import MonkeyPatch

from windrow.pipelines.ledger import code_hash
from windrow.schemas import registry
from windrow.schemas.stream import Layout, Stream


def edit(monkeypatch: MonkeyPatch, name: str, **changes) -> None:
    """Give the query other parameters, and its file another hash."""
    hashed = code_hash.query_hash
    monkeypatch.setitem(registry.queries(), name, replace(registry.query(name), **changes))
    monkeypatch.setattr(code_hash, "query_hash", lambda query: "edited" if query == name else hashed(query))


def with_layout(stream: Stream, layout: Layout) -> Stream:
    """The stream with this one only."""
    return replace(stream, layouts=(layout,))
