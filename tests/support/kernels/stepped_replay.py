"""A replay whose steps Python takes, so that a test can look at its structures after each of them: the compiled
functions are those that a replay calls, in the order in which it calls them."""

from collections.abc import Callable

import numpy as np

from windrow.kernels.api import replay_keys
from windrow.kernels.replay import loop
from windrow.kernels.replay.clock import keep_steps
from windrow.kernels.replay.context import Replay
from windrow.kernels.replay.loop import create_structures, take_kernel
from windrow.kernels.replay.rows import order_rows
from windrow.kernels.runtime import operations
from windrow.kernels.runtime.guarded import guarded_entry
from windrow.kernels.runtime.operations import ask


@guarded_entry
def begin_replay(r: Replay):
    keep_steps(r.clock, r.window)
    create_structures(r)


@guarded_entry
def begin_key(r: Replay, first, end):
    take_kernel(r, first, end)


@guarded_entry
def finish_key(r: Replay, first_row):
    order_rows(r.rows, first_row)
    r.holder.reset(r.structure)


def replay_in_steps(monkeypatch, look: Callable[[Replay], None], *arguments):
    """The rows of replay_keys(*arguments); look(r) after each step of a key."""

    def asked(function, *words):
        return (
            _replay(Replay(words[0]), words[1], look)
            if function == loop.replay_calls().replay
            else ask(function, *words)
        )

    with monkeypatch.context() as patched:
        patched.setattr(operations, "ask", asked)
        return replay_keys(*arguments)


def _replay(r: Replay, keys: int, look: Callable[[Replay], None]) -> int:
    begin_replay(r.address)
    for r.key in range(keys):
        first, end = r.events.first_of_key[r.key], r.events.first_of_key[r.key + 1]
        first_row = r.rows.count
        begin_key(r.address, first, end)
        taken = [first]
        for step in _steps(r, first, end, taken):
            taken[0] = ask(*step)
            look(r)
        finish_key(r.address, first_row)
    return r.rows.count


def _steps(r: Replay, first: int, end: int, taken: list[int]):
    """The calls of one key: (function, word, …); taken: what the last one returned."""
    yield r.logic.start_key, r.address
    while first < end:
        tick, last = r.events.arrivals[first], first
        step = r.clock.step + int(np.searchsorted(_ticks(r), tick))
        if step > r.clock.step:
            yield r.logic.advance, r.address, step
        if r.logic.take_run != 0:
            yield r.logic.take_run, r.address, first, end
            last = taken[0]
        if last == first:
            while last < end and r.events.arrivals[last] == tick:
                last += 1
            yield r.logic.take_burst, r.address, first, last, tick
        first = last
    if r.clock.step < r.clock.steps:
        yield r.logic.advance, r.address, r.clock.steps


def _ticks(r: Replay) -> list[int]:
    """Those that the key at hand has not passed."""
    return [r.clock.ticks[step] for step in range(r.clock.step, r.clock.steps)]
