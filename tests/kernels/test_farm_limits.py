"""A farm's limits: how much memory it may hold, how long a function may take, which options and tuples it takes."""

import time
from datetime import date, timedelta

import numpy as np
import pytest
from numba import config

from tests.support.kernels import heavy
from tests.support.kernels.marks import COMPILED, MODELS
from windrow.kernels import farm
from windrow.kernels.farm import monitor as monitors
from windrow.kernels.farm.content import OVER_TIME
from windrow.kernels.farm.layout import TO_BE_TAKEN, Descriptor
from windrow.kernels.farm.monitor import Monitor
from windrow.kernels.farm.once import compute_once
from windrow.kernels.runtime.memory import address_of, entry
from windrow.schemas.errors import BadInput, WrongParameter
from windrow.schemas.windows import Count, Delta, SlideByTuple, Sliding, Tumbling

US = timedelta(microseconds=1)
BY_TEN = Sliding(100 * US, 10 * US)
DEQUE_BYTES = 16
"""Of a tuple of one column in a private buffer."""


@MODELS
@pytest.mark.parametrize("workers", [1, 3])
def test_a_farm_works_within_the_least_memory_that_it_takes(model, workers):
    least, count = heavy.least_held(model, BY_TEN, workers=workers), 20_000 if not config.DISABLE_JIT else 3000
    if model == "agnostic":
        least *= 40  # one chunk is no room for a window
    with farm.make(model, BY_TEN, heavy.IN_ORDER, workers, most_held_bytes=least, ring=64) as made:
        for first in range(0, count, 1000):
            made.insert(np.arange(first, first + 1000), np.ones(1000))
        made.finish()
        made.check()
        windows, held = len(made.take().key), made.metrics().greatest_held_bytes
    assert windows == count // 10 + 9 and held <= least


@MODELS
def test_less_memory_than_a_farm_needs_is_refused(model):
    least = heavy.least_held(model, BY_TEN, workers=2)
    with pytest.raises(WrongParameter, match=f"allowed: {least} or more, for 2 {model} workers and 1 columns"):
        farm.make(model, BY_TEN, heavy.IN_ORDER, 2, most_held_bytes=least - 1)


@pytest.mark.slow
@COMPILED
def test_messages_take_at_most_half_of_what_active_workers_may_hold():
    """Blocks of eight workers become full at the same tuple."""
    most, options = heavy.least_held("active", BY_TEN, workers=8), {"parameters": {"p": 2000.0}}
    options |= {"function": heavy.SLOW, "workers": 8, "most_held_bytes": most}
    _, metrics = heavy.farmed("active", Sliding(80 * US, 10 * US), np.arange(4000), **options)
    assert 0 < metrics.greatest_held_bytes <= most // 2 + 8 * 2 * 256 * DEQUE_BYTES


@COMPILED
def test_a_private_buffer_that_moves_is_counted_twice():
    held = []
    for tuples in (16, 17):
        with farm.make("active", Tumbling(100 * US), heavy.IN_ORDER, 1) as made:
            made.insert(np.arange(1), np.ones(1))  # a message of its own: what comes behind it finds room for 16
            made.insert(np.arange(1, tuples), np.ones(tuples - 1))
            made.finish()
            held.append(made.metrics().greatest_held_bytes)
    assert held[1] - held[0] == 32 * DEQUE_BYTES


@COMPILED
def test_a_private_buffer_that_is_refused_is_never_made():
    """The worker computes no window whose tuples had no room."""
    with farm.make("active", Tumbling(100_000 * US), heavy.IN_ORDER, 1, most_held_bytes=1 << 20) as made:
        with pytest.raises(WrongParameter, match="most_held_bytes is 1048576; allowed: more"):
            made.insert(np.arange(1_000_000), np.ones(1_000_000))
            made.finish()
        assert made.metrics().greatest_held_bytes <= 1 << 20 and len(made.take().key) == 0


@pytest.mark.parametrize("chunk", [64, 1 << 10])
def test_keys_that_are_over_give_their_memory_back(chunk):
    """Half a window of each is left, in several chunks."""
    with farm.make(
        "agnostic", Count(100, 100, "event_time"), heavy.IN_ORDER, 2, keys=40, chunk=chunk, most_held_bytes=20_000
    ) as made:
        for key in range(40):
            made.insert(np.arange(150), np.ones(150), np.full(150, key))
            made.finish_key(key)
            made.check()
        made.finish()
        assert len(made.take().key) == 40


def test_tuples_that_no_window_can_have_give_their_memory_back():
    """Of each key 90 tuples lie close together, and one so much later that no window has them."""
    times = np.concatenate((np.arange(90), [10_000]))
    window = SlideByTuple(100 * US, 1000)
    with farm.make("agnostic", window, heavy.IN_ORDER, 1, keys=40, chunk=16, most_held_bytes=40_000) as made:
        for key in range(40):
            made.insert(times, np.ones(91), np.full(91, key))
            made.check()


