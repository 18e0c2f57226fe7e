"""From a file's lines to records and refusals: the same checks, in the same order, for every stream.

A line is checked in the order of `COMMON_REFUSALS`. Damage to the file or the line (NUL, not UTF-8, too
long) is found before a line's text exists, and duplicates after all records exist; both by ingest.
"""

import csv
import hashlib
from datetime import datetime, timedelta
from fnmatch import fnmatchcase
from functools import lru_cache

from windrow.schemas.json_lines import json_fields
from windrow.schemas.mistakes import broken
from windrow.schemas.stream import ACROSS_LINES, Layout, Place, Record, Refusal, Stream

# Years 1 to 9999: what every reader of the tables (Python, Arrow, DuckDB, Spark) can show.
EARLIEST_US = -62_135_596_800_000_000
LATEST_US = 253_402_300_799_999_999
csv.field_size_limit(1 << 20)  # by itself 128 KiB: no field is longer than a line may be
_ACROSS = 'quoting="across lines" reads quoted fields that hold line breaks'
_NOWHERE = Place()
# Of a line that a refusal shows.
_SHOWN = 200


def matches(pattern: str, path: str) -> bool:
    """Whether a path below the landing folder fits a pattern, folder by folder (`*` stays within one)."""
    patterns, parts = pattern.split("/"), path.split("/")
    return len(patterns) == len(parts) and all(map(fnmatchcase, parts, patterns))


def belongs(stream: Stream, path: str) -> bool:
    """Whether a path below the landing folder is one of the stream's files of events."""
    return no_events(stream, path) is None and any(is_at(layout, path) for layout in stream.layouts)


def is_at(layout: Layout, path: str) -> bool:
    """Whether a path below the landing folder is one of the layout's."""
    return any(matches(pattern, path) for pattern in layout.paths)


def no_events(stream: Stream, path: str) -> str | None:
    """Why a file of the stream holds no events; None for files that do, and for those of other streams."""
    side_inputs = ((pattern, side.meaning) for side in stream.side_inputs for pattern in side.paths)
    return next((why for pattern, why in (*stream.not_events, *side_inputs) if matches(pattern, path)), None)


def has_header(layout: Layout) -> bool:
    """Whether the first line names the columns."""
    return layout.header is not None


def read_line(stream: Stream, layout: Layout, text: str, place: Place = _NOWHERE) -> list[Record | Refusal]:
    """What a line (without its line end) says, in order: at least one record or refusal. BrokenDefinition for a layout
    that raises anything but ValueError."""
    fields: list[str] = []
    try:
        fields, count = split(layout, text), count_of(layout)
        if count is not None and len(fields) != count:
            return [Refusal("wrong column count", f"{len(fields)} fields; the layout has {count}")]
        records = list(layout.parse(_wanted(layout, fields), place))
    except ValueError as unreadable:
        return [Refusal("unreadable", _with_value(str(unreadable), fields, text))]
    except Exception as error:
        raise broken(layout.parse.__module__, error, f"parsing line {place.line} of {place.path}: ") from error
    return [_checked(stream, each) if isinstance(each, Record) else _bounded(each) for each in records]


def _with_value(problem: str, fields: list[str], text: str) -> str:
    """Python's own messages on dates say what is wrong, and not of which value: then the line is named."""
    return problem if any(repr(field) in problem for field in fields) else f"{problem}, in the line {text[:_SHOWN]!r}"


def split(layout: Layout, text: str) -> list[str]:
    """A line's fields. ValueError for quotes that don't fit, and for what is no object of JSON."""
    if layout.members is not None:
        return json_fields(text, layout.members)
    if layout.quoting is None or '"' not in text:
        return text.split(layout.delimiter)
    if "\n" in text and layout.quoting != ACROSS_LINES:
        raise ValueError(f"a quoted field goes on in the next line; {_ACROSS}")
    try:
        return next(csv.reader((text,), delimiter=layout.delimiter, strict=True))
    except csv.Error as error:
        raise ValueError(f"its quotes don't fit ({error}); quoting=None reads a quote as text, {_ACROSS}") from None


