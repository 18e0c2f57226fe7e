"""Remarks on files that have landed and are not ingested yet, and on an ingest that the ledger lacks."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pipelines.cli import _output

if TYPE_CHECKING:
    from pipelines.delta.lake import Lake
    from schemas.stream import Stream


def note_pending(lake: "Lake", streams: "Iterable[Stream]", effect: str) -> None:
    """Say of each stream how many files wait to be ingested, and what comes of that."""
    from pipelines.ledger import snapshots
    from schemas.errors import LandingFailed, NotSetUp

    for stream in streams:
        try:
            behind = _pending(lake, stream)
        except (LandingFailed, NotSetUp) as error:
            _output.note(f"whether files of {stream.name} wait to be ingested can't be seen: {error}")
            return
        if behind:
            _output.note(
                f"{len(behind)} file(s) of {stream.name} are new, changed, or parsed by an older definition, such as "
                f"{behind[0]}; {effect}: windrow ingest {stream.name}"
            )
        elif snapshots.is_behind(lake, stream.name):
            _output.note(
                f"the tables of {stream.name} hold other events than the newest ingest that the ledger has left there: "
                f"another runs, was cut off, or its row is lost; {effect}: windrow ingest {stream.name}"
            )


def note_ahead(lake: "Lake", queries: Iterable[str]) -> None:
    """Say it of the streams of queries that were replayed."""
    from schemas import registry

    streams = {name: registry.stream(name) for name in (registry.query(query).stream for query in queries)}
    note_pending(lake, streams.values(), "the newest ingest was replayed; to have them too")


def _pending(lake: "Lake", stream: "Stream") -> list[str]:
    from pipelines.ingest.changes import pending
    from pipelines.tables.stream_tables import StreamTables

    tables = StreamTables.of(stream)
    return pending(lake, tables) if lake.version(tables.files.name) is not None else []
