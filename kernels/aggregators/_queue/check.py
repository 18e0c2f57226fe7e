"""The invariants that all queues have, by plain Python over a copy of the memory; a reading view for the kernels' own.
"""

import numpy as np

from kernels.aggregators._checking import copied, differing_word, folded, suffixed
from kernels.aggregators._queue import layout
from kernels.plan import Plan


class QueueView:
    """times, states and values (None if none are kept) of the entries FIRST, FIRST + 1, …; `at` counts from there."""

    def __init__(self, queue: int, plan: Plan):
        self.header = copied(queue, layout.HEADER_WORDS)
        self.plan = plan
        self.first = int(self.header[layout.FIRST])
        self.size = int(self.header[layout.END]) - self.first
        self.closed = self.at(layout.CLOSED)
        self.times = self._entries(layout.TIMES, 1)[:, 0]
        self.states = self._entries(layout.STATES, plan.state_words)
        kept = int(self.header[layout.VALUES]) != 0
        self.values = self._entries(layout.VALUES, plan.state_words) if kept else None

    def at(self, word: int) -> int:
        """An ordinal of the header, counted from the oldest entry."""
        return int(self.header[word]) - self.first

    def _entries(self, block: int, words: int) -> np.ndarray:
        capacity = int(self.header[layout.CAPACITY])
        ring = copied(int(self.header[block]), words * capacity).reshape(capacity, words)
        return ring[(self.first - int(self.header[layout.LAP]) + np.arange(self.size)) % capacity]

    def scratch(self, number: int) -> np.ndarray:
        words = self.plan.state_words
        return copied(int(self.header[layout.SCRATCH]) + 8 * words * number, words)

    def check_fold(self, name: str, number: int, states: np.ndarray) -> None:
        """A scratch state is the aggregate of some states."""
        wrong = differing_word(self.plan, self.scratch(number), folded(self.plan, states))
        assert wrong is None, f"{name}: word {wrong[0]} of its aggregate"

    def check_own(self, name: str, first: int, last: int) -> None:
        """The entries [first, last) hold their own states."""
        if self.values is not None:
            wrong = differing_word(self.plan, self.states[first:last], self.values[first:last])
            assert wrong is None, f"{name}: entry {first + wrong[0]} holds its own state"

    def check_suffixes(self, name: str, first: int, last: int, end: int) -> None:
        """Each of the entries [first, last) holds the aggregate from itself to before `end`. Needs values."""
        if self.values is not None and first < last:
            wanted = suffixed(self.plan, self.values[first:end])[:last - first]
            wrong = differing_word(self.plan, self.states[first:last], wanted)
            assert wrong is None, f"{name}: entry {first + wrong[0]} holds the aggregate from itself to entry {end - 1}"


def view_checked(queue: int, plan: Plan) -> QueueView:
    """The view, after a check of what every queue promises."""
    view = QueueView(queue, plan)
    capacity, start = int(view.header[layout.CAPACITY]), view.first - int(view.header[layout.LAP])
    assert 0 <= view.size <= capacity, f"ring: {view.size} entries in a ring of {capacity}"
    assert 0 <= start < capacity, f"ring: the oldest entry stands at place {start} of {capacity}"
    assert bool(np.all(view.times[:-1] < view.times[1:])), "order: times ascend"
    assert view.closed == max(0, view.size - 1), "open entry: all but the youngest are closed"
    return view


def check_two_stacks(queue: int, plan: Plan) -> None:
    """Raise AssertionError naming the first invariant that doesn't hold. Without values the front can't be checked."""
    view = view_checked(queue, plan)
    middle = view.at(layout.MIDDLE)
    assert 0 <= middle <= view.closed, "front: it ends within the closed entries"
    view.check_suffixes("front", 0, middle, middle)
    view.check_own("back", middle, view.size)
    view.check_fold("back", layout.BACK, view.states[middle:view.closed])


def check_daba(queue: int, plan: Plan) -> None:
    """Raise AssertionError naming the first invariant that doesn't hold. Without values the regions that hold
    aggregates can't be checked."""
    view = view_checked(queue, plan)
    left, right, accumulator, middle = map(view.at, (layout.LEFT, layout.RIGHT, layout.ACCUMULATOR, layout.MIDDLE))
    assert 0 <= left <= right <= accumulator <= middle <= view.closed, "regions: they follow one another"
    assert right - left == accumulator - right, "regions: what is left to do on the left and on the right is as much"
    assert view.closed == 0 or middle - left + 1 == middle - (view.closed - middle), \
        "schedule: the front is finished just when the back has grown as long"
    view.check_suffixes("front", 0, left, middle)
    view.check_suffixes("left", left, right, right)
    view.check_own("right", right, accumulator)
    view.check_suffixes("accumulator", accumulator, middle, middle)
    view.check_own("back", middle, view.size)
    view.check_fold("back", layout.BACK, view.states[middle:view.closed])
    if view.values is not None:
        view.check_fold("middle sum", layout.MIDDLE_SUM, view.values[right:middle])


def check_total(queue: int, plan: Plan) -> None:
    """subtract_on_evict: the total is that of the closed entries."""
    view = view_checked(queue, plan)
    view.check_fold("total", layout.BACK, view.states[:view.closed])


def check_order(queue: int, plan: Plan) -> None:
    """recompute: entries in order."""
    view = QueueView(queue, plan)
    assert view.first == 0, "order: the oldest stands at place 0"
    assert bool(np.all(view.times[:-1] < view.times[1:])), "order: times ascend"
