"""What a stream is: its files, how a line becomes records, its columns, times, key, and what is refused.

A stream is one file in `streams/` that holds `STREAM = Stream(...)`. Everything is plain data and functions of
the standard library, so that DAG parsing, Spark and the docs read the same definitions.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from typing import Any, NamedTuple

from windrow.schemas.errors import OutsideStream

_EPOCH = date(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
# A run looks at its day up to the next one, which must be a date too.
LAST_DAY = date.max - timedelta(days=1)
_WIDEST = {"int64": (-(2**63), 2**63 - 1), "float64": (-sys.float_info.max, sys.float_info.max)}


class Record(NamedTuple):
    """An event as its line says it. Times in µs since the Unix epoch, UTC; values in the order of `Stream.columns`."""

    start_us: int
    end_us: int
    arrival_us: int
    values: tuple


class Place(NamedTuple):
    """Where a line stands: its file's path below the landing folder, and its number from 1. `side_inputs`: by name,
    what the `read` of each side input returned. `before`: for a layout that is read line by line, the last record
    before this line in its file."""

    path: str = ""
    line: int = 0
    side_inputs: Mapping[str, Any] = {}
    before: Record | None = None


class Refusal(NamedTuple):
    """Why a record is not an event. `arrival_us` is kept where it could be read."""

    reason: str
    detail: str
    arrival_us: int | None = None


@dataclass(frozen=True)
class Column:
    """A column of the silver table. Types: string, int64, float64, bool, timestamp, date.

    `personal`: values say of which person an event is. Reports and messages show none of them, and `windrow forget
    --where` erases the events of one.

    `low` and `high` are the least and greatest possible values, not those seen so far: a value beyond them is refused.
    Every column of numbers needs both, since one damaged reading near the ends of int64 or float64 would take the sums
    of its whole day beyond these types.
    """

    name: str
    type: str
    meaning: str
    unit: str | None = None
    low: float | None = None
    high: float | None = None
    nullable: bool = True
    personal: bool = False


IN_ORDER, BY_NAME = "in order", "by name"
WITHIN_LINES, ACROSS_LINES = "within lines", "across lines"
# More than any system has numbered one by one, or a network has carried for one of its users.
MOST = 10**15


def packed_or_not(*stems: str, ending: str = "csv") -> tuple[str, ...]:
    """Patterns of files that are packed by gzip, zstd or zip (one file in each), or not packed. A file that is still
    being written, such as `x.csv.gz.part`, fits none of them."""
    endings = (ending, f"{ending}.gz", f"{ending}.zst", "*zip")  # x.zip and x.csv.zip
    return tuple(f"{stem}.{each}" for stem in stems for each in endings)


@dataclass(frozen=True)
class Layout:
    """One way in which the stream's lines are written.

    header: the fields of the first line. None: the files have no header, and `paths` choose the layout
    parse: turns a line's fields and place into records or refusals. If it raises ValueError, the line is refused as
        `unreadable`, with the error's text as the detail
    identity: when two records are the same event: "line" (their lines of this layout are equal), a tuple of columns,
        `start`, `end` and `arrival` (these are equal), or None (never). A record in which all of these are null is
        never a duplicate
    members: for lines that are JSON objects, the members that are fields (`rider.id` is within the object `rider`).
        Their values are texts, numbers as they are written, and "" for null or a missing member
    line_by_line: one process parses each file, so that `parse` sees the record before a line
    columns: how a file's header must match: "in order", or "by name", where the columns may have any order and the
        file may have others too; `parse` gets them in the order of `header`
    optional: members, or columns by name, that a file may lack; their values are "" then
    quoting: whether a field may be in double quotes: "within lines", "across lines" (it may hold line breaks), or None
        (a quote is an ordinary character)
    example: a line and its place. The stream's page shows its records
    """

    name: str
    paths: tuple[str, ...]
    header: tuple[str, ...] | None
    parse: Callable[[list[str], Place], Iterable[Record | Refusal]]
    identity: str | tuple[str, ...] | None
    delimiter: str = ","
    fields: int | None = None  # how many a line has; None: ragged lines are the layout's own affair
    members: tuple[str, ...] | None = None  # None: lines have a delimiter
    line_by_line: bool = False
    columns: str = IN_ORDER
    optional: tuple[str, ...] = ()
    quoting: str | None = WITHIN_LINES
    example: tuple[Place, str] | None = field(default=None, hash=False)
    names: tuple[str, ...] | None = None  # of one file's layout, where columns go by name: its own header


@dataclass(frozen=True)
class SideInput:
    """Files without events that a layout needs to parse other files. They are read before any line is parsed. A change
    of such a file counts as a change of the stream's definition: silver is made again.

    `read` gets the lines of all these files, in the order of their paths, and returns what `Place.side_inputs` holds.
    """

    name: str
    paths: tuple[str, ...]
    meaning: str
    read: Callable[[Iterable[str]], object]


WARN, FAIL = "warn", "fail"


class Limit(NamedTuple):
    """The most that is still right, and whether an ingest that finds more warns or fails."""

    most: Any
    then: str = WARN


@dataclass(frozen=True)
class Stream:
    """A stream's definition.

    Limits on what lands; None means no limit. refused_share: refused records ÷ records of the files that an ingest
    takes, from 0 to 1. refused_files: how many files may have no accepted record. no_new_file_for: how many whole days
    may pass without a new file.
    """

    name: str
    title: str
    source: str
    layouts: tuple[Layout, ...]
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    buckets: int
    ahead_at_most: timedelta
    zone: str
    clock_rule: str
    first_day: date
    last_day: date | None = None
    idle_after: timedelta | None = None  # silence after which the watermark goes on (schemas/validation.py)
    why_these_days: str = ""  # why no event can arrive earlier; why the stream has ended, or hasn't
    not_events: tuple[tuple[str, str], ...] = ()  # (path pattern, why): skipped with a message
    side_inputs: tuple[SideInput, ...] = ()
    refusals: dict[str, str] = field(default_factory=dict)  # the stream's own reasons and what they mean
    refused_share: Limit | None = Limit(0.1)
    refused_files: Limit | None = Limit(0)
    no_new_file_for: Limit | None = None
    start_meaning: str = "when it began"
    arrival_meaning: str = "when it could be known"

    def require_day(self, day: date) -> None:
        """OutsideStream unless the day is one of the stream's."""
        if not self.first_day <= day <= self.newest_day:
            raise OutsideStream(self.name, day, self.first_day, self.newest_day)

    @property
    def newest_day(self) -> date:
        """The last of the stream's days; the last that there can be, where it has no last day."""
        return min(self.last_day or LAST_DAY, LAST_DAY)

    def layout(self, name: str | None) -> Layout | None:
        """The layout of that name, if there is one."""
        return next((layout for layout in self.layouts if layout.name == name), None)

    @cached_property
    def personal(self) -> tuple[str, ...]:
        """The columns whose values say of which person an event is."""
        return tuple(column.name for column in self.columns if column.personal)

    def column(self, name: str) -> Column:
        """The column of that name; StopIteration can't happen for names that a query's check let through."""
        return next(column for column in self.columns if column.name == name)

    @cached_property
    def positions(self) -> dict[str, int]:
        """Where each column stands among the values of a record."""
        return {column.name: i for i, column in enumerate(self.columns)}

    @cached_property
    def bounds(self) -> tuple[tuple[int, float, float], ...]:
        """(position, least, greatest) of each number column; NaN and infinities are outside of all bounds."""
        return tuple((i, *_bounds(column)) for i, column in enumerate(self.columns) if column.type in _WIDEST)

    @cached_property
    def required(self) -> tuple[int, ...]:
        """Positions of the columns that can't be null."""
        return tuple(i for i, column in enumerate(self.columns) if not column.nullable)

    @cached_property
    def ahead_at_most_us(self) -> int:
        """`ahead_at_most` in µs."""
        return self.ahead_at_most // _MICROSECOND

    @cached_property
    def arrivals_us(self) -> tuple[int, int]:
        """First and last µs since the epoch, UTC, of the stream's days."""
        after = self.newest_day + timedelta(days=1)
        return (self.first_day - _EPOCH) // _MICROSECOND, (after - _EPOCH) // _MICROSECOND - 1


def _bounds(column: Column) -> tuple[float, float]:
    least, greatest = _WIDEST[column.type]
    return least if column.low is None else column.low, greatest if column.high is None else column.high


# How many refused records of a file are kept, and of each how many characters of its line: bronze has all lines.
KEPT_REFUSALS, KEPT_CHARACTERS = 1_000, 1_000
# Reasons that every stream shares, in the order in which a line is checked.
COMMON_REFUSALS = {
    "unreadable file": "the file could not be read to its end (truncated or damaged); it counts as one record",
    "unknown layout": "the file's first line is no header of the stream, or an object or row lacks a member",
    "line too long": "the line is longer than 1 MiB; its first 1,000 characters are kept",
    "NUL byte": "the line holds a NUL byte",
    "not UTF-8": "the line is not UTF-8 text",
    "wrong column count": "the line has fewer or more fields than its layout",
    "unreadable": "a field can't be read as its type",
    "out of range": "a value is outside the range that the stream states",
    "end before start": "the event ends before it starts",
    "too far ahead": "the event claims to be further ahead of its arrival than `ahead_at_most`",
    "duplicate": "an event with the same identity came earlier by (arrival, seq)",
}
