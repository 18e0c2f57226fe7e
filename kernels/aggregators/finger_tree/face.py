"""The finger tree as an object for one window: for users, tests and notebooks. The replay uses the same functions."""

import weakref
from collections.abc import Sequence

import numpy as np

from kernels.aggregators.finger_tree import evict as eviction
from kernels.aggregators.finger_tree import insert as insertion
from kernels.aggregators.finger_tree import layout, scan, search
from kernels.aggregators.finger_tree import query as querying
from kernels.aggregators.finger_tree.check import check_tree
from kernels.columns import Columns
from kernels.memory import entry, lend, load, store
from kernels.monoids import AggregateSpec
from kernels.states import lower, make_plan
from schemas.errors import AggregateOverflow, WrongParameter

INSERT, EVICT, BULK_EVICT, OLDEST, YOUNGEST, LENGTH = range(6)


@entry
def _create(plan, min_arity):
    return layout.create(plan, min_arity)


@entry
def _destroy(tree):
    layout.destroy(tree)


@entry
def _change(tree, operation, time, source, rows):
    """One call for everything that doesn't answer with states: their machine code is made once. Answer:
    (found, number)."""
    if operation == INSERT:
        insertion.insert_burst(tree, time, source, rows)
    elif operation == EVICT:
        return eviction.evict(tree, time), 0
    elif operation == BULK_EVICT:
        eviction.bulk_evict(tree, time)
    elif search.is_empty(tree):
        return False, 0
    elif operation == OLDEST:
        return True, search.oldest(tree)
    elif operation == YOUNGEST:
        return True, search.youngest(tree)
    else:
        return True, scan.count_entries(tree)
    return True, 0


@entry
def _answer(tree, whole, low, high, answers):
    """Lower the aggregate of all entries, or of a range, into (word, is_null, overflowed) per slot."""
    state = querying.query(tree) if whole else querying.range_query(tree, low, high)
    plan = load(tree, layout.PLAN)
    for slot in range(load(plan, 0)):
        word, is_null, overflowed = lower(plan, state, slot)
        store(answers, 3 * slot, word)
        store(answers, 3 * slot + 1, 1 if is_null else 0)
        store(answers, 3 * slot + 2, 1 if overflowed else 0)


class FingerTree:
    """A window of entries (time, values): times are int64, values one per column, None for a null.

    n entries, d of them younger than the place of an insertion, m in a burst or an eviction. Memory: 2 words
    an entry beside its state. Errors: WrongParameter for a time outside int64 or values that don't fit their
    columns; AggregateOverflow.
    """

    OPTIONS = ("min_arity",)

    def __init__(self, aggregates: Sequence[AggregateSpec], min_arity: int = 8):
        if not isinstance(min_arity, int) or not 2 <= min_arity <= 1024:
            raise WrongParameter("min_arity", min_arity, "an integer from 2 to 1024")
        self._plan = make_plan(tuple(aggregates))
        self._columns = Columns(tuple(aggregates))
        self._answers = np.zeros(3 * int(self._plan.block[0]), np.int64)
        self._tree = _create(lend(self._plan.block), min_arity)
        self._close = weakref.finalize(self, _destroy, self._tree)

    def insert(self, t: int, v=None) -> None:
        """Insert one value (a tuple for several columns); at a time that is there, combine behind. O(log d)."""
        self.bulk_insert([t], [v])

    def bulk_insert(self, ts: Sequence[int], vs: Sequence) -> None:
        """Insert a burst in any order; of equal times the earlier in the burst stays in front. O(m log m + m
        log d)."""
        times = self._columns.times(ts)
        order = np.argsort(times, kind="stable")
        source = self._columns.source(vs, order)
        times = np.ascontiguousarray(times[order])
        if times.size:
            _change(self._tree, INSERT, lend(times), source.address, times.size)

    def evict(self, t: int) -> bool:
        """Remove the entry at `t`; False if there is none. O(log n)."""
        return bool(_change(self._tree, EVICT, self._columns.time(t), 0, 0)[0])

    def bulk_evict(self, t: int) -> None:
        """Remove all entries with times ≤ t. O(log m) amortised."""
        _change(self._tree, BULK_EVICT, self._columns.time(t), 0, 0)

    def query(self) -> tuple:
        """Aggregates of all entries, in the order asked for; None for a null. O(1) after in-order updates."""
        return self._lowered(True, 0, 0)

    def range_query(self, lo: int, hi: int) -> tuple:
        """Aggregates of the entries with times in [lo, hi). O(log n)."""
        return self._lowered(False, self._columns.time(lo), self._columns.time(hi))

    def oldest(self) -> int | None:
        """Time of the oldest entry, None if there is none. O(1)."""
        return self._number(OLDEST)

    def youngest(self) -> int | None:
        """Time of the youngest entry, None if there is none. O(1)."""
        return self._number(YOUNGEST)

    def __len__(self) -> int:
        """Number of different times. O(n / arity): an eviction doesn't look at what it drops, so nobody
        counts along."""
        return self._number(LENGTH) or 0

    def check(self) -> None:
        """Raise AssertionError with a sentence for the first invariant that doesn't hold. O(n)."""
        check_tree(self._tree, self._plan)

    def _number(self, operation: int) -> int | None:
        found, number = _change(self._tree, operation, 0, 0, 0)
        return int(number) if found else None

    def _lowered(self, whole: bool, low: int, high: int) -> tuple:
        _answer(self._tree, whole, low, high, lend(self._answers))
        answers = self._answers.reshape(-1, 3)
        for slot, spec in zip(self._plan.outputs, self._plan.specs, strict=True):
            if answers[slot, 2]:
                raise AggregateOverflow(spec.function, f"column {spec.column}")
        return tuple(self._columns.value(answers[slot], kind)
                     for slot, kind in zip(self._plan.outputs, self._plan.output_types, strict=True))