def test_private_buffers_of_keys_that_are_over_are_given_back():
    with farm.make("active", Tumbling(100 * US), heavy.IN_ORDER, 2, keys=10) as made:
        made.insert(np.arange(1000), np.ones(1000), np.arange(1000) // 100)
        made.finish()
        private, until_s = (lambda: made._farm.held - made._farm.block_bytes), time.monotonic() + 10.0
        while private() > 0 and time.monotonic() < until_s:
            time.sleep(0.001)
        assert private() == 0


@pytest.mark.slow
@pytest.mark.parametrize("window", [Count(3, 3, "event_time"), SlideByTuple(3 * US, 3), Delta("value", 1.0, 1.0)])
def test_many_keys_with_few_tuples_take_little_memory(window):
    with farm.make("agnostic", window, heavy.IN_ORDER, 1, keys=100) as made:
        made.insert(np.repeat(np.arange(3), 100), np.ones(300), np.tile(np.arange(100), 3))
        made.check()
        assert made.metrics().greatest_held_bytes <= 100 * 512


def test_chunks_double_up_to_their_number_of_tuples():
    """16, 32, 64, and 100 from there on."""
    results, _ = heavy.farmed("agnostic", Count(400, 400, "event_time"), np.arange(800), workers=1, chunk=100)
    assert results.stretches.tolist() == [6, 5]


@pytest.mark.slow
@COMPILED
@MODELS
@pytest.mark.parametrize("use", ["insert", "take"])
def test_a_time_limit_holds_while_the_emitter_never_waits(model, use):
    """A window that begins with POISON is computed until it must end."""
    values, until_s = np.full(11, heavy.POISON), time.monotonic() + 10.0
    with farm.make(model, Tumbling(10 * US), heavy.ENDLESS, 1, seconds_a_window=0.1) as made:
        made.insert(np.arange(11), values)
        found = []
        while made.metrics().windows == 0 and time.monotonic() < until_s:
            made.insert(np.zeros(0, np.int64), np.zeros(0)) if use == "insert" else found.append(made.take())
            time.sleep(0.01)
        found.append(made.take())
    assert [each.status.tolist() for each in found if len(each.key)] == [[OVER_TIME]]


DAY_US = 86_400_000_000


@MODELS
@pytest.mark.parametrize("day", [-1, 2, 400])
def test_tuples_beyond_the_span_are_refused(model, day):
    """Of the days behind it no bounds are known."""
    window, span_us = Tumbling(timedelta(days=1), date(1970, 1, 1), "UTC"), (0, 2 * DAY_US - 1)
    with farm.make(model, window, heavy.IN_ORDER, 1, span_us=span_us) as made:
        made.insert(np.array([0, 2 * DAY_US - 1]), np.ones(2))
        with pytest.raises(BadInput, match=f"row 1 is {day * DAY_US} µs; allowed: 0 to 172799999999, the farm's span"):
            made.insert(np.array([0, day * DAY_US]), np.ones(2))
        made.finish()
        assert made.take().tuples.tolist() == [1, 1]


@MODELS
def test_a_function_reads_its_columns_by_name(model):
    """A column that it doesn't know is no weight, and its own may stand anywhere."""
    values = np.array([1.0, 3.0, 2.0, 7.0])
    weights, others = np.array([1.0, 1.0, 9.0, 1.0]), np.array([5.0, 0.0, 0.0, 0.0])
    plain = compute_once("polynomial_fit", np.arange(4), values).outputs
    weighted = compute_once("polynomial_fit", np.arange(4), np.array([values, weights])).outputs
    for columns, given, expected in (
        (("other", "value"), (others, values), plain),
        (("weight", "other", "value"), (weights, others, values), weighted),
    ):
        results, _ = heavy.farmed(
            model, Tumbling(10 * US), range(4), given, function="polynomial_fit", workers=1, columns=columns
        )
        assert results.outputs[0].tolist() == list(expected.values()) and plain["c1"] != weighted["c1"]


@pytest.mark.parametrize(
    ("times", "values", "message"),
    [
        ([0, 1], np.ones((3, 2)), "values is .3, 2.; allowed: 1 to 2 columns of 2 values"),
        ([0, 1], np.ones((1, 3)), "values is .1, 3.; allowed: 1 to 2 columns of 2 values"),
        ([1, 0], np.ones((1, 2)), "at row 1 the event time falls"),
        ([0, 1], np.array([[1.0, np.nan]]), "row 1 has NaN in value"),
    ],
)
def test_one_window_by_hand_takes_what_a_farm_takes(times, values, message):
    with pytest.raises((BadInput, WrongParameter), match=message):
        compute_once("polynomial_fit", times, values)


@MODELS
def test_an_error_stays_what_it_was(model):
    """Row and key are those of the batch in which it was."""
    message = "at row 2 the event time falls; .* of key 1"
    with farm.make(model, Tumbling(10 * US), heavy.IN_ORDER, 1, keys=2) as made:
        with pytest.raises(BadInput, match=message):
            made.insert(np.array([5, 5, 4]), np.ones(3), np.array([0, 1, 1]))
        for use in (lambda: made.insert(np.array([9]), np.ones(1)), lambda: made.finish_key(0), made.finish):
            with pytest.raises(BadInput, match=message):
                use()


@COMPILED
@pytest.mark.parametrize("window", [Count(10, 10, "event_time"), Delta("value", 10.0, 10.0)])
def test_a_window_has_its_bounds_before_a_worker_takes_it(window):
    """A worker that gets no memory for it writes none."""
    with farm.make("agnostic", window, heavy.ENDLESS, 1) as made:
        made.insert(np.arange(5, 51), heavy.POISON + np.arange(46.0))  # the first window never ends
        waiting = made._running.memory.descriptors[1]
        offsets = [Descriptor.offsets[field] // 8 for field in ("state", "start", "end")]
        assert waiting[offsets].tolist() == [TO_BE_TAKEN, 15, 25]


@COMPILED
def test_a_wait_ends_after_its_time():
    memory = np.zeros(Monitor.size_bytes // 8, np.int64)
    took_s = time.monotonic()
    wait_once(address_of(memory), 100)
    assert 0.09 < time.monotonic() - took_s < 5.0


@entry
def wait_once(address, ms):
    monitor = Monitor(address)
    monitors.create(monitor)
    monitors.enter(monitor)
    monitors.wait_at_most(monitor, ms)
    monitors.leave(monitor)
    monitors.end(monitor)
