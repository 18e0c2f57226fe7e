"""What goes wrong in a farm is in a window's row, or ends the farm with a message; nothing hangs; memory is bounded."""

import os
import signal
import threading
from datetime import timedelta

import numpy as np
import pytest
from numba import config

from tests.kernels.test_given_windows import BAD, POISONED, poisoned
from tests.kernels.test_replay_limits import handled
from tests.support.kernels import heavy
from tests.support.kernels.marks import COMPILED, MODELS
from windrow.kernels import farm
from windrow.kernels.farm import running
from windrow.kernels.farm.content import NO_MEMORY, OK, OVER_TIME, RAISED
from windrow.schemas.errors import WorkerLost, WrongParameter
from windrow.schemas.windows import Count, SlideByTuple, Sliding, Tumbling

US = timedelta(microseconds=1)
WAYS = pytest.mark.parametrize("way", ["agnostic", "active", "given windows"])


def results_of(way: str, function, **options):
    """Of windows of 10 tuples, of which numbers 2, 5 and 8 begin with POISON."""
    if way == "given windows":
        return poisoned(function, **options)[0]
    return heavy.farmed(way, Tumbling(10 * US), np.arange(100), POISONED, function=function, **options)[0]


def statuses(bad: int) -> list[int]:
    return [bad if number in BAD else OK for number in range(10)]


@pytest.mark.slow
@WAYS
@pytest.mark.parametrize(("function", "status"), [(heavy.RAISING, RAISED), (heavy.WITH_STATUS, heavy.OWN_STATUS)])
def test_a_function_that_raises_or_reports_costs_its_own_window_only(way, function, status):
    results = results_of(way, function)
    assert results.status.tolist() == statuses(status)
    assert np.isnan(results.outputs[BAD]).all() == (status == RAISED)
    assert results.outputs[0].tolist() == [10.0, 5.0 if status == RAISED else 10.0]


@COMPILED
@WAYS
@pytest.mark.parametrize(("function", "status"), [(heavy.GREEDY, NO_MEMORY), (heavy.ENDLESS, OVER_TIME)])
def test_a_window_without_memory_or_time_is_null_and_the_others_go_on(way, function, status):
    results = results_of(way, function, seconds_a_window=0.2)
    assert results.status.tolist() == statuses(status)
    assert np.isnan(results.outputs[BAD]).all() and results.outputs[3].tolist() == [10.0, 10.0]


@pytest.mark.slow
@COMPILED
@MODELS
def test_a_function_that_never_asks_whether_it_must_end_ends_the_farm_with_a_message(model, monkeypatch):
    monkeypatch.setattr(running, "GRACE_S", 0.1)
    with (
        pytest.raises(WorkerLost, match="doesn't end 0.1 s after it was told to"),
        farm.make(model, Tumbling(10 * US), heavy.DEAF, 2, seconds_a_window=0.1) as made,
    ):
        made.insert(np.arange(100), POISONED)
        with pytest.raises(WorkerLost, match="doesn't end 0.1 s after its limit of 0.1 s"):
            made.finish()
    made._farm.parameters[0] = 0.0  # the function works on memory of the farm, which is there until it ends
    for thread in heavy.workers_at_work():
        thread.join()


@pytest.mark.slow
@MODELS
def test_a_thread_that_ends_ends_the_farm_with_a_message(model, monkeypatch):
    def end_first(address, worker):
        if worker.number == 0:
            raise SystemExit("ended")
        return is_over(address, worker)

    is_over = running._is_over
    monkeypatch.setattr(running, "_is_over", end_first)
    with farm.make(model, Tumbling(10 * US), heavy.IN_ORDER, 2) as made:
        with pytest.raises(WorkerLost, match=r"a worker's thread ended: SystemExit\('ended'\)"):
            for first in range(0, 100_000, 100):
                made.insert(np.arange(first, first + 100), np.ones(100))
                made.finish()
        results = made.take()
    assert results.number.tolist() == list(range(len(results.key))) and (results.tuples == 10).all()
    assert not len(results.key) or (model == "agnostic" and set(results.status.tolist()) == {OK})


@pytest.mark.slow
@pytest.mark.few(2)
@COMPILED
@WAYS
def test_an_interrupt_ends_a_farm_that_waits(way):
    results_of(way, heavy.ENDLESS, seconds_a_window=0.1)  # compiles, so that it waits when the interrupt comes
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    with handled(signal.SIGINT), pytest.raises(KeyboardInterrupt):
        results_of(way, heavy.ENDLESS)
    assert not heavy.workers_at_work()


@MODELS
def test_a_farm_that_is_closed_early_computes_nothing_more(model):
    """Each worker ends the window at which it works, and takes no other one."""
    with farm.make(model, Tumbling(10 * US), heavy.ENDLESS, 2) as made:
        made.insert(np.arange(100), np.full(100, heavy.POISON))
    assert not heavy.workers_at_work()
    assert made.metrics().windows <= 2 and len(made.take().key) == 0


