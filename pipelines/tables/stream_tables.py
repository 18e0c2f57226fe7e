"""A stream's six tables, as ingest keeps them."""

from typing import NamedTuple

from schemas.stream import Stream
from schemas.tables import Table, ingest_tables


class StreamTables(NamedTuple):
    """Definitions of the tables of one stream, made once per run."""

    stream: Stream
    files: Table
    bronze: Table
    silver: Table
    quarantine: Table
    passes: Table
    partitions: Table
    all: tuple[Table, ...]
    """In the order in which ingest writes them."""

    @classmethod
    def of(cls, stream: Stream) -> "StreamTables":
        """From the stream's definition."""
        made = ingest_tables(stream)
        return cls(stream, *made, made)
