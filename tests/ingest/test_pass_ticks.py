"""The staircase gives P(E) as its definition does, whatever days it is put together from. No JVM."""

from datetime import UTC, date, datetime, timedelta

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels.replay import PassTicks
from pipelines.config import Config
from pipelines.ingest import pass_ticks
from pipelines.lake.arrival_days import ArrivalDay, ArrivalDays
from pipelines.lake.lake import Lake
from pipelines.replay import watermark
from tests.support.trips import TABLES

pytestmark = pytest.mark.few_tests(2)

DAY_US = 86_400_000_000
FIRST = date(2020, 1, 1)
ORIGIN_US = 18_262 * DAY_US  # 2020-01-01
ORIGIN = datetime(2020, 1, 1, tzinfo=UTC)
# (arrival, start), on a grid coarse enough that ticks tie, over three days.
EVENTS = st.lists(st.tuples(st.integers(0, 29), st.integers(-20, 40)), min_size=1, max_size=25)
STEP_US = DAY_US // 10


def steps_of(events: list[tuple[int, int]]) -> pa.Table:
    arrival = np.array([ORIGIN_US + arrival * STEP_US for arrival, _ in events])
    start = np.array([ORIGIN_US + start * STEP_US for _, start in events])
    stamp = pa.timestamp("us", "UTC")
    silver = pa.table(
        {
            "arrival": pa.array(arrival).cast(stamp),
            "start": pa.array(start).cast(stamp),
            "arrival_date": pa.array((arrival // DAY_US).astype("int32")).cast(pa.date32()),
        }
    )
    with duckdb.connect() as database:
        database.register("silver", silver)
        return pass_ticks.staircases(database)


def passes(ticks, boundary_us: int) -> int | None:
    """First tick whose newest start reaches the boundary."""
    at = int(np.searchsorted(ticks.newest_start_us, boundary_us))
    return None if at == len(ticks.tick_us) else int(ticks.tick_us[at])


def read_ticks(config: Config, noted: dict[date, ArrivalDay], first: date, last: date) -> PassTicks:
    passes = TABLES.passes.name, Lake(config).existing_version(TABLES.passes.name)
    return watermark.read_ticks(Lake(config), passes, ArrivalDays(noted), first, last)


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
@settings(max_examples=20, deadline=None)
@given(events=EVENTS, days=st.integers(1, 4))
def test_the_joined_staircase_is_the_definition(kept, events, days):
    Lake(kept).replace(TABLES.passes, {}, steps_of(events))
    ticks = read_ticks(kept, {}, FIRST, FIRST + timedelta(days=days - 1))
    arrived = [event for event in events if event[0] < 10 * days]
    assert np.all(np.diff(ticks.tick_us) > 0)
    assert np.all(np.diff(ticks.newest_start_us) > 0)
    for boundary in range(-21, 42):
        assert passes(ticks, ORIGIN_US + boundary * STEP_US) == by_definition(arrived, boundary)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(events=EVENTS, first=st.integers(0, 3))
def test_what_passed_before_the_first_day_that_is_read_passed_right_before_it(kept, events, first):
    Lake(kept).replace(TABLES.passes, {}, steps_of(events))
    since = FIRST + timedelta(days=first)
    since_us = ORIGIN_US + first * DAY_US
    ticks = read_ticks(kept, noted(events), since, FIRST + timedelta(days=3))
    for boundary in range(-21, 42):
        passed_us = by_definition(events, boundary)
        expected = max(passed_us, since_us - 1) if passed_us is not None else None
        assert passes(ticks, ORIGIN_US + boundary * STEP_US) == expected


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