@MODELS
def test_a_closed_farm_takes_nothing_more_and_a_wrong_key_is_refused(model):
    with farm.make(model, Tumbling(10 * US), heavy.IN_ORDER, 2) as made:
        made.insert(np.arange(100), POISONED)
        with pytest.raises(WrongParameter, match="key is 1; allowed: an integer from 0 to 0"):
            made.finish_key(1)
        made.finish()
    made.close()
    for use in (
        lambda: made.insert(np.arange(100, 101), np.ones(1)),
        made.finish,
        lambda: made.finish_key(0),
        made.check,
    ):
        with pytest.raises(WrongParameter, match="the farm is 'closed'; allowed: one that is open"):
            use()
    assert len(made.take().key) == 10


SLOW_US = 200.0
TUPLE_BYTES = 16


BY_250 = Sliding(1000 * US, 250 * US)


@pytest.mark.slow
@pytest.mark.few(3)
@COMPILED
@pytest.mark.parametrize(
    ("model", "window", "workers", "most"),
    [
        ("agnostic", BY_250, 2, 1 << 17),
        ("agnostic", Count(1000, 250, "event_time"), 2, 1 << 17),
        ("agnostic", SlideByTuple(1000 * US, 250), 2, 1 << 17),
        ("active", BY_250, 1, 1 << 20),
        ("active", BY_250, 2, 1 << 20),
    ],
)
def test_memory_is_bounded_where_the_function_is_much_slower_than_the_source(model, window, workers, most):
    """400,000 tuples come as fast as they are taken; 1,600 windows of 200 µs take longer. 6.4 MB without the limit."""
    count, options = 400_000, {"function": heavy.SLOW, "parameters": {"p": SLOW_US}}
    results, metrics = heavy.farmed(model, window, np.arange(count), workers=workers, most_held_bytes=most, **options)
    windows, held = len(results.key), metrics.greatest_held_bytes
    assert windows >= 1597 and 1000 * TUPLE_BYTES <= held <= most < count * TUPLE_BYTES


@COMPILED
@MODELS
@pytest.mark.parametrize("window", [Tumbling(10_000 * US), Count(10_000, 10_000, "event_time")])
def test_the_largest_window_that_fits_and_the_next(model, window):
    refused, least = 0, 1 << 30
    while least - refused > 1:
        most = (refused + least) // 2
        refused, least = (refused, most) if fits(model, window, most) else (most, least)
    assert 10_000 * TUPLE_BYTES < least < 120 * 10_000
    with pytest.raises(WrongParameter, match=f"most_held_bytes is {refused}; allowed: more: the tuples of"):
        held_by(model, window, refused)


def fits(model: str, window, most: int) -> bool:
    try:
        return held_by(model, window, most) <= most
    except WrongParameter:
        return False


def held_by(model: str, window, most: int) -> int:
    """The most bytes that one window of 10,000 tuples takes."""
    with farm.make(model, window, heavy.IN_ORDER, 1, most_held_bytes=most) as made:
        for first in range(0, 10_000, 1000):
            made.insert(np.arange(first, first + 1000), np.ones(1000))
        made.finish()
        assert made.take().tuples.tolist() == [10_000]
        return made.metrics().greatest_held_bytes


@MODELS
@pytest.mark.parametrize("tuples", [10, 1_000, *[100_000, 1_000_000] * (not config.DISABLE_JIT)])
def test_windows_of_10_to_a_million_tuples(model, tuples):
    count = 2 * tuples
    results, metrics = heavy.farmed(model, Sliding(tuples * US, tuples // 5 * US), np.arange(count))
    assert results.tuples.max() == tuples and len(results.key) == 14
    assert metrics.windows == 14 and sum(metrics.windows_of_worker) == 14
    assert metrics.fragmentation == (1.0 if model == "active" else results.stretches.mean())


@MODELS
def test_skewed_keys_and_bursts(model):
    """Nine tenths of all tuples are of one key, and come in bursts of equal times."""
    rng = np.random.default_rng(7)
    count = 20_000 if not config.DISABLE_JIT else 300
    keys = np.where(rng.random(count) < 0.9, 0, rng.integers(1, 50, count))
    times = np.sort(rng.integers(0, 100, count) * 1000)
    with farm.make(model, Sliding(5000 * US, 1000 * US), heavy.IN_ORDER, 3, keys=50, ring=16) as made:
        made.insert(times, np.ones(count), keys)
        made.finish()
        results, metrics = made.take(), made.metrics()
    assert results.tuples.sum() == 5 * count and metrics.windows == len(results.key)
    calculated_s = [results.calculation_ns[results.worker == number].sum() / 1e9 for number in range(3)]
    assert metrics.busy_s_of_worker == pytest.approx(calculated_s)
    assert metrics.load_balance == pytest.approx(sum(calculated_s) / 3 / max(calculated_s))
    assert metrics.windows_of_worker == tuple((results.worker == number).sum() for number in range(3))
    assert model == "agnostic" or (results.worker == (results.key + results.number) % 3).all()
