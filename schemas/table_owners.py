"""Whose tables of the lake are, by their names: of a stream, of a query, or of the ledger."""

from schemas import registry
from schemas.lateness_table import lateness_name
from schemas.state_table import state_name
from schemas.stream import Stream
from schemas.tables import ingest_tables

_OF_A_QUERY = ("", "_late", "_audit", "_late_audit")


def stream_of(table: str) -> Stream | None:
    """The stream that a table belongs to. O(streams)."""
    streams = registry.streams().values()
    return next((stream for stream in streams if table in {each.name for each in ingest_tables(stream)}), None)


def query_of(table: str) -> str | None:
    """The name of the query that a table belongs to. O(queries)."""
    names = registry.queries()
    return next((query for query in names if table in _of_query(query)), None)


def _of_query(query: str) -> set[str]:
    return {state_name(query), lateness_name(query), *(query + kind for kind in _OF_A_QUERY)}


def made_by(table: str) -> str:
    """The command that makes a table; words in capitals stand for what the table's name doesn't say."""
    if stream := stream_of(table):
        return f"windrow ingest {stream.name}"
    query = query_of(table)
    if query and table == lateness_name(query):
        return f"windrow whatif {query}"
    return f"windrow replay {query} --day YYYY-MM-DD" if query else "windrow ingest STREAM"


def made_anew_by(table: str) -> str:
    """What makes a table anew whose definition has changed."""
    query = query_of(table)
    if query and table != lateness_name(query):
        return f"windrow rebuild {query}"
    return f"move its folder away, then run: {made_by(table)}"
