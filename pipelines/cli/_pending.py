"""Remarks on files that have landed and are not ingested yet."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from pipelines.cli import _output

if TYPE_CHECKING:
    from pipelines.lake.lake import Lake
    from schemas.stream import Stream

AHEAD = "the newest ingest was replayed; to have them too"


def note_pending(lake: "Lake", streams: "Iterable[Stream]", effect: str) -> None:
    """Say of each stream how many files wait to be ingested, and what comes of that."""
    from schemas.errors import LandingFailed

    for stream in streams:
        try:
            behind, lacks_newest = _pending(lake, stream)
        except LandingFailed as error:
            _output.note(f"whether files of {stream.name} wait to be ingested can't be seen: {error}")
            return
        if behind:
            _output.note(
                f"{len(behind)} file(s) of {stream.name} are new, changed, or parsed by an older definition, such as "
                f"{behind[0]}; {effect}: windrow ingest {stream.name}"
            )
        elif lacks_newest:
            _output.note(
                f"an ingest of {stream.name} runs, or was killed before the ledger had it; "
                f"{effect}: windrow ingest {stream.name}"
            )


def _pending(lake: "Lake", stream: "Stream") -> tuple[list[str], bool]:
    """The files that wait, and whether the tables hold what no ingest of the ledger left."""
    from pipelines.ingest.changes import pending
    from pipelines.lake.stream_tables import StreamTables
    from pipelines.ledger.snapshots import lacks_newest

    tables = StreamTables.of(stream)
    if lake.version(tables.files.name) is None:
        return [], False
    return pending(lake, tables), lacks_newest(lake, tables)
