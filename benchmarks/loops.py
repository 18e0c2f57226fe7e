"""Compiled loops in which benchmarks run kernels (window_loops.py), by the same tables as objects and replays do."""

from benchmarks.cycle_clock import cycles
from windrow.kernels.aggregators._dispatch import PointKernel
from windrow.kernels.runtime.fields import Address, Ref
from windrow.kernels.runtime.memory import entry, inner
from windrow.kernels.runtime.struct import Struct, words_at


class DrivenWindow(Struct):
    """A window of a kernel, and the events whose values go into it."""

    kernel: Ref(PointKernel)
    window: Address
    events: Address


@entry
def create(driven, plan, option, other_option):
    """Make the structure; options: as the kernel's `create` takes them."""
    driven = DrivenWindow(driven)
    driven.window = driven.kernel.create(plan, option, other_option)


@entry
def destroy(driven):
    driven = DrivenWindow(driven)
    driven.kernel.destroy(driven.window)


@inner
def _evict(driven, until):
    driven.kernel.bulk_evict(driven.window, until)


@inner
def _insert(driven, times, rows):
    driven.kernel.insert_burst(driven.window, times, driven.events, rows)


@inner
def _query(driven):
    driven.kernel.query(driven.window)


@entry
def fill(driven, times, rows, burst):
    """Insert rows, a burst at a time."""
    driven = DrivenWindow(driven)
    for first in range(0, rows, burst):
        _insert(driven, times + 8 * first, min(burst, rows - first))


@entry
def insert_at(driven, times, rows):
    """Insert rows as one burst."""
    _insert(DrivenWindow(driven), times, rows)


@entry
def evict_oldest(driven, times, rows):
    """Evict entries one by one, the oldest each time."""
    driven = DrivenWindow(driven)
    for row in range(rows):
        driven.kernel.evict(driven.window, words_at(times)[row])


@entry
def slide(driven, times, bursts, burst, behind):
    """Evict a burst, insert a burst, query; again and again. behind: from the last eviction to the first insertion."""
    driven = DrivenWindow(driven)
    for turn in range(bursts):
        first = times + 8 * turn * burst
        _evict(driven, words_at(first)[burst - 1] - behind)
        _insert(driven, first, burst)
        _query(driven)


@entry
def pass_by(driven, times, until, rows):
    """Insert one, evict what is not younger than its `until`, query; again and again."""
    driven = DrivenWindow(driven)
    for row in range(rows):
        _insert(driven, times + 8 * row, 1)
        _evict(driven, words_at(until)[row])
        _query(driven)


@entry
def time_slide(driven, times, bursts, burst, behind, clock):
    """As slide; how many cycles each eviction and insertion took goes to the clock, two words a turn."""
    driven = DrivenWindow(driven)
    for turn in range(bursts):
        first = times + 8 * turn * burst
        until = words_at(first)[burst - 1] - behind
        began = cycles()
        _evict(driven, until)
        evicted = cycles()
        _insert(driven, first, burst)
        inserted = cycles()
        _query(driven)
        words_at(clock)[2 * turn] = evicted - began
        words_at(clock)[2 * turn + 1] = inserted - evicted


@entry
def evict_until(driven, time):
    """Evict, then query; the cycles of both."""
    driven = DrivenWindow(driven)
    began = cycles()
    _evict(driven, time)
    _query(driven)
    return cycles() - began
