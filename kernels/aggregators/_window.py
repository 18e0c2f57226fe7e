"""What the object faces of all aggregators share: names of columns and outputs, sorting of bursts, errors.

A kernel gives a class with five compiled functions, each over the address of its structure:

    _create(plan, …options) → address          _destroy(address)
    _change(address, operation, time, source, rows) → (status, number)
    _answer(address, whole, low, high, answers): (word, is_null, failed) per slot into `answers`
    _check(address, plan): plain Python, raises AssertionError
"""

import weakref
from collections.abc import Mapping, Sequence

import numpy as np

from kernels.columns import Columns, name_aggregates
from kernels.memory import inner, lend, load, not_inlined, store
from kernels.monoids import find_monoid
from kernels.plan import SLOTS, make_plan
from kernels.states import lower
from schemas.errors import AggregateFailed, BadInput, NotServed
from schemas.query import Aggregate

INSERT, EVICT, BULK_EVICT, OLDEST, YOUNGEST, LENGTH = range(6)
DONE, NOTHING, OUT_OF_ORDER, NOT_OLDEST, NOT_KEPT = range(5)
"""Answers of _change: done; nothing is there; older than the youngest (number: that); not the oldest (number: that)."""


@inner
def lower_all(plan, state, answers):
    """Write (word, is_null, failed) per slot of a state."""
    not_inlined()
    for slot in range(load(plan, SLOTS)):
        word, is_null, failed = lower(plan, state, slot)
        store(answers, 3 * slot, word)
        store(answers, 3 * slot + 1, 1 if is_null else 0)
        store(answers, 3 * slot + 2, 1 if failed else 0)


class Window:
    """A window of entries (time, values): times int64 in µs; a value a number or None for a null, a tuple of them
    where the aggregates name several columns. Events of equal times combine to one entry, in order of insertion.

    Raises WrongParameter for a time outside int64, BadInput for a NaN, for values that don't fit their columns and for
    an eviction of what isn't there, AggregateFailed for an aggregate without a right answer.
    """

    OPTIONS: tuple[str, ...] = ()
    DEFAULT_TYPE = "float64"

    def __init__(self, aggregates: Mapping[str, Aggregate], column_types: Mapping[str, str] | None = None, **options):
        named = name_aggregates(aggregates, column_types, self.DEFAULT_TYPE)
        self._names = named.outputs
        self._columns = Columns(named.columns)
        self._plan = make_plan(named.specs, counts_events=False)
        self._answers = np.zeros((int(self._plan.block[SLOTS]), 3), np.int64)
        self._address = self._create(lend(self._plan.block), **options)
        self._close = weakref.finalize(self, self._destroy, self._address)

    def insert(self, t: int, v=None) -> None:
        """Insert one event; at a time that is there, it is combined behind what is there."""
        self.bulk_insert([t], [v])

    def bulk_insert(self, ts: Sequence[int], vs: Sequence) -> None:
        """Insert a burst, given in order of arrival; it is sorted here, stably. NumPy arrays are taken as they are."""
        times = self._columns.times(ts)
        source = self._columns.source(vs, times, np.argsort(times, kind="stable"))
        if times.size:
            status, youngest = self._change(self._address, INSERT, 0, source.address, times.size)
            if status == OUT_OF_ORDER:
                raise BadInput(f"time {source.times[0]} after {youngest}: {self._name()} takes events in order of time "
                               "and took nothing of this insertion; finger_tree takes events out of order")

    def evict(self, t: int) -> None:
        """Remove the entry at time `t`. BadInput if there is none."""
        status, number = self._change(self._address, EVICT, self._columns.time(t), 0, 0)
        if status == NOTHING:
            raise BadInput(f"nothing is at time {t} to be evicted; the window {self._extent()}")
        if status == NOT_OLDEST:
            raise BadInput(f"time {t} is not the oldest, {number}: {self._name()} evicts from the old end only; use "
                           "finger_tree to evict elsewhere")

    def bulk_evict(self, t: int) -> None:
        """Remove all entries at times ≤ `t`; that may be none, or all."""
        self._change(self._address, BULK_EVICT, self._columns.time(t), 0, 0)

    def query(self) -> dict[str, int | float | bool | None]:
        """Aggregates of all entries by name, None for a null."""
        self._answer(self._address, True, 0, 0, lend(self._answers))
        return self._lowered()

    def range_query(self, lo: int, hi: int) -> dict[str, int | float | bool | None]:
        """Aggregates of the entries with times in [lo, hi)."""
        low, high = self._columns.time(lo), self._columns.time(hi)
        if self._answer(self._address, False, low, high, lend(self._answers)) == NOT_KEPT:
            raise NotServed(f"range_query of {self._name()}", (lo, hi), ("finger_tree", "monoid_tree", "recompute"))
        return self._lowered()

    def oldest(self) -> int | None:
        """Time of the oldest entry, None if there is none."""
        return self._number(OLDEST)

    def youngest(self) -> int | None:
        """Time of the youngest entry, None if there is none."""
        return self._number(YOUNGEST)

    def __len__(self) -> int:
        """Number of entries, which is that of different times."""
        return self._number(LENGTH) or 0

    def check(self) -> None:
        """Raise AssertionError with a sentence for the first invariant that doesn't hold. O(n)."""
        self._check(self._address, self._plan)

    def _name(self) -> str:
        return type(self).__module__.split(".")[2]

    def _extent(self) -> str:
        return f"holds times from {self.oldest()} to {self.youngest()}" if self.oldest() is not None else "is empty"

    def _number(self, operation: int) -> int | None:
        status, number = self._change(self._address, operation, 0, 0, 0)
        return None if status == NOTHING else int(number)

    def _lowered(self) -> dict[str, int | float | bool | None]:
        answers = self._answers[self._plan.outputs]
        for spec, answer in zip(self._plan.specs, answers, strict=True):
            if answer[2]:
                column = list(self._columns.types)[spec.column]
                raise AggregateFailed(spec.function, f"column {column}", find_monoid(spec)[1].failure)
        values = map(self._columns.value, answers, self._plan.output_types)
        return dict(zip(self._names, values, strict=True))
