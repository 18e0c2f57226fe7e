"""From a file's lines to records and refusals: the same checks, in the same order, for every stream.

A line is checked in the order of `COMMON_REFUSALS`. Damage to the file or the line (NUL, not UTF-8, too
long) is found before a line's text exists, and duplicates after all records exist; both by ingest.
"""

import csv
import hashlib
from fnmatch import fnmatchcase

from schemas.json_lines import json_fields
from schemas.mistakes import broken
from schemas.stream import Layout, Place, Record, Refusal, Stream

# Years 1 to 9999: what every reader of the tables (Python, Arrow, DuckDB, Spark) can show.
EARLIEST_US = -62_135_596_800_000_000
LATEST_US = 253_402_300_799_999_999
_UNREADABLE = (ValueError, csv.Error)
_NOWHERE = Place()
# Of a line that a refusal shows.
_SHOWN = 200


def matches(pattern: str, path: str) -> bool:
    """Whether a path below the landing folder fits a pattern, folder by folder (`*` stays within one)."""
    patterns, parts = pattern.split("/"), path.split("/")
    return len(patterns) == len(parts) and all(map(fnmatchcase, parts, patterns))


def belongs(stream: Stream, path: str) -> bool:
    """Whether a path below the landing folder is one of the stream's files of events."""
    return no_events(stream, path) is None and any(matches(p, path) for layout in stream.layouts for p in layout.paths)


def no_events(stream: Stream, path: str) -> str | None:
    """Why a file of the stream holds no events; None for files that do, and for those of other streams."""
    side_inputs = ((pattern, side.meaning) for side in stream.side_inputs for pattern in side.paths)
    return next((why for pattern, why in (*stream.not_events, *side_inputs) if matches(pattern, path)), None)


def has_header(layout: Layout) -> bool:
    """Whether the first line names the columns."""
    return layout.header is not None


def choose_layout(stream: Stream, path: str, first_line: str) -> Layout | None:
    """The layout whose header is the file's first line, or the path's without a header; None: unknown."""
    return next((layout for layout in stream.layouts if _fits(layout, path, first_line)), None)


def read_line(stream: Stream, layout: Layout, text: str, place: Place = _NOWHERE) -> list[Record | Refusal]:
    """What a line (without its line end) says, in order: at least one record or refusal. BrokenDefinition for a layout
    that raises anything but ValueError."""
    fields: list[str] = []
    try:
        fields = split(layout, text)
        if layout.fields is not None and len(fields) != layout.fields:
            return [Refusal("wrong column count", f"{len(fields)} fields; the layout has {layout.fields}")]
        records = list(layout.parse(fields, place))
    except _UNREADABLE as unreadable:
        return [Refusal("unreadable", _with_value(str(unreadable), fields, text))]
    except Exception as error:
        raise broken(layout.parse.__module__, error, f"parsing line {place.line} of {place.path}: ") from error
    return [_checked(stream, each) if isinstance(each, Record) else _bounded(each) for each in records]


def _with_value(problem: str, fields: list[str], text: str) -> str:
    """Python's own messages on dates say what is wrong, and not of which value: then the line is named."""
    return problem if any(repr(field) in problem for field in fields) else f"{problem}, in the line {text[:_SHOWN]!r}"


def split(layout: Layout, text: str) -> list[str]:
    """A line's fields. Raises csv.Error for quotes that don't close, ValueError for what is no object of JSON."""
    if layout.members is not None:
        return json_fields(text, layout.members)
    if '"' not in text:
        return text.split(layout.delimiter)
    return next(csv.reader((text,), delimiter=layout.delimiter, strict=True))


def identity_of(stream: Stream, layout: Layout, text: str, record: Record, number: int = 0) -> str | None:
    """Hash of what makes an event one and the same: 32 hexadecimal digits; None where there is no identity.

    `number` is the record's within its line: the records of one line are never each other's duplicates.
    """
    if layout.identity is None:
        return None
    if layout.identity == "line":
        named = f"{layout.name}\n{number}\n{text}"
    else:
        values, positions = record.values, stream.positions
        named = repr([values[positions[name]] for name in layout.identity])
    return hashlib.blake2b(named.encode(), digest_size=16).hexdigest()


def _fits(layout: Layout, path: str, first_line: str) -> bool:
    if layout.header is None:
        return any(matches(pattern, path) for pattern in layout.paths)
    try:
        return tuple(split(layout, first_line.removeprefix("\ufeff"))) == layout.header
    except csv.Error:
        return False


def _checked(stream: Stream, record: Record) -> Record | Refusal:
    """The record, or the first reason in the order of COMMON_REFUSALS for which it is not an event."""
    values = record.values
    for position in stream.required:
        if values[position] is None:
            return _refuse("unreadable", f"{stream.columns[position].name} is empty", record)
    for position, low, high in stream.bounds:
        value = values[position]
        if value is not None and not low <= value <= high:
            return _refuse("out of range", _outside(stream, position, value, low, high), record)
    return _checked_times(stream, record)


def _checked_times(stream: Stream, record: Record) -> Record | Refusal:
    start_us, end_us, arrival_us, _ = record
    if not (EARLIEST_US <= start_us <= LATEST_US and EARLIEST_US <= end_us <= LATEST_US):
        return _refuse("out of range", "start or end is outside the years 1 to 9999", record)
    first_us, last_us = stream.arrivals_us
    if not first_us <= arrival_us <= last_us:
        return _refuse(
            "out of range",
            f"arrival is outside the stream's days, {stream.first_day} to {stream.newest_day} (UTC)",
            record,
        )
    if end_us < start_us:
        return _refuse("end before start", f"the end is {start_us - end_us} µs before the start", record)
    if start_us - arrival_us > stream.ahead_at_most_us:
        return _refuse(
            "too far ahead",
            f"the start is {start_us - arrival_us} µs after the arrival; "
            f"at most {stream.ahead_at_most_us} µs are allowed",
            record,
        )
    return record


def _outside(stream: Stream, position: int, value: object, low: object, high: object) -> str:
    return f"{stream.columns[position].name} is {value}; allowed: {low} to {high}"


def _refuse(reason: str, detail: str, record: Record) -> Refusal:
    return _bounded(Refusal(reason, detail, record.arrival_us))


def _bounded(refusal: Refusal) -> Refusal:
    """Without an arrival that no table could hold."""
    arrival_us = refusal.arrival_us
    readable = arrival_us is None or EARLIEST_US <= arrival_us <= LATEST_US
    return refusal if readable else refusal._replace(arrival_us=None)
