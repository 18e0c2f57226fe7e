"""Real lines of a stream, as text in and records out: what the tests of every stream compare."""

import gzip
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from windrow.schemas.layouts import Chooser
from windrow.schemas.parsing import belongs, read_line
from windrow.schemas.stream import Layout, Place, Record, Stream

# (layout, line, start, end, arrival in UTC such as "2018-08-01 10:40:33.361", some columns)
Event = tuple[str, str, str, str, str, dict]


def choose_layout(stream: Stream, path: str, *lines: str) -> Layout | None:
    """The layout of a file with these first lines."""
    chooser = Chooser(stream, path)
    chooser.take(lines)
    return chooser.layout


def layouts_found(stream: Stream, files: list[tuple[str, str]]) -> list[str]:
    """The layout's name of each (path, first line); all must be the stream's."""
    assert all(belongs(stream, path) for path, _ in files)
    return [choose_layout(stream, *file).name for file in files]


def parsed(stream: Stream, layout: str, line: str, place: Place = Place()) -> list:  # noqa: B008 (a constant)
    """What a line of a layout says."""
    return read_line(stream, next(each for each in stream.layouts if each.name == layout), line, place)


def assert_event(stream: Stream, event: Event, place: Place = Place()) -> None:  # noqa: B008
    """The line is one event, with these times and columns."""
    layout, line, *times, columns = event
    [reading] = parsed(stream, layout, line, place)
    assert_reading(stream, reading, times, columns)


def assert_reading(stream: Stream, reading: object, times: Iterable[str], columns: dict) -> None:
    """It is an event with this start, end and arrival, and these columns."""
    assert isinstance(reading, Record), reading
    assert [utc(time_us) for time_us in reading[:3]] == [moment(text) for text in times]
    assert values(stream, reading, *columns) == columns


def values(stream: Stream, reading: Record, *names: str) -> dict:
    """Some columns of a record."""
    return {name: reading.values[stream.positions[name]] for name in names}


def reasons(found: list) -> list[str | None]:
    """Why each reading is refused; None for events."""
    return [None if isinstance(each, Record) else each.reason for each in found]


def utc(time_us: int) -> datetime:
    """A time of a record."""
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=time_us)


def moment(text: str) -> datetime:
    """A UTC time as the tests write it."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def lines_of(path: Path) -> list[str]:
    """The lines of a gzipped file, without their ends."""
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return [line.rstrip("\r\n") for line in file]


def side_inputs(stream: Stream, root: Path) -> dict[str, object]:
    """What the gzipped side inputs below a landing folder hold, by name."""
    return {
        side.name: side.read(
            line for pattern in side.paths for path in sorted(root.glob(pattern)) for line in lines_of(path)
        )
        for side in stream.side_inputs
    }
