"""The staircase gives P(E) as its definition does, whatever days it is put together from. No JVM."""

from dataclasses import replace
from datetime import date, timedelta

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.oracle.history import heartbeats
from tests.support.trips import TABLES
from windrow.kernels.api import PassTicks
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ingest import partitions
from windrow.pipelines.replay.watermark import PassTable
from windrow.pipelines.tables.arrival_days import ArrivalDay, ArrivalDays

pytestmark = pytest.mark.few_tests(2)

DAY_US = 86_400_000_000
FIRST = date(2020, 1, 1)
ORIGIN_US = 18_262 * DAY_US  # 2020-01-01
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
    """As ingest makes them of shares of silver; with heartbeats, where a stream has these (else 0)."""
    steps, stretches = [], []
    with duckdb.connect() as database:
        database.execute("SET TimeZone = 'UTC'")
        for events in filter(None, parts):
            database.register("silver", silver_of(events))
            steps.append(partitions.staircases(database))
            stretches.append(partitions.stretches(database, every_us))
        if every_us:
            steps.append(partitions.heartbeats_of(pa.concat_tables(stretches), every_us))
        return partitions.joined(database, pa.concat_tables(steps))


def passes(ticks, boundary_us: int) -> int | None:
    """First tick whose newest start reaches the boundary."""
    at = int(np.searchsorted(ticks.newest_start_us, boundary_us))
    return None if at == len(ticks.tick_us) else int(ticks.tick_us[at])


def read_ticks(
    config: Config, noted: dict[date, ArrivalDay], first: int, last: int, idle_after: timedelta | None = None
) -> PassTicks:
    """From one day to another, by their numbers."""
    tables = TABLES._replace(stream=replace(TABLES.stream, idle_after=idle_after or None))
    version = Lake(config).existing_version(TABLES.passes.name)
    return PassTable(Lake(config), tables, version, ArrivalDays(noted)).ticks(
        *(FIRST + timedelta(days=day) for day in (first, last))
    )


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


# In tenths of a day: whole ones tie with arrivals; None: no heartbeats.
IDLE = st.sampled_from((None, None, 0.3, 1, 2, 2.5, 9.9))


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(events=EVENTS, cut=st.integers(0, 25), idle=IDLE, days=st.lists(st.integers(0, 4), min_size=2, max_size=2))
def test_boundaries_are_passed_by_events_and_heartbeats_and_before_the_first_day_right_before_it(
    kept, events, cut, idle, days
):
    """P(E) by its definition, whatever the cut of the files. A heartbeat passes what an event that began so much
    earlier would pass, until two days behind the last arrival."""
    every_us, (first, last) = int((idle or 0) * STEP_US), sorted(days)
    steps = steps_of_parts([events[:cut], events[cut:]], every_us)
    assert steps.equals(steps_of_parts([events], every_us))
    Lake(kept).replace(TABLES.passes, {}, steps)
    since_us, end_us = (ORIGIN_US + day * DAY_US for day in (first, last + 1))
    moving = [(ORIGIN_US + arrival * STEP_US, ORIGIN_US + start * STEP_US) for arrival, start in events]
    moving = [each for each in moving if each[0] < end_us]
    arrivals = sorted({arrival_us for arrival_us, _ in moving})
    beats = heartbeats([*arrivals, end_us], every_us) if idle and arrivals else []
    moving += [(beat, beat - every_us) for beat in beats if beat < end_us]
    ticks = read_ticks(kept, noted_in(steps), first, last, timedelta(microseconds=every_us))
    assert np.all(np.diff(ticks.tick_us) > 0) and np.all(np.diff(ticks.newest_start_us) > 0)
    for boundary_us in {ORIGIN_US, *(start_us + by for _, start_us in moving for by in (0, 1))}:
        passed_us = min((at_us for at_us, start_us in moving if start_us >= boundary_us), default=None)
        expected = None if passed_us is None else max(passed_us, since_us - 1)
        assert passes(ticks, boundary_us) == expected


def noted_in(steps: pa.Table) -> dict[date, ArrivalDay]:
    """What ingest notes of the days that have these pass ticks."""
    newest = dict(zip(steps["arrival_date"].to_pylist(), steps["newest_start"].to_pylist(), strict=True))
    return {day: ArrivalDay(1, start, "", "", 0) for day, start in newest.items()}


def test_no_arrivals_no_steps(kept):
    Lake(kept).replace(TABLES.passes, {}, [])
    assert len(read_ticks(kept, {}, 0, 3_650).tick_us) == 0
