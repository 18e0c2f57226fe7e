"""Kernels that hold a window's entries in a ring keep what their docstrings draw, and check() finds what is wrong."""

import itertools
from functools import partial

import pytest

from windrow.kernels.aggregators import kernels, make, window_class
from windrow.kernels.aggregators.baselines._queue.check import QueueView
from windrow.kernels.runtime.struct import words_at
from windrow.schemas.errors import BadInput, NotServed, WrongParameter
from windrow.schemas.query import agg

TWO, DABA, SUBTRACT, PLAIN = KERNELS = "two_stacks_lite", "daba_lite", "subtract_on_evict", "recompute"
INT, FLOATS = {"v": "int64"}, {"v": "float64"}
SUM, LAST = {"sum": agg("sum", "v")}, {"last": agg("last", "v")}


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


def drawn(kernel, **options):
    """The window of the kernel's docstring."""
    window = filled(kernel, range(1, 7 if kernel == TWO else 11), **options)
    if kernel == TWO:
        window.evict(1)
        window.insert(7, 7)
    return window


def test_daba_changes_at_most_three_states_by_an_operation():
    """Worst-case constant work: the new entry, one that joins the front, one that joins the accumulator."""
    window = filled(DABA, range(1, 200))
    for step in range(200, 700):
        before = sums(window)
        if step % 3:
            window.insert(step, step)
            after = sums(window)[: len(before)]
        else:
            window.evict(window.oldest())
            before, after = before[1:], sums(window)
        assert sum(old != new for old, new in zip(before, after, strict=True)) <= 2


# By kernel: ranges that it answers of what it holds, and some that it would need the values for.
UNANSWERED = {TWO: [(3, 5)], DABA: [(1, 3), (3, 5), (4, 8), (7, 8)]}
ANSWERED = {
    TWO: [*((low, 8) for low in range(2, 8)), (3, 7), (6, 7)],
    DABA: [*((low, 11) for low in range(1, 11)), *((low, 9) for low in range(1, 9)), (5, 7)],
}


@pytest.mark.parametrize("kernel", UNANSWERED)
def test_without_values_only_what_is_held_is_answered(kernel):
    window = drawn(kernel, keep_values=False)
    for low, high in ANSWERED[kernel]:
        assert window.range_query(low, high) == {"sum": sum(range(low, high))}
    assert (window.range_query(4, 4), window.range_query(1, 11)) == ({"sum": None}, window.query())
    for low, high in UNANSWERED[kernel]:
        with pytest.raises(NotServed, match=f"range_query of {kernel}"):
            window.range_query(low, high)
        assert drawn(kernel).range_query(low, high) == {"sum": sum(range(low, high))}


@pytest.mark.parametrize("kernel", [each for each in kernels() if window_class(each).IN_ORDER_ONLY])
def test_a_late_event_is_refused_and_changes_nothing(kernel):
    """Monoid trees too."""
    window = filled(kernel, range(2, 8))
    with pytest.raises(BadInput, match=f"time 6 after 7: {kernel} takes events in order of time"):
        window.bulk_insert([9, 6, 8], [1, 1, 1])
    with pytest.raises(BadInput, match="time 4 is not the oldest, 2"):
        window.evict(4)
    window.check()
    assert (window.query(), len(window)) == ({"sum": 27}, 6)


def test_keep_values_is_checked():
    for wrong in (1, None, "yes"):
        with pytest.raises(WrongParameter, match="keep_values"):
            make(TWO, LAST, keep_values=wrong)


def test_an_aggregate_without_an_exact_inverse_is_refused_and_columns_are_integers_unless_named_otherwise():
    with pytest.raises(WrongParameter, match="'min of int64'.*count.*two_stacks_lite"):
        make(SUBTRACT, {"n": agg("count"), "low": agg("min", "v")})
    with pytest.raises(WrongParameter, match="'sum of float64'"):
        make(SUBTRACT, SUM, column_types=FLOATS)
    window = make(SUBTRACT, {"there": agg("count", "v")}, column_types=FLOATS)
    window.insert(1, 2.5)
    assert window.query() == {"there": 1}
    window = make(SUBTRACT, SUM)
    window.insert(1, 5.0)
    with pytest.raises(BadInput, match="2.5 is no int64"):
        window.insert(2, 2.5)
    assert window.query() == {"sum": 5}


def spoil(state):
    """Raise the low word of the sum in the state at an address."""
    words_at(state)[1] += 1_000_000


def spoil_entry(entry, window):
    seen = view(window)
    spoil(seen.queue.states + seen.queue.state_bytes * seen.place(entry))


def spoil_sum(field, window):
    spoil(getattr(view(window).queue, field))


def spoil_time(window):
    """Move the oldest entry to the far future."""
    seen = view(window)
    seen.queue.times[seen.place(0)] += 1_000_000


ENTRIES = {TWO: {"front": 1, "back": 4}, DABA: {"front": 1, "left": 2, "right": 4, "accumulator": 6, "back": 8}}
DAMAGES = [
    *((kernel, spoil_time, "order") for kernel in (TWO, DABA, PLAIN)),
    *((kernel, partial(spoil_entry, entry), f"{region}: entry {entry}")
      for kernel, entries in ENTRIES.items() for region, entry in entries.items()),
    (TWO, partial(spoil_sum, "back"), "back: word 1 of its aggregate"),
    (DABA, partial(spoil_sum, "back"), "back: word 1"),
    (DABA, partial(spoil_sum, "middle_sum"), "middle sum: word 1"),
    (SUBTRACT, partial(spoil_sum, "back"), "total"),
]  # fmt: skip


@pytest.mark.parametrize(("kernel", "spoiled", "named"), DAMAGES)
def test_check_finds_what_is_wrong(kernel, spoiled, named):
    window = drawn(kernel)
    spoiled(window)
    with pytest.raises(AssertionError, match=named):
        window.check()


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_window_that_slides_keeps_its_memory(kernel):
    """Growing by an eighth, it has room for at most that much more than it ever held."""
    window, room = make(kernel, SUM if kernel == SUBTRACT else LAST), []
    for start in range(0, 20_000, 100):
        window.bulk_insert(range(start, start + 100), range(100))
        window.bulk_evict(start + 100 - 1000)
        room.append(view(window).queue.capacity)
    window.check()
    assert room[-1] == room[len(room) // 2] <= 1100 * 9 / 8 + 4


@pytest.mark.nightly
@pytest.mark.parametrize("kernel", KERNELS)
def test_it_slides_every_way(kernel):
    """Bursts and bulk evictions of every size below 14, at every place of a small ring. As plain Python, which checks
    every access, too (test_compilation.py): DABA lite once wrote to entries that the same bulk eviction had taken."""
    for size, evicted in itertools.product(range(1, 14), repeat=2):
        window, first, end = make(kernel, SUM, column_types=INT), 0, 0
        for _ in range(8):
            window.bulk_insert(range(end, end + size), range(end, end + size))
            end += size
            window.check()
            first = min(first + evicted, end)
            window.bulk_evict(first - 1)
            window.check()
            assert (window.query()["sum"] or 0, len(window)) == (sum(range(first, end)), end - first)
