"""Half-hourly readings of meters in London's local time: at the end of summer time the lines of an hour come twice."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tests.support import trips
from windrow.pipelines.config import Config
from windrow.pipelines.ingest import parse
from windrow.pipelines.ledger import code_hash
from windrow.schemas import registry
from windrow.schemas.fields import decimal_number
from windrow.schemas.local_time import LocalClock
from windrow.schemas.stream import Column, Layout, Place, Record, Stream

ZONE = "Europe/London"
CLOCK = LocalClock(ZONE)
HEADER = "meter,read_at,kwh"
HALF_AN_HOUR = timedelta(minutes=30)
# Local midnight of the day of 25 hours; its clocks go back at 01:00 UTC.
MIDNIGHT = datetime(2012, 10, 27, 23, tzinfo=UTC)


def parse_reading(fields: list[str], place: Place) -> list[Record]:
    """A line is a reading, later than that of the same meter before it."""
    meter, read_at, kwh = fields
    read_us, second_us, _ = CLOCK.read(read_at)
    before = place.before
    if before is not None and before.values[0] == meter and read_us <= before.start_us:
        read_us = second_us
    return [Record(read_us, read_us, read_us, (meter, decimal_number(kwh)))]


IN_ORDER = Layout(
    name="readings",
    paths=("meters/*.csv",),
    header=tuple(HEADER.split(",")),
    parse=parse_reading,
    identity=("meter", "start"),
    fields=3,
    line_by_line=True,
)
BY_LINE = replace(IN_ORDER, identity="line", line_by_line=False)
STREAM = Stream(
    name="meters",
    title="readings of a test",
    source="this file",
    layouts=(IN_ORDER,),
    columns=(Column("meter", "string", "a meter"), Column("kwh", "float64", "energy", "kWh", low=0, high=100)),
    key=("meter",),
    buckets=2,
    ahead_at_most=timedelta(0),
    zone=ZONE,
    clock_rule="the first meaning that is after the meter's reading before it",
    first_day=date(2011, 1, 1),
)


def readings(meter: str, first: datetime, count: int, kwh: float = 0.25) -> Iterator[tuple[str, datetime, float]]:
    """So many of a meter, one each half an hour."""
    return ((meter, first + n * HALF_AN_HOUR, kwh) for n in range(count))


def line(meter: str, read_at: datetime, kwh: float) -> str:
    """As the file has it."""
    return f"{meter},{read_at.astimezone(ZoneInfo(ZONE)):%Y-%m-%d %H:%M:%S},{kwh}"


def land(config: Config, path: str, of_file: Iterable[tuple[str, datetime, float]], header: str = HEADER) -> None:
    """Write a file of these readings."""
    trips.write_bytes(config, path, "\n".join([header, *(line(*each) for each in of_file), ""]).encode())


def make_known(monkeypatch: pytest.MonkeyPatch, stream: Stream, hashed: str = "of a test") -> None:
    """Let commands of this process know a stream that has no file."""
    monkeypatch.setitem(registry.streams(), stream.name, stream)
    for module in (parse, code_hash):
        monkeypatch.setattr(module, "stream_hash", lambda name: hashed)
