"""A farm over windows whose tuples are all here gives what one call a window gives, on any number of workers; what goes
wrong is in the window's row."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.kernels import heavy
from tests.support.kernels.marks import COMPILED
from windrow.kernels.farm import given_windows, running
from windrow.kernels.farm.content import Result, WindowContent
from windrow.kernels.farm.given_windows import ComputeOptions, TuplesOfKeys, WindowsOfKeys, compute_windows
from windrow.kernels.farm.once import compute_once, status_text
from windrow.kernels.replay.late import BEFORE_ALL_US
from windrow.kernels.replay.stop import OVER_TIME as STOPPED
from windrow.schemas.errors import BrokenDefinition, TooManySeconds, WorkerLost, WrongParameter

SLIDE = 10


def tuples_of(times, values, arrivals=None, closed=None, has_value=None, offsets=None) -> TuplesOfKeys:
    count = len(times)
    return TuplesOfKeys(
        np.array([0, count] if offsets is None else offsets),
        np.asarray(times),
        np.asarray(times if arrivals is None else arrivals),
        np.full(count, BEFORE_ALL_US) if closed is None else np.asarray(closed),
        np.ones(count, bool) if has_value is None else np.asarray(has_value),
        np.atleast_2d(np.asarray(values, np.float64)),
    )


def tumbling(count: int, known_at: int = 1 << 60) -> WindowsOfKeys:
    starts = np.arange(count) * SLIDE
    return WindowsOfKeys(np.zeros(count, np.int64), starts, starts + SLIDE, np.full(count, known_at))


POISONED = np.where(np.arange(100) % 30 == 20, heavy.POISON, 1.0)
BAD = [2, 5, 8]


def poisoned(function, **options):
    return compute_windows(
        function, {}, tuples_of(np.arange(100), POISONED), tumbling(10), ComputeOptions(2, **options)
    )


@st.composite
def keys_and_windows(draw):
    """A few keys with equal times, arrivals in any order, tuples that missed windows, or have no value."""
    chance = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    keys, windows = draw(st.integers(1, 4)), draw(st.integers(0, 200))
    lengths = chance.integers(0, 60, keys)
    times = np.concatenate([np.sort(chance.integers(0, 100, length)) for length in lengths])
    count = len(times)
    tuples = tuples_of(
        times,
        chance.normal(size=count),
        times + chance.integers(0, 50, count),
        np.where(chance.random(count) < 0.2, times + chance.integers(0, 30, count), BEFORE_ALL_US),
        chance.random(count) < 0.9,
        np.concatenate(([0], np.cumsum(lengths))),
    )
    starts = chance.integers(-20, 120, windows)
    ends = starts + chance.integers(1, 60, windows)
    return tuples, WindowsOfKeys(
        np.sort(chance.integers(0, keys, windows)), starts, ends, chance.integers(0, 150, windows)
    )


def covered_by(tuples: TuplesOfKeys, key: int, start: int, end: int, known_at: int) -> list[int]:
    """Places of the tuples that a window covers."""
    places = range(tuples.offsets[key], tuples.offsets[key + 1])
    return [
        i
        for i in places
        if start <= tuples.times_us[i] < end and tuples.arrivals_us[i] <= known_at and tuples.closed_us[i] < end
    ]


@given(keys_and_windows(), st.integers(1, 5), st.sampled_from([1, 4, 1 << 14]))
def test_windows_are_what_one_call_each_gives(asked, workers, ring):
    tuples, windows = asked
    before, given_windows.MOST_RING = given_windows.MOST_RING, ring
    try:
        results, metrics = compute_windows("autoregression", {"order": 1}, tuples, windows, ComputeOptions(workers))
    finally:
        given_windows.MOST_RING = before
    assert metrics.windows == len(windows.key) == len(results.status)
    for place, (key, start, end, known_at) in enumerate(zip(*windows, strict=True)):
        covered = covered_by(tuples, key, start, end, known_at)
        chosen = [i for i in covered if tuples.has_value[i]]
        once = compute_once(
            "autoregression", tuples.times_us[chosen], tuples.values[:, chosen], {"order": 1}, (start, end)
        )
        found = (results.covered[place], results.tuples[place], status_text(results.status[place]))
        assert found == (len(covered), len(chosen), once.status)
        assert np.array_equal(results.outputs[place], list(once.outputs.values()), equal_nan=True)


@pytest.mark.slow
@COMPILED
def test_a_function_that_never_asks_whether_it_must_end_ends_the_farm_with_a_message(monkeypatch):
    monkeypatch.setattr(running, "GRACE_S", 0.1)
    kept = []
    monkeypatch.setattr(given_windows, "FarmMemory", lambda *given: kept.append(memory(*given)) or kept[-1])
    with pytest.raises(WorkerLost, match="doesn't end 0.1 s after it was told to"):
        poisoned(heavy.DEAF, seconds_a_window=0.1)
    kept[0].farm.parameters[0] = 0.0
    for thread in heavy.workers_at_work():
        thread.join()


memory = given_windows.FarmMemory


@COMPILED
def test_it_ends_when_the_replay_must():
    stop = np.zeros(1, np.int64)
    timer = threading.Timer(0.3, stop.__setitem__, (0, STOPPED))
    timer.start()
    with pytest.raises(TooManySeconds):
        poisoned(heavy.ENDLESS, stop=stop)


@COMPILED
def test_it_ends_also_where_it_never_waits():
    tuples, windows = tuples_of(np.arange(100_000), np.ones(100_000)), tumbling(10_000)
    with pytest.raises(TooManySeconds):
        compute_windows("quantiles", {}, tuples, windows, ComputeOptions(2, stop=np.ones(1, np.int64)))


def test_one_window_by_hand_has_no_outputs_either_where_the_function_raised():
    once = compute_once(heavy.RAISING, np.arange(2), np.array([[heavy.POISON, 1.0]]))
    assert once.status == "raised" and np.isnan(list(once.outputs.values())).all()


def test_a_time_limit_that_is_none_is_refused():
    with pytest.raises(WrongParameter, match="seconds_a_window is 0"):
        poisoned(heavy.IN_ORDER, seconds_a_window=0)


def test_it_says_how_much_memory_it_took():
    tuples, windows = tuples_of(np.arange(100_000), np.ones(100_000)), tumbling(10_000)
    _, metrics = compute_windows("quantiles", {}, tuples, windows, ComputeOptions(2))
    assert tuples.held_bytes < metrics.greatest_held_bytes < tuples.held_bytes + (1 << 14) * 200


def says_nothing(content: WindowContent, result: Result):
    result.values[0] = 1.0


def says_half(content: WindowContent, result: Result):
    return 1.5


@COMPILED
@pytest.mark.parametrize("compute", [says_nothing, says_half])
def test_a_function_that_gives_no_status_back_is_refused(compute):
    with pytest.raises(BrokenDefinition, match="Numba can't compile it"):
        poisoned(heavy.heavy(compute))
