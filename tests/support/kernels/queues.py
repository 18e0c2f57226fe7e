"""What the tests of the queue kernels share: windows with the drawn examples' content, and spoiled memory."""

import itertools

from kernels.aggregators import make
from kernels.aggregators._queue.check import QueueView
from kernels.runtime.struct import words_at
from schemas.query import agg

INT = {"v": "int64"}
SUM = {"sum": agg("sum", "v")}
LAST = {"last": agg("last", "v")}


def filled(kernel, times, **options):
    """A window with a value at each time that equals it."""
    window = make(kernel, SUM, column_types=INT, **options)
    for time in times:
        window.insert(time, time)
    return window


def view(window):
    return QueueView(window._address, window._plan)


def sums(window):
    """What each entry's state says, read as an exact sum: high, low, values."""
    return [int(state[0] * (1 << 32) + state[1]) for state in view(window).states]


def spoil_state(window, entry):
    """Raise the low word of the sum in an entry's state."""
    seen = view(window)
    spoil(seen.queue.states + seen.queue.state_bytes * seen.place(entry))


def spoil_time(window):
    """Move the oldest entry to the far future."""
    seen = view(window)
    seen.queue.times[seen.place(0)] += 1_000_000


def spoil(state):
    """Raise the low word of the sum in the state at an address."""
    words_at(state)[1] += 1_000_000


def capacities(window, steps, size):
    """Entries that there is room for, while a window of `size` entries slides."""
    found = []
    for start in range(0, steps * size, size // 10):
        window.bulk_insert(range(start, start + size // 10), range(size // 10))
        window.bulk_evict(start + size // 10 - size)
        found.append(view(window).queue.capacity)
    window.check()
    return found


def slide_every_way(kernel, most=14):
    """Bursts and bulk evictions of every size below `most`, at every place of a small ring."""
    for size, evicted in itertools.product(range(1, most), repeat=2):
        window, first, end = make(kernel, SUM, column_types=INT), 0, 0
        for _ in range(8):
            window.bulk_insert(range(end, end + size), range(end, end + size))
            end += size
            window.check()
            first = min(first + evicted, end)
            window.bulk_evict(first - 1)
            window.check()
            assert (window.query()["sum"] or 0, len(window)) == (sum(range(first, end)), end - first)
