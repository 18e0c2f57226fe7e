"""The invariants that all queues have, by plain Python over the memory as it stands; a view for the kernels' own."""

import numpy as np

from windrow.kernels.aggregators.baselines._queue import Queue
from windrow.kernels.objects.checking import ExpectedStates, differing_word, exactly, folded, suffixed
from windrow.kernels.runtime.arrays import words_of
from windrow.kernels.states.state_plan import Plan


class QueueView:
    """times, states and values (None if none are kept) of a queue's entries, from the oldest on."""

    def __init__(self, queue: int, plan: Plan):
        self.queue, self.plan = Queue(queue), plan
        self.size = self.queue.end - self.queue.first
        self.closed = self.at(self.queue.closed)
        self.times = self._entries(self.queue.times.address, 1)[:, 0]
        self.states = self._entries(self.queue.states, plan.state_words)
        self.values = self._entries(self.queue.values, plan.state_words) if self.queue.values else None

    def at(self, ordinal: int) -> int:
        """An ordinal counted from the oldest entry."""
        return ordinal - self.queue.first

    def place(self, entry: int) -> int:
        """Where an entry, counted from the oldest, stands in the ring."""
        return (self.queue.first - self.queue.lap + entry) % self.queue.capacity

    def _entries(self, block: int, words: int) -> np.ndarray:
        ring = words_of(block, self.queue.capacity, words)
        return ring[(self.place(0) + np.arange(self.size)) % self.queue.capacity]

    def check_fold(self, name: str, state: int, states: np.ndarray) -> None:
        """The state at an address is the aggregate of some states."""
        wrong = differing_word(self.plan, words_of(state, self.plan.state_words), folded(self.plan, states))
        assert wrong is None, f"{name}: word {wrong[0]} of its aggregate"

    def check_own(self, name: str, first: int, last: int) -> None:
        """The entries [first, last) hold their own states."""
        if self.values is not None:
            wrong = self._wrong(first, last, exactly(self.values[first:last]))
            assert wrong is None, f"{name}: entry {wrong} holds its own state"

    def check_suffixes(self, name: str, first: int, last: int, end: int) -> None:
        """Each of the entries [first, last) holds the aggregate from itself to before `end`. Needs values."""
        if self.values is not None and first < last:
            states, slack = suffixed(self.plan, self.values[first:end])
            wrong = self._wrong(first, last, ExpectedStates(states[: last - first], slack[: last - first]))
            assert wrong is None, f"{name}: entry {wrong} holds the aggregate from itself to entry {end - 1}"

    def _wrong(self, first: int, last: int, expected: ExpectedStates) -> int | None:
        """The first of the entries [first, last) whose state isn't as it must be."""
        wrong = differing_word(self.plan, self.states[first:last], expected)
        return None if wrong is None else first + wrong[0]


def view_checked(queue: int, plan: Plan) -> QueueView:
    """The view, after a check of what every queue promises."""
    seen = Queue(queue)
    entries, start = seen.end - seen.first, seen.first - seen.lap
    assert 0 <= entries <= seen.capacity, f"ring: {entries} entries in a ring of {seen.capacity}"
    assert 0 <= start < seen.capacity, f"ring: the oldest entry stands at place {start} of {seen.capacity}"
    view = QueueView(queue, plan)
    assert bool(np.all(view.times[:-1] < view.times[1:])), "order: times ascend"
    assert view.closed == max(0, view.size - 1), "open entry: all but the youngest are closed"
    return view


def check_two_stacks(queue: int, plan: Plan) -> None:
    """Raise AssertionError naming the first invariant that doesn't hold. Without values the front can't be checked."""
    view = view_checked(queue, plan)
    middle = view.at(view.queue.middle)
    assert 0 <= middle <= view.closed, "front: it ends within the closed entries"
    view.check_suffixes("front", 0, middle, middle)
    view.check_own("back", middle, view.size)
    view.check_fold("back", view.queue.back, view.states[middle : view.closed])


def check_daba(queue: int, plan: Plan) -> None:
    """Raise AssertionError naming the first invariant that doesn't hold. Without values the regions that hold
    aggregates can't be checked."""
    view = view_checked(queue, plan)
    borders = (view.queue.left, view.queue.right, view.queue.accumulator, view.queue.middle)
    left, right, accumulator, middle = map(view.at, borders)
    assert 0 <= left <= right <= accumulator <= middle <= view.closed, "regions: they follow one another"
    assert right - left == accumulator - right, "regions: what is left to do on the left and on the right is as much"
    assert view.closed == 0 or middle - left + 1 == middle - (view.closed - middle), (
        "schedule: the front is finished just when the back has grown as long"
    )
    view.check_suffixes("front", 0, left, middle)
    view.check_suffixes("left", left, right, right)
    view.check_own("right", right, accumulator)
    view.check_suffixes("accumulator", accumulator, middle, middle)
    view.check_own("back", middle, view.size)
    view.check_fold("back", view.queue.back, view.states[middle : view.closed])
    if view.values is not None:
        view.check_fold("middle sum", view.queue.middle_sum, view.values[right:middle])


def check_total(queue: int, plan: Plan) -> None:
    """subtract_on_evict: the total is that of the closed entries."""
    view = view_checked(queue, plan)
    view.check_fold("total", view.queue.back, view.states[: view.closed])


def check_order(queue: int, plan: Plan) -> None:
    """recompute: entries in order."""
    view = QueueView(queue, plan)
    assert view.queue.first == 0, "order: the oldest stands at place 0"
    assert bool(np.all(view.times[:-1] < view.times[1:])), "order: times ascend"
