"""Heavy functions that tests give to farms: one whose outputs depend on every tuple and their order, and bad ones; and
what tests ask of farms."""

import threading

import numpy as np
import pytest

from windrow.kernels import farm
from windrow.kernels.farm.content import Result, WindowContent, column_of, must_stop
from windrow.kernels.farm.functions._function import HeavyFunction
from windrow.kernels.farm.monitor import now_ns, watched_word
from windrow.kernels.monoid import Parameter
from windrow.kernels.runtime.memory import resize
from windrow.schemas.errors import WrongParameter

POISON = -1.0
OWN_STATUS = 107
HUGE_WORDS = 1 << 56


def in_order(content: WindowContent, result: Result):
    """Outputs differ in the last bits if two tuples change places."""
    total, latest = 0.0, 0.0
    for s in range(content.stretch_count):
        stretch = content.stretches[s]
        values = column_of(stretch, 0)
        for i in range(stretch.count):
            total = total * 1.0000001 + values[i] / 3.0 + (stretch.times[i] - content.start) * 1e-7
            latest = values[i]
    result.values[0], result.values[1] = total, latest
    return 0


def raising(content: WindowContent, result: Result):
    """Raises for a window that begins with POISON, with half of its outputs written."""
    result.values[0] = content.count
    if column_of(content.stretches[0], 0)[0] == POISON:
        raise ValueError("a poisoned window")
    result.values[1] = content.parameters[0]
    return 0


def with_status(content: WindowContent, result: Result):
    """A status of its own for a window that begins with POISON."""
    result.values[0] = result.values[1] = content.count
    return OWN_STATUS if column_of(content.stretches[0], 0)[0] == POISON else 0


def endless(content: WindowContent, result: Result):
    """Ends a window that begins with POISON only when it must."""
    result.values[0] = result.values[1] = content.count
    while column_of(content.stretches[0], 0)[0] == POISON:
        stopped = must_stop(content)
        if stopped != 0:
            return stopped
    return 0


def deaf(content: WindowContent, result: Result):
    """Never asks whether it must end: it does once its parameter is 0 in memory."""
    while watched_word(content.parameters.address) != 0:
        result.values[0] = result.values[1] = content.count
    return 0


def greedy(content: WindowContent, result: Result):
    """Asks for more memory than there is, for a window that begins with POISON."""
    if column_of(content.stretches[0], 0)[0] == POISON:
        resize(0, HUGE_WORDS)
    result.values[0] = result.values[1] = content.count
    return 0


def slow(content: WindowContent, result: Result):
    """Takes as many µs as its parameter says."""
    began = now_ns()
    while now_ns() - began < content.parameters[0] * 1e3:
        result.values[0] = result.values[1] = content.count
    return 0


def heavy(compute) -> HeavyFunction:
    return HeavyFunction(
        ("value",), lambda values: ("one", "two"), compute, parameters=(Parameter("p", 5.0, 0.0, 1e9),)
    )


IN_ORDER, RAISING, WITH_STATUS, ENDLESS, DEAF, GREEDY, SLOW = map(
    heavy, (in_order, raising, with_status, endless, deaf, greedy, slow)
)


def least_held(model, window, **options) -> int:
    """The least most_held_bytes that a farm takes, as the message says."""
    with pytest.raises(WrongParameter, match="most_held_bytes is 1; allowed: [0-9]+ or more, for") as refused:
        farm.make(model, window, IN_ORDER, **options | {"most_held_bytes": 1})
    return int(refused.value.allowed.split()[0])


def workers_at_work() -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name.startswith("windrow-farm")]


def farmed(model, window, times, values=None, keys=None, *, function=IN_ORDER, **options):
    """Results and metrics of a farm of two workers that takes all tuples at once, of the value 1 unless others are
    given."""
    values = np.ones(len(times)) if values is None else np.asarray(values, float)
    with farm.make(model, window, function, **{"workers": 2} | options) as made:
        made.insert(np.asarray(times), values, keys)
        made.finish()
        made.check()
        return made.take(), made.metrics()
