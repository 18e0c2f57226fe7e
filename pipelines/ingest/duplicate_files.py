"""Which of several files with equal content delivers it; the others are refused, their lines counted."""

from collections.abc import Mapping
from dataclasses import replace

from pipelines.ingest.files import ACCEPTED, DELIVERS, DUPLICATE, UNFINISHED, FileRow
from schemas.parsing import has_header
from schemas.stream import Stream


def doubled(known: Mapping[str, FileRow], rows: Mapping[str, FileRow]) -> list[str]:
    """Known paths that deliver what another known path delivers too: all but the least of each content."""
    first: dict[str, str] = {}
    for path in sorted(known, key=str.encode):
        if path not in rows and known[path].state in DELIVERS and known[path].content_hash:
            first.setdefault(known[path].content_hash, path)
    others = (path for path in known if path not in rows and known[path].state == ACCEPTED)
    return sorted(path for path in others if first.get(known[path].content_hash, path) != path)


def freed_duplicates(
    known: Mapping[str, FileRow], rows: Mapping[str, FileRow], listed: list[str]
) -> tuple[list[str], list[str]]:
    """Files refused before, whose content no path delivers any more: the least path of each content among those that
    are listed; and paths of content that no listed file has."""
    kept = {row.content_hash for path, row in known.items() if path not in rows and row.state in DELIVERS}
    kept |= {rows[path].content_hash for path in _still_delivering(known, rows)}
    refused = [
        path
        for path, row in known.items()
        if path not in rows and row.state == DUPLICATE and row.content_hash and row.content_hash not in kept
    ]
    there = {
        known[path].content_hash: path for path in sorted({*refused}.intersection(listed), key=str.encode, reverse=True)
    }
    new = {row.content_hash for row in rows.values() if row.state == ACCEPTED}
    vanished = sorted(path for path in refused if known[path].content_hash not in {*there, *new})
    return sorted(there.values(), key=str.encode), vanished


def refuse_duplicates(
    stream: Stream, rows: dict[str, FileRow], known: Mapping[str, FileRow], freed: list[str]
) -> dict[str, FileRow]:
    """Refuse content that another path delivers: known content stays where it is, then come freed duplicates; of files
    that are new together the least path is taken."""
    delivered = {row.content_hash: path for path, row in known.items() if row.state in DELIVERS and path not in rows}
    again = _still_delivering(known, rows)
    others = sorted(rows.keys() - {*again, *freed}, key=str.encode)
    decided = dict(rows)
    for path in (*again, *freed, *others):
        row = rows.get(path)
        if row is not None and row.state == ACCEPTED and row.content_hash:
            holder = delivered.setdefault(row.content_hash, path)
            decided[path] = row if holder == path else _duplicate_row(stream, row, holder)
    return decided


def _still_delivering(known: Mapping[str, FileRow], rows: Mapping[str, FileRow]) -> list[str]:
    """Paths that are made again with the content that they delivered before."""
    same = (path for path, row in rows.items() if path in known and _delivered(known[path]) == row.content_hash)
    return sorted((path for path in same if rows[path].state == ACCEPTED), key=str.encode)


def _delivered(known: FileRow) -> str | None:
    """Hash of the content that the path delivered when its ingest last ended."""
    row = known
    if known.state == UNFINISHED:
        found = known.row_before()
        if found is None:
            return None
        row, _ = found
    return row.content_hash if row.state in DELIVERS else None


def _duplicate_row(stream: Stream, row: FileRow, first: str) -> FileRow:
    layout = next((layout for layout in stream.layouts if layout.name == row.layout), None)
    readings = row.lines - 1 if layout is not None and has_header(layout) else row.lines
    return replace(
        row,
        state=DUPLICATE,
        detail=f"the same content as {first}",
        readings=readings,
        duplicates=readings,
        accepted=0,
        quarantined=0,
    )
