"""What became of each file: its final row, and the report of the ingest; and which limits of the stream, on what lands
for it, are broken, and whether that fails the ingest."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

from windrow.pipelines.ingest.changes import Changes
from windrow.pipelines.ingest.deduplicate import DUPLICATE as WAS_DUPLICATE
from windrow.pipelines.ingest.deduplicate import EVENT, NEW, Deduplicated
from windrow.pipelines.ingest.files import ACCEPTED, DUPLICATE, NO_EVENTS, REFUSED, REMOVED, UNREADABLE, FileRow
from windrow.pipelines.tables.stream_tables import Snapshot, Touched
from windrow.schemas.errors import GateFailed
from windrow.schemas.parsing import has_header
from windrow.schemas.spelling import in_words
from windrow.schemas.stream import FAIL, KEPT_REFUSALS, Stream

# Fewer repeated lines than both are nothing to speak of.
A_HANDFUL, A_SMALL_SHARE = 5, 0.01
MOST_NAMED = 3
_REASONS = "SELECT path, reason, sum(records) AS records FROM quarantine_{} GROUP BY ALL ORDER BY records DESC"
_NO_EVENT = f"SELECT path, state, detail FROM files_{{}} WHERE state IN ('{REFUSED}', '{UNREADABLE}')"
_NEWEST = "SELECT path, landed_date FROM files_{} ORDER BY landed_date DESC, path LIMIT 10"


@dataclass(frozen=True)
class IngestReport:
    """What one ingest did. `files`: the rows of `files_<stream>` that it wrote; `touched`: their paths, and those that
    deliver nothing any more; `refused`: their records by reason; `accepted`: events that they have in silver;
    `warnings`: limits of the stream that don't hold."""

    stream: str
    files: tuple[FileRow, ...]
    touched_days: tuple[date, ...]
    refused: dict[str, int]
    messages: tuple[str, ...]
    snapshot: Snapshot
    touched: Touched
    seconds: float
    accepted: int
    warnings: tuple[str, ...] = ()


class Applied(NamedTuple):
    """A batch of changes that was applied, what became of their records (None: they had no lines), the days of silver
    that were made or taken away, and the rows of `files_<stream>` that it wrote."""

    changes: Changes
    found: Deduplicated | None
    days: tuple[date, ...]
    rows: tuple[FileRow, ...]


def report(
    stream: Stream,
    applied: list[Applied],
    known: Mapping[str, FileRow],
    messages: list[str],
    snapshots: tuple[Snapshot, Snapshot],
    seconds: float,
) -> IngestReport:
    """The report of an ingest that applied these batches, from one snapshot to the other. known: the rows before."""
    before, after = snapshots
    written = {row.path: row for batch in applied for row in batch.rows}
    changed = {path for batch in applied for path in batch.changes.rows}
    # An event that one batch takes from a file that did not change, a later one may give back.
    rows = {path: row for path, row in written.items() if path in changed or row != known.get(path)}
    left = tuple(row.told for row in rows.values() if row.state != REMOVED)
    days = tuple(sorted({day for batch in applied for day in batch.days}))
    all_messages = (*messages, *_messages(stream, left))
    touched = Touched(tuple(written), before.name)
    accepted = sum(row.accepted for row in left)
    return IngestReport(
        stream.name, left, days, _refused(applied, rows), all_messages, after, touched, seconds, accepted
    )


def final_rows(changes: Changes, found: Deduplicated | None) -> tuple[FileRow, ...]:
    """The rows of changed files, and of others whose records lost or gained a place.

    Of others that are yet to be made again the intent stays, and each keeps the definition that parsed it.
    """
    rows = list(changes.rows.values())
    others: list[FileRow] = []
    if found:
        rows = [_counted(row, found) if row.state == ACCEPTED else row for row in rows]
        for row in (changes.known[path] for path in found.others_touched):
            gained = found.moves[row.path, WAS_DUPLICATE] - found.moves[row.path, EVENT]
            if not row.is_intent:
                others.append(replace(row, accepted=row.accepted + gained, duplicates=row.duplicates - gained))
    return (*(replace(row, definition=changes.definition.hash, before=None) for row in rows), *others)


def _counted(row: FileRow, found: Deduplicated) -> FileRow:
    of_file = found.records.get(row.path, Counter())
    readings, duplicates = of_file.total(), found.moves[row.path, NEW]
    accepted = of_file[None] - duplicates
    why = found.why_refused.get(row.path)
    return replace(
        row,
        detail=why and f"none of its {readings:,} record(s) is an event; {why}",
        readings=readings,
        accepted=accepted,
        quarantined=readings - accepted - duplicates,
        duplicates=duplicates,
    )


def _refused(applied: list[Applied], rows: dict[str, FileRow]) -> dict[str, int]:
    """Refused records by reason; duplicates as they are after the last batch, which may have made some of the first."""
    counts: Counter[str] = Counter()
    changed = {path for batch in applied for path in batch.changes.rows}
    for row in (rows[path] for path in changed):
        if row.state in (DUPLICATE, UNREADABLE):
            counts[DUPLICATE if row.state == DUPLICATE else "unreadable file"] += row.readings
        elif row.state == ACCEPTED:
            counts["duplicate"] += row.duplicates
    for by_reason in (each for batch in applied if batch.found for each in batch.found.records.values()):
        counts.update({reason: count for reason, count in by_reason.items() if reason is not None})
    return {reason: count for reason, count in sorted(counts.items()) if count}


def _messages(stream: Stream, rows: Sequence[FileRow]) -> Iterator[str]:
    """One per file without events, or of which not all that was refused is kept; and one where many lines repeat."""
    yield from (f"{row.path}: {row.state}, {row.detail}" for row in rows if row.state != ACCEPTED)
    for row in rows:
        if row.quarantined > KEPT_REFUSALS:
            yield (
                f"{row.path}: {row.quarantined:,} records are refused. Quarantine keeps {KEPT_REFUSALS:,} of them and "
                "counts the others by reason; bronze has their lines"
            )
    accepted = [row for row in rows if row.state == ACCEPTED]
    # Of layouts that take equal lines for one event: whether that may have cost events
    by_line = {layout.name for layout in stream.layouts if layout.identity == "line"}
    counted = [row for row in accepted if row.layout in by_line]
    readings, repeats = sum(row.readings for row in counted), sum(row.duplicates for row in counted)
    if repeats > min(A_HANDFUL, readings * A_SMALL_SHARE):
        yield (
            f"{repeats:,} of {readings:,} records ({repeats / readings:.2%}) repeat an earlier line, and count as the "
            'same event (identity="line" of the layout). If two events can have the same line, set identity to the '
            "columns that tell events apart, or to None (docs/add-a-stream.md)"
        )
    headers = {layout.name for layout in stream.layouts if has_header(layout)}
    only_headers = (row for row in accepted if row.lines == 1 and row.layout in headers)
    yield from (f"{row.path}: {row.state}, but it holds only its header" for row in only_headers)


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
    found = (
        f"{refused:,} of the {readings:,} records of the files that were taken ({refused / readings:.2%}) are refused"
    )
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
