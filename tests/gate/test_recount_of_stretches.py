"""Counting by stretches of windows, and what rows of windows that depend on their key's other events can hold, against
counting it plainly."""

import random
from itertools import product
from math import fsum
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.small_lake import HOUR, asked
from windrow.pipelines.gate.recount import in_order
from windrow.pipelines.gate.recount.final_values import values_of_ranges
from windrow.pipelines.gate.recount.kinds.session import bounds_by_reach
from windrow.pipelines.gate.recount.order_statistics import means
from windrow.pipelines.gate.recount.plain.aggregates import aggregate
from windrow.pipelines.gate.recount.plain.ticks import Shape
from windrow.pipelines.gate.recount.rows_held import OrderedEvents, RowsToCount, bounds
from windrow.pipelines.gate.recount.stretches import StretchesOfWindows, Values
from windrow.schemas.query import agg, session

INT64 = st.integers(-(1 << 63), (1 << 63) - 1)


@pytest.mark.parametrize("apart", [1, 1 << 55], ids=["near", "far apart"])
@pytest.mark.parametrize("seed", range(20))
def test_sums_and_extremes_are_those_of_the_events_of_each_stretch(seed, apart):
    """Floats of all magnitudes, integers whose sums are beyond int64; late for some of an event's windows, or none."""
    chance = np.random.default_rng(seed)
    events = int(chance.integers(1, 60))
    keys, held_from = chance.integers(0, 3, events), chance.integers(-20, 20, events) * apart
    until = held_from + chance.integers(1, 15, events) * apart
    cuts = np.minimum(held_from + chance.integers(0, 15, events) // 5 * 5 * apart, until)
    found = StretchesOfWindows.of(keys, held_from, until, cuts)
    real = chance.normal(size=events) * 10.0 ** chance.integers(-290, 290, events)
    whole = chance.integers(-(2**62), 2**62, events)
    ones = np.ones(events, np.int64)
    counts, late_counts, sums = found.sums(ones), found.sums(ones, found.cuts), found.float_sums(real)
    high, low = found.whole_sums(whole)
    least, greatest = found.extremes(whole, least=True), found.extremes(real, least=False)
    for place in np.flatnonzero(found.until > found.first):
        held = (keys == found.keys[place]) & (held_from <= found.first[place]) & (found.first[place] < until)
        assert counts[place] == held.sum()
        assert late_counts[place] == (held & (found.first[place] < cuts)).sum()
        if not held.any():
            continue
        assert abs(sums[place] - fsum(real[held])) <= 1e-14 * fsum(abs(real[held]))
        assert int(high[place]) * 2**32 + int(low[place]) == sum(whole[held].tolist())
        assert (least[place], greatest[place]) == (whole[held].min(), real[held].max())


@given(st.lists(st.tuples(INT64, INT64).map(sorted), min_size=1, max_size=20))
def test_the_mean_of_two_integers_is_the_float_next_to_it(pairs):
    low, high = np.array(pairs, np.int64).T
    assert means(low, high).tolist() == [sum(pair) / 2 for pair in pairs]


@pytest.mark.parametrize("seed", range(20))
def test_longest_runs_of_any_stretches_are_those_of_their_events(seed):
    random = Random(seed)
    events = random.randrange(30)
    keys, held_from, numbers, starts_us = (
        np.array([random.randrange(below) for _ in range(events)], np.int64) for below in (2, 8, 6, 100)
    )
    until = held_from + np.array([random.randrange(5) for _ in range(events)], np.int64)
    present = np.array([random.random() < 0.8 for _ in range(events)], bool)
    places = np.array(random.sample(range(events), events), np.int64)
    found = StretchesOfWindows.of(keys, held_from, until, held_from)
    values = Values(found, numbers * present, present, {}, None, places, starts_us, starts_us)
    functions = ("longest_run", "longest_run_start", "longest_run_end")
    counted = [in_order.RECOUNTED[function](values) for function in functions]
    for stretch in range(len(found.first)):
        held = present & (found.begins <= stretch) & (stretch < found.ends)
        inside = sorted(np.flatnonzero(held), key=places.__getitem__)
        rows = [{"number": numbers[event], "start": starts_us[event]} for event in inside]
        wanted = [aggregate(agg(function, "number"), rows) for function in functions]
        assert [None if each.null[stretch] else each.value[stretch] for each in counted] == wanted


KEYS, TIMES = 3, 12


def random_events(seed: int, count: int) -> OrderedEvents:
    """In order of key and start, with many ties."""
    chance = random.Random(seed)
    found = sorted((chance.randrange(KEYS), chance.randrange(TIMES), chance.randrange(20)) for _ in range(count))
    return OrderedEvents(*np.array(found or np.zeros((0, 3)), np.int64).reshape(-1, 3).T)


@pytest.mark.parametrize("count", [0, 1, 2, 7, 8, 9, 100])
def test_events_before_a_place_that_had_arrived(count):
    events = random_events(count, count)
    places = np.repeat(np.arange(count + 1), 22)
    by = np.tile(np.arange(-1, 21), count + 1)
    plain = [int((events.arrivals_us[:place] <= time).sum()) for place, time in zip(places, by, strict=True)]
    assert events.arrived(places, by).tolist() == plain


def test_places_of_keys_and_times():
    events = random_events(5, 40)
    for key in range(KEYS + 1):
        for time in range(-1, TIMES + 2):
            before = [(each, start) < (key, time) for each, start in zip(events.keys, events.starts_us, strict=True)]
            assert events.place(np.array([key]), np.array([time])).tolist() == [sum(before)]


SHAPES = {
    "runs": Shape(),
    "some of a run": Shape(all_between=False),
    "up to a trigger": Shape(from_first=False),
}


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("seed", range(4))
def test_bounds_are_the_fewest_and_most_of_any_choice_among_ties(name, seed):
    shape, events = SHAPES[name], random_events(seed, 60)
    times = [(first, last + 1) for first in range(TIMES) for last in range(first, TIMES)]
    rows = [(key, *of, *at) for key in range(KEYS) for of in times for at in product((4, 19), (2, 30))]
    found = bounds(events, RowsToCount(*np.array(rows, np.int64).T), shape)
    for number, row in enumerate(rows):
        assert [int(column[number]) for column in found] == plain_bounds(events, row, shape), row


def plain_bounds(events: OrderedEvents, row: tuple, shape: Shape) -> list[int]:
    """Fewest, most, fewest late, most late and all that ever came."""
    key, first, end, emitted, reached = row
    last = end - 1
    every = list(zip(events.keys.tolist(), events.starts_us.tolist(), events.arrivals_us.tolist(), strict=True))
    of_key = [(start, arrival) for each, start, arrival in every if each == key]
    known = [(start, arrival) for start, arrival in of_key if arrival <= emitted]
    inside = [(start, arrival) for start, arrival in known if first <= start <= last]
    at_first, at_last = (sum(start == time for start, _ in inside) for time in (first, last))
    if not at_last or (shape.from_first and not at_first):
        return [0] * 5
    edges = {first, last} if shape.from_first else {last}
    surely = [each for each in inside if each[0] not in edges]
    least = len(surely) + len(edges) if shape.all_between else len(edges)
    late = [arrival > reached for _, arrival in inside]
    surely_late = sum(arrival > reached for _, arrival in surely) if shape.all_between else 0
    ever = sum(first <= start <= last for start, _ in of_key)
    return [least, len(inside), surely_late, sum(late), ever]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("gaps", [range(1, 5), range(3, 4)], ids=["of their own", "of 3"])
def test_rows_of_sessions_are_held_against_what_covers_their_ends(seed, gaps):
    chance, events = random.Random(seed), random_events(seed, 40)
    reaches = events.starts_us + np.array([chance.choice(gaps) for _ in events.keys])
    ends = [(first, end) for first in range(TIMES) for end in range(first + 1, TIMES + 5)]
    rows = [(key, *of, *at) for key in range(KEYS) for of in ends for at in product((4, 12, 19), (2, 30))]
    found = bounds_by_reach(events, reaches, RowsToCount(*np.array(rows, np.int64).T))
    every = list(zip(events.keys.tolist(), events.starts_us.tolist(), reaches.tolist(), events.arrivals_us.tolist(),
                     strict=True))  # fmt: skip
    for number, row in enumerate(rows):
        assert [int(column[number]) for column in found] == plain_bounds_by_reach(every, row), row
    assert found.ever.any()


def plain_bounds_by_reach(every: list[tuple], row: tuple) -> list[int]:
    key, first, end, emitted, reached = row
    of_key = [each[1:] for each in every if each[0] == key]
    inside = [each for each in of_key if first <= each[0] < end]
    known = [each for each in of_key if each[2] <= emitted]
    held = [each for each in known if each in inside]
    is_covered = any(start < time < until for start, until, _ in known for time in (first, end))
    has_ends = any(each[0] == first for each in held) and any(each[1] == end for each in held)
    begun = {start for start, _, _ in inside if not any(other < start < until for other, until, _ in of_key)}
    if is_covered or not has_ends or begun - {first}:
        return [0] * 5
    late = sum(arrival > reached for _, _, arrival in held)
    return [len(held), len(held), late, late, len(inside)]


@pytest.mark.parametrize("seed", range(5))
def test_aggregates_of_any_ranges_are_those_of_their_events(seed):
    chance = random.Random(seed)
    query = asked(
        window=session(HOUR), aggregates={"n": agg("count"), "s": agg("sum", "whole"), "most": agg("max", "whole")}
    )
    wholes = np.array([chance.randrange(-9, 9) for _ in range(50)])
    ranges = [sorted(chance.sample(range(51), 2)) for _ in range(30)]
    first, behind = np.array(ranges, np.int64).T
    found = values_of_ranges(query, {"value_0": wholes}, first, behind).to_pylist()
    plain = [wholes[low:high] for low, high in ranges]
    assert [row["recounted_0"] for row in found] == [len(each) for each in plain]
    assert [row["recounted_1"] for row in found] == [int(each.sum()) for each in plain]
    assert [row["recounted_2"] for row in found] == [int(each.max()) for each in plain]


def test_of_no_window_there_are_no_aggregates():
    nothing = np.zeros(0, np.int64)
    query = asked(window=session(HOUR), aggregates={"n": agg("count")})
    assert len(values_of_ranges(query, {}, nothing, nothing)) == 0
