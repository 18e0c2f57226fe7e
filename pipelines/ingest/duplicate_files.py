"""Which of several files with equal content delivers it; the others are refused, their lines counted."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from pipelines.ingest.files import ACCEPTED, DELIVERS, DUPLICATE, UNFINISHED, FileRow
from schemas.parsing import has_header
from schemas.stream import Stream


def doubled(known: Mapping[str, FileRow], rows: Mapping[str, FileRow]) -> list[str]:
    """Known paths that deliver what another known path delivers too: all but the least of each content."""
    first: dict[str, str] = {}
    delivering = [row for path, row in sorted(known.items()) if path not in rows and row.state in DELIVERS]
    others = [
        row for row in delivering if row.content_hash and first.setdefault(row.content_hash, row.path) != row.path
    ]
    return [row.path for row in others if row.state == ACCEPTED]


def freed_duplicates(
    known: Mapping[str, FileRow], rows: Mapping[str, FileRow], listed: Iterable[str]
) -> tuple[list[str], list[str]]:
    """Files refused before, whose content no path delivers any more: the least path of each content among those that
    are listed; and paths of content that no listed file has."""
    held, there = _holders(known, rows), {*listed}
    refused = [row for path, row in sorted(known.items()) if path not in rows and row.state == DUPLICATE]
    free = [row for row in refused if row.content_hash and row.content_hash not in held]
    least = {row.content_hash: row.path for row in reversed(free) if row.path in there}
    new = {row.content_hash for row in rows.values() if row.state == ACCEPTED}
    return sorted(least.values()), [row.path for row in free if row.content_hash not in {*least, *new}]


def refuse_duplicates(
    stream: Stream, rows: Mapping[str, FileRow], known: Mapping[str, FileRow], freed: list[str]
) -> dict[str, FileRow]:
    """Refuse content that another path delivers: known content stays where it is, then come freed duplicates; of files
    that are new together the least path is taken."""
    holders = _holders(known, rows)
    decided = dict(rows)
    for path in (*freed, *sorted(rows.keys() - {*freed})):
        row = rows.get(path)
        if row is not None and row.state == ACCEPTED and row.content_hash:
            holder = holders.setdefault(row.content_hash, path)
            decided[path] = row if holder == path else _duplicate_row(stream, row, holder)
    return decided


def _holders(known: Mapping[str, FileRow], rows: Mapping[str, FileRow]) -> dict[str, str]:
    """Paths that go on to deliver what they delivered before, by content: those that are not made again first."""
    again = {
        row.content_hash: path
        for path, row in sorted(rows.items(), reverse=True)
        if row.state == ACCEPTED and path in known and _delivered(known[path]) == row.content_hash
    }
    unchanged = {row.content_hash: path for path, row in known.items() if path not in rows and row.state in DELIVERS}
    return again | unchanged


def _delivered(known: FileRow) -> str | None:
    """Hash of the content that the path delivered when its ingest last ended."""
    before = known.row_before() if known.state == UNFINISHED else (known, None)
    return before[0].content_hash if before and before[0].state in DELIVERS else None


def _duplicate_row(stream: Stream, row: FileRow, first: str) -> FileRow:
    layout = stream.layout(row.layout)
    readings = row.lines - (layout is not None and has_header(layout))
    detail = f"the same content as {first}"
    return replace(row.without_records(DUPLICATE, detail), layout=row.layout, readings=readings, duplicates=readings)
