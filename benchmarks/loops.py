"""The compiled loops in which benchmarks run kernels (window_loops.py), by the same doors as objects and replays do.

`driven` is the address of three words: door, structure, source block of the events.
"""

from benchmarks.cycle_clock import cycles
from kernels.aggregators import _doors
from kernels.calls import ask_5
from kernels.memory import entry, inner, load, store

DOOR, WINDOW, SOURCE = range(3)


@entry
def create(driven, plan, option, other_option):
    """Make the structure; options: as CREATE of the kernel takes them."""
    store(driven, WINDOW, ask_5(load(driven, DOOR), 0, _doors.CREATE, plan, option, other_option))


@entry
def destroy(driven):
    ask_5(load(driven, DOOR), load(driven, WINDOW), _doors.DESTROY, 0, 0, 0)


@inner
def _evict(driven, until):
    ask_5(load(driven, DOOR), load(driven, WINDOW), _doors.BULK_EVICT, until, 0, 0)


@inner
def _insert(driven, times, rows):
    ask_5(load(driven, DOOR), load(driven, WINDOW), _doors.INSERT_BURST, times, load(driven, SOURCE), rows)


@inner
def _query(driven):
    ask_5(load(driven, DOOR), load(driven, WINDOW), _doors.QUERY, 0, 0, 0)


@entry
def fill(driven, times, rows, burst):
    """Insert rows, a burst at a time."""
    for first in range(0, rows, burst):
        _insert(driven, times + 8 * first, min(burst, rows - first))


@entry
def slide(driven, times, bursts, burst, behind):
    """Evict a burst, insert a burst, query; again and again. behind: from the last eviction to the first insertion."""
    for turn in range(bursts):
        first = times + 8 * turn * burst
        _evict(driven, load(first, burst - 1) - behind)
        _insert(driven, first, burst)
        _query(driven)


@entry
def time_slide(driven, times, bursts, burst, behind, clock):
    """As slide; how many cycles each eviction and insertion took goes to the clock, two words a turn."""
    for turn in range(bursts):
        first = times + 8 * turn * burst
        until = load(first, burst - 1) - behind
        began = cycles()
        _evict(driven, until)
        evicted = cycles()
        _insert(driven, first, burst)
        inserted = cycles()
        _query(driven)
        store(clock, 2 * turn, evicted - began)
        store(clock, 2 * turn + 1, inserted - evicted)


@entry
def evict_until(driven, time):
    """Evict, then query; the cycles of both."""
    began = cycles()
    _evict(driven, time)
    _query(driven)
    return cycles() - began