def count_of(layout: Layout) -> int | None:
    """How many fields a line has; None where lines are ragged."""
    return layout.fields if layout.names is None else len(layout.names)


def _wanted(layout: Layout, fields: list[str]) -> list[str]:
    if layout.names is None:
        return fields
    return [fields[i] if i is not None else "" for i in _places(layout.header, layout.names)]


@lru_cache
def _places(wanted: tuple[str, ...], names: tuple[str, ...]) -> tuple[int | None, ...]:
    return tuple(names.index(name) if name in names else None for name in wanted)


def identity_of(stream: Stream, layout: Layout, text: str, record: Record, number: int = 0) -> str | None:
    """Hash of what makes an event one and the same: 32 hexadecimal digits; None where there is no identity, or where
    nothing of it is known.

    `number` is the record's within its line: the records of one line are never each other's duplicates.
    """
    if layout.identity is None:
        return None
    if layout.identity == "line":
        # Where columns go by name, what the line says of each: files have them in another order.
        said = text if layout.names is None else repr(sorted(zip(layout.names, split(layout, text), strict=True)))
        named = f"{layout.name}\n{number}\n{said}"
    else:
        values = [_named(stream, record, name) for name in layout.identity]
        if all(value is None for value in values):
            return None
        named = repr(values)
    return hashlib.blake2b(named.encode(), digest_size=16).hexdigest()


def _named(stream: Stream, record: Record, name: str) -> object:
    """The value of a column, or a time in µs."""
    position = stream.positions.get(name)
    return getattr(record, f"{name}_us") if position is None else record.values[position]


def _checked(stream: Stream, record: Record) -> Record | Refusal:
    """The record, or the first reason in the order of COMMON_REFUSALS for which it is not an event."""
    values = record.values
    for position in stream.required:
        if values[position] is None:
            return _refuse("unreadable", f"{stream.columns[position].name} is empty", record)
    for position, low, high in stream.bounds:
        value = values[position]
        if value is not None and not low <= value <= high:
            name = stream.columns[position].name
            return _refuse("out of range", f"{name} is {value}; allowed: {low} to {high}", record)
    return _checked_times(stream, record)


def _checked_times(stream: Stream, record: Record) -> Record | Refusal:
    start_us, end_us, arrival_us, _ = record
    if not (EARLIEST_US <= start_us <= LATEST_US and EARLIEST_US <= end_us <= LATEST_US):
        return _refuse("out of range", "start or end is outside the years 1 to 9999", record)
    first_us, last_us = stream.arrivals_us
    if not first_us <= arrival_us <= last_us:
        days = f"outside the stream's days, {stream.first_day} to {stream.newest_day} (UTC)"
        return _refuse("out of range", f"arrival {_utc(arrival_us)} is {days}", record)
    if end_us < start_us:
        return _refuse("end before start", f"the end is {start_us - end_us} µs before the start", record)
    if (ahead_us := start_us - arrival_us) > stream.ahead_at_most_us:
        allowed = f"at most {stream.ahead_at_most_us} µs are allowed"
        return _refuse("too far ahead", f"the start is {ahead_us} µs after the arrival; {allowed}", record)
    return record


def _utc(us: int) -> str:
    if not EARLIEST_US <= us <= LATEST_US:
        return f"{us} µs after 1970"
    return str(datetime(1970, 1, 1) + timedelta(microseconds=us))


def _refuse(reason: str, detail: str, record: Record) -> Refusal:
    return _bounded(Refusal(reason, detail, record.arrival_us))


def _bounded(refusal: Refusal) -> Refusal:
    """Without an arrival that no table could hold."""
    arrival_us = refusal.arrival_us
    readable = arrival_us is None or EARLIEST_US <= arrival_us <= LATEST_US
    return refusal if readable else refusal._replace(arrival_us=None)
