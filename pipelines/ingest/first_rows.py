"""A file's row before its lines are parsed: what kind of file it is, and by which layout it is read."""

from dataclasses import replace
from datetime import date

from pipelines.ingest import landing
from pipelines.ingest.files import ACCEPTED, EMPTY, FORGOTTEN, NO_EVENTS, UNREADABLE, FileRow
from schemas.parsing import belongs, no_events
from schemas.stream import ACROSS_LINES, Stream


def first_row(stream: Stream, file: landing.Landed, known: FileRow | None, today: date) -> FileRow:
    """The row of a file that was read to its end; content that was known keeps the day on which it landed."""
    content = file.content
    same = known if known is not None and known.content_hash == content.content_hash else None
    row = FileRow(
        path=file.path,
        landed_date=same.landed_date if same else today,
        state=ACCEPTED,
        lines=file.lines,
        **content._asdict(),
    )
    if why := no_events(stream, file.path):
        return replace(row, state=NO_EVENTS, detail=why)
    if file.unreadable:
        return replace(row, state=UNREADABLE, detail=file.unreadable, readings=1, quarantined=1)
    if file.lines == 0:
        return replace(row, state=EMPTY, detail="the file holds no lines")
    return replace(row, layout=file.layout.name if file.layout else None, detail=file.why_unknown)


def may_end_elsewhere(stream: Stream, row: FileRow) -> bool:
    """Whether bronze may have lines of the file where by the definition now a record is several of them."""
    layout = stream.layout(row.layout)
    return row.state == ACCEPTED and (layout is None or layout.quoting == ACROSS_LINES)


def row_again(stream: Stream, row: FileRow) -> FileRow:
    """A file's row when only the definition changed; its layout is chosen later, from bronze."""
    if row.state == FORGOTTEN:
        return row
    if why := no_events(stream, row.path):
        return row.without_records(NO_EVENTS, why)
    if not belongs(stream, row.path):
        return row.without_records(NO_EVENTS, "no layout of the stream is for files of that name")
    return row
