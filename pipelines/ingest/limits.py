"""Limits of a stream on what lands for it: which of them an ingest found broken, and whether that fails it."""

from collections.abc import Collection, Iterable
from datetime import date
from typing import NamedTuple

from pipelines.ingest.files import NO_EVENTS, REFUSED, UNREADABLE, FileRow
from pipelines.ingest.outcome import IngestReport
from schemas.errors import GateFailed
from schemas.spelling import in_words
from schemas.stream import FAIL, Stream

MOST_NAMED = 3
_REASONS = "SELECT path, reason, sum(records) AS records FROM quarantine_{} GROUP BY ALL ORDER BY records DESC"
_NO_EVENT = f"SELECT path, state, detail FROM files_{{}} WHERE state IN ('{REFUSED}', '{UNREADABLE}')"
_NEWEST = "SELECT path, landed_date FROM files_{} ORDER BY landed_date DESC, path LIMIT 10"


class Broken(NamedTuple):
    """A limit that doesn't hold: its name in the stream's definition, what was found, and SQL that shows it."""

    name: str
    found: str
    allowed: str
    statement: str

    def __str__(self) -> str:
        return f"{self.found} (at most {self.allowed}: {self.name} of the stream)"


def broken(stream: Stream, known: Iterable[FileRow], report: IngestReport, today: date) -> list[Broken]:
    """Those that don't hold after an ingest. `known`: the rows of all files."""
    rows = [row.told for row in known if row.state != NO_EVENTS]
    found = (_share(stream, report.files), _files(stream, rows), _silence(stream, rows, today))
    return [each._replace(statement=each.statement.format(stream.name)) for each in found if each is not None]


def require(stream: Stream, found: Iterable[Broken]) -> None:
    """GateFailed for the first limit that fails an ingest."""
    for each in found:
        if getattr(stream, each.name).then == FAIL:
            raise GateFailed(each.name, each.found, f"{each.allowed} of stream {stream.name!r}", each.statement)


def _share(stream: Stream, taken: Collection[FileRow]) -> Broken | None:
    """Of the records of the files that an ingest took; repeated ones are no bad ones."""
    limit, readings = stream.refused_share, sum(row.readings for row in taken)
    refused = sum(row.quarantined for row in taken)
    if limit is None or refused <= limit.most * readings:
        return None
    found = f"{refused:,} of {readings:,} records ({refused / readings:.2%}) of the files that were taken are refused"
    return Broken("refused_share", found, f"{limit.most:.2%}", _REASONS)


def _files(stream: Stream, rows: list[FileRow]) -> Broken | None:
    """Of all files, so that one of an earlier ingest isn't forgotten."""
    limit, refused = stream.refused_files, [row for row in rows if row.state in (REFUSED, UNREADABLE)]
    if limit is None or len(refused) <= limit.most:
        return None
    named = "; ".join(f"{row.path}: {row.detail}" for row in refused[:MOST_NAMED])
    more = f"; and {len(refused) - MOST_NAMED:,} more" if len(refused) > MOST_NAMED else ""
    found = f"{len(refused):,} file(s) hold no event, until they are replaced or forgotten: {named}{more}"
    return Broken("refused_files", found, f"{limit.most:,}", _NO_EVENT)


def _silence(stream: Stream, rows: list[FileRow], today: date) -> Broken | None:
    limit, newest = stream.no_new_file_for, max((row.landed_date for row in rows), default=None)
    if limit is None or newest is None or today - newest <= limit.most:
        return None
    found = f"no new file since {newest}, for {in_words(today - newest)}"
    return Broken("no_new_file_for", found, in_words(limit.most), _NEWEST)
