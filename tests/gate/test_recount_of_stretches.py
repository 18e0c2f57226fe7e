"""Counting by stretches of windows gives what pairing every event with every window gives."""

from math import fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.config import Config
from pipelines.delta.lake import Lake
from pipelines.gate.recount.opening import open_recount
from pipelines.gate.recount.order_statistics import means
from pipelines.gate.recount.stretches import StretchesOfWindows
from tests.support import recount_oracle
from tests.support.small_lake import DAYS, asked, make_lake, random_events
from tests.support.small_windows import WINDOWS

INT64 = st.integers(-(1 << 63), (1 << 63) - 1)


@pytest.mark.slow
@pytest.mark.parametrize("emit", ["final", "watermark", "arrival"])
@pytest.mark.parametrize("kind", WINDOWS)
def test_history_is_that_of_all_pairs(tmp_path, kind, emit):
    if kind.startswith("rolling") and emit == "arrival":
        pytest.skip("its rows are those of the youngest window only")
    made = make_lake(Config(tmp_path, tmp_path), asked(kind, emit), random_events(seed=11, count=60))
    for days in (DAYS[:1], DAYS[1:]):
        recount = open_recount(Lake(made.config), made.audited(*days))
        wanted = recount_oracle.history(recount)
        columns = "key_number, window_start_us, window_end_us, tick_us, revision, events, late_events"
        assert set(recount.rows(f"SELECT {columns} FROM history")) == wanted
        assert wanted or days == DAYS[:1]


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
