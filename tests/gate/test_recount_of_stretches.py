"""Counting by stretches of windows gives what pairing every event with every window gives."""

from math import fsum
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.gate.recount import in_order
from pipelines.gate.recount.order_statistics import means
from pipelines.gate.recount.stretches import StretchesOfWindows
from pipelines.gate.recount.values import Values

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
    counted = [in_order.RECOUNTED[name](values) for name in ("longest_run", "longest_run_start", "longest_run_end")]
    for stretch in range(len(found.first)):
        held = present & (found.begins <= stretch) & (stretch < found.ends)
        inside = np.flatnonzero(held).tolist()
        ordered = sorted((places[number], numbers[number], starts_us[number]) for number in inside)
        wanted = longest([each[1:] for each in ordered])
        assert [None if each.null[stretch] else each.value[stretch] for each in counted] == wanted


def longest(events: list[tuple]) -> list:
    """Length, first and last start of the first of the longest runs."""
    runs = [[each] for each in events[:1]]
    for before, event in zip(events, events[1:], strict=False):
        if event[0] > before[0]:
            runs[-1].append(event)
        else:
            runs.append([event])
    run = max(runs, key=len, default=None)
    return [len(run), run[0][1], run[-1][1]] if run else [None] * 3
