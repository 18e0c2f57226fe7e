"""The staircase gives P(E) as its definition does, whatever days it is put together from. No JVM."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.replay import PassTicks
from pipelines.config import Config
from pipelines.delta.lake import Lake
from pipelines.ingest import partitions
from pipelines.replay.watermark import PassTable
from pipelines.tables.arrival_days import ArrivalDay, ArrivalDays
from tests.support.oracle.history import heartbeats
from tests.support.trips import TABLES

pytestmark = pytest.mark.few_tests(2)

DAY_US = 86_400_000_000
FIRST = date(2020, 1, 1)
ORIGIN_US = 18_262 * DAY_US  # 2020-01-01
ORIGIN = datetime(2020, 1, 1, tzinfo=UTC)
# (arrival, start), on a grid coarse enough that ticks tie, over three days.
EVENTS = st.lists(st.tuples(st.integers(0, 29), st.integers(-20, 40)), min_size=1, max_size=25)
STEP_US = DAY_US // 10


def silver_of(events: list[tuple[int, int]]) -> pa.Table:
    arrival = np.array([ORIGIN_US + arrival * STEP_US for arrival, _ in events])
    start = np.array([ORIGIN_US + start * STEP_US for _, start in events])
    stamp = pa.timestamp("us", "UTC")
    dates = pa.array((arrival // DAY_US).astype("int32")).cast(pa.date32())
    times = {"arrival": pa.array(arrival).cast(stamp), "start": pa.array(start).cast(stamp)}
    return pa.table({**times, "arrival_date": dates})


def steps_of(events: list[tuple[int, int]]) -> pa.Table:
    with duckdb.connect() as database:
        database.register("silver", silver_of(events))
        return partitions.staircases(database)


def steps_of_parts(parts: list[list[tuple[int, int]]], every_us: int) -> pa.Table:
    """With heartbeats, as ingest makes them of shares of silver."""
    steps, stretches = [], []
    with duckdb.connect() as database:
        database.execute("SET TimeZone = 'UTC'")
        for events in filter(None, parts):
            database.register("silver", silver_of(events))
            steps.append(partitions.staircases(database))
            stretches.append(partitions.stretches(database, every_us))
        beats = partitions.heartbeats_of(pa.concat_tables(stretches), every_us)
        return partitions.joined(database, pa.concat_tables([*steps, beats]))


def passes(ticks, boundary_us: int) -> int | None:
    """First tick whose newest start reaches the boundary."""
    at = int(np.searchsorted(ticks.newest_start_us, boundary_us))
    return None if at == len(ticks.tick_us) else int(ticks.tick_us[at])


def read_ticks(
    config: Config, noted: dict[date, ArrivalDay], first: date, last: date, idle_after: timedelta | None = None
) -> PassTicks:
    tables = TABLES._replace(stream=replace(TABLES.stream, idle_after=idle_after))
    version = Lake(config).existing_version(TABLES.passes.name)
    return PassTable(Lake(config), tables, version, ArrivalDays(noted)).ticks(first, last)


def by_definition(events: list[tuple[int, int]], boundary: int) -> int | None:
    return min((ORIGIN_US + arrival * STEP_US for arrival, start in events if start >= boundary), default=None)


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(EVENTS)
def test_a_days_staircase_rises_and_is_of_that_day_alone(events):
    rows = steps_of(events).to_pylist()
    for day in {row["arrival_date"] for row in rows}:
        of_day = [(row["tick"], row["newest_start"]) for row in rows if row["arrival_date"] == day]
        assert of_day == sorted(of_day)
        assert len({start for _, start in of_day}) == len({tick for tick, _ in of_day}) == len(of_day)
        number = (day - FIRST).days
        alone = [event for event in events if event[0] // 10 == number]
        assert [(row["tick"], row["newest_start"]) for row in steps_of(alone).to_pylist()] == of_day


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    config = Config(tmp_path_factory.mktemp("pass"), tmp_path_factory.mktemp("landing"))
    Lake(config).ensure(TABLES.passes)
    return config


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(events=EVENTS, first=st.integers(0, 3), last=st.integers(0, 3))
def test_joined_staircases_are_the_definition_and_what_passed_before_passed_right_before(kept, events, first, last):
    Lake(kept).replace(TABLES.passes, {}, steps_of(events))
    first, since_us = min(first, last), ORIGIN_US + min(first, last) * DAY_US
    ticks = read_ticks(kept, noted(events), FIRST + timedelta(days=first), FIRST + timedelta(days=last))
    arrived = [event for event in events if event[0] < 10 * (last + 1)]
    assert np.all(np.diff(ticks.tick_us) > 0) and np.all(np.diff(ticks.newest_start_us) > 0)
    for boundary in range(-21, 42):
        passed_us = by_definition(arrived, boundary)
        expected = max(passed_us, since_us - 1) if passed_us is not None else None
        assert passes(ticks, ORIGIN_US + boundary * STEP_US) == expected


# In tenths of a day: whole ones tie with arrivals.
IDLE = st.sampled_from((0.3, 1, 2, 2.5, 9.9))


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(events=EVENTS, cut=st.integers(0, 25), idle=IDLE, first=st.integers(0, 4))
def test_heartbeats_pass_what_events_that_began_so_much_earlier_would_pass(kept, events, cut, idle, first):
    """Read from any day on, until two days behind the last arrival, and whatever the cut of the files."""
    every_us, last = int(idle * STEP_US), 4
    steps = steps_of_parts([events[:cut], events[cut:]], every_us)
    assert steps.equals(steps_of_parts([events], every_us))
    Lake(kept).replace(TABLES.passes, {}, steps)
    arrivals = sorted({ORIGIN_US + arrival * STEP_US for arrival, _ in events})
    end_us = ORIGIN_US + (last + 1) * DAY_US
    beats = [beat for beat in heartbeats([*arrivals, end_us], every_us) if beat < end_us]
    moving = [(ORIGIN_US + arrival * STEP_US, ORIGIN_US + start * STEP_US) for arrival, start in events]
    moving += [(beat, beat - every_us) for beat in beats]
    since_us = ORIGIN_US + first * DAY_US
    noted_days = noted_in(steps, {arrival // 10 for arrival, _ in events})
    ticks = read_ticks(kept, noted_days, FIRST + timedelta(days=first), FIRST + timedelta(days=last),
                       timedelta(microseconds=every_us))  # fmt: skip
    assert np.all(np.diff(ticks.tick_us) > 0) and np.all(np.diff(ticks.newest_start_us) > 0)
    for boundary_us in {start_us + by for _, start_us in moving for by in (0, 1)}:
        passed_us = min((at_us for at_us, start_us in moving if start_us >= boundary_us), default=None)
        expected = None if passed_us is None else max(passed_us, since_us - 1)
        assert passes(ticks, boundary_us) == expected


def noted_in(steps: pa.Table, days: set[int]) -> dict[date, ArrivalDay]:
    """What ingest notes of the days that have these pass ticks."""
    newest = dict(zip(steps["arrival_date"].to_pylist(), steps["newest_start"].to_pylist(), strict=True))
    assert {*newest} == {FIRST + timedelta(days=day) for day in days}
    return {day: ArrivalDay(1, start, "", "", 0) for day, start in newest.items()}


def noted(events: list[tuple[int, int]]) -> dict[date, ArrivalDay]:
    """The newest start of each day, as ingest notes it."""
    newest: dict[date, datetime] = {}
    for arrival, start in events:
        day, began = FIRST + timedelta(days=arrival // 10), ORIGIN + start * timedelta(days=0.1)
        newest[day] = max(began, newest.get(day, began))
    return {day: ArrivalDay(1, start, "", "", 0) for day, start in newest.items()}


def test_no_arrivals_no_steps(kept):
    Lake(kept).replace(TABLES.passes, {}, [])
    assert len(read_ticks(kept, {}, FIRST, date(2030, 1, 1)).tick_us) == 0
