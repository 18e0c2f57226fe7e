"""What the window API of all aggregators shares: names of columns and outputs, sorting of bursts, errors.

A kernel stands behind one address (_dispatch.py). Its class says which, what its options are to `create`, and how its
invariants are checked.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from kernels.aggregators._answers import lower_all
from kernels.aggregators._columns import Source
from kernels.aggregators._dispatch import DONE, NOT_OLDEST, NOTHING, OUT_OF_ORDER, PointKernel
from kernels.kernel_object import KernelObject
from kernels.runtime.guarded import guarded_entry
from kernels.runtime.memory import address_of
from kernels.runtime.one_at_a_time import in_turn
from kernels.states.layout import StatePlan
from schemas.errors import BadInput, NotServed
from schemas.query import Aggregate


class Card(NamedTuple):
    """Costs in time, amortised unless marked `worst case`; source: paper and section, or what it is."""

    order: str
    insert: str
    bulk_insert: str
    evict: str
    bulk_evict: str
    query: str
    range_query: str
    source: str


@guarded_entry
def answer_all(kernel: PointKernel, s, plan: StatePlan, answers):
    """Lower the aggregate of all entries; DONE. answers: address of a SlotResult per slot."""
    lower_all(plan, kernel.query(s), answers)
    return DONE


@guarded_entry
def answer_range(kernel: PointKernel, s, low, high, plan: StatePlan, answers):
    """Lower the aggregate of the entries in [low, high): DONE; NOTHING if it is not kept."""
    state = kernel.range_query(s, low, high)
    if state == 0:
        return NOTHING
    lower_all(plan, state, answers)
    return DONE


class PointWindow(KernelObject):
    """A window of entries (time, values): times int64 in µs; a value a number or None for a null, a tuple of them
    where the aggregates name several columns. Events of equal times combine to one entry, in order of insertion.

    Raises WrongParameter for a time outside int64, BadInput for a NaN, for values that don't fit their columns and for
    an eviction of what isn't there, AggregateFailed for an aggregate without a right answer.
    """

    IN_ORDER_ONLY = False
    PANE_OPTIONS: tuple[str, ...] = ()
    """Options that a query may give where a replay keeps panes in it."""
    dispatch: Callable[[], PointKernel]

    def __init__(self, aggregates: Mapping[str, Aggregate], column_types: Mapping[str, str] | None = None, **options):
        super().__init__(aggregates, column_types, counts_events=False)
        self._create(*self._option_words(**options))

    @classmethod
    def pane_option(cls, options: Mapping[str, int]) -> int:
        """The option of `create` where a replay keeps panes in it, of which it asks any range; options: PANE_OPTIONS by
        name. Raises WrongParameter."""
        return 0

    def insert(self, t: int, v=None) -> None:
        """Insert one event; at a time that is there, it is combined behind what is there."""
        self.bulk_insert([t], [v])

    @in_turn
    def bulk_insert(self, ts: Sequence[int], vs: Sequence) -> None:
        """Insert a burst, given in order of arrival; it is sorted here, stably. NumPy arrays are taken as they are."""
        times = self._columns.times(ts)
        source = self._columns.source(vs, times, np.argsort(times, kind="stable"))
        if times.size and self._insert(source, times.size) == OUT_OF_ORDER:
            raise BadInput(
                f"time {source.times[0]} after {self.youngest()}: {self.kernel_name()} takes events in order of "
                "time and took nothing of this insertion; finger_tree takes events out of order"
            )

    @in_turn
    def evict(self, t: int) -> None:
        """Remove the entry at time `t`. BadInput if there is none."""
        status = self._evict("evict", self._columns.time(t))
        if status == NOTHING:
            times = "is empty" if self.oldest() is None else f"holds times from {self.oldest()} to {self.youngest()}"
            raise BadInput(f"nothing is at time {t} to be evicted; the window {times}")
        if status == NOT_OLDEST:
            raise BadInput(
                f"time {t} is not the oldest, {self.oldest()}: {self.kernel_name()} evicts from the old end only; "
                "use finger_tree to evict elsewhere"
            )

    @in_turn
    def bulk_evict(self, t: int) -> None:
        """Remove all entries at times ≤ `t`; that may be none, or all."""
        self._evict("bulk_evict", self._columns.time(t))

    @in_turn
    def query(self) -> dict[str, int | float | bool | None]:
        """Aggregates of all entries by name, None for a null."""
        self._answer(None)
        return self._lowered()

    @in_turn
    def range_query(self, lo: int, hi: int) -> dict[str, int | float | bool | None]:
        """Aggregates of the entries with times in [lo, hi)."""
        if self._answer((self._columns.time(lo), self._columns.time(hi))) == NOTHING:
            raise NotServed(
                f"range_query of {self.kernel_name()}", (lo, hi), ("finger_tree", "monoid_tree", "recompute")
            )
        return self._lowered()

    @in_turn
    def oldest(self) -> int | None:
        """Time of the oldest entry, None if there is none."""
        return None if self._ask("is_empty") else self._ask("oldest")

    @in_turn
    def youngest(self) -> int | None:
        """Time of the youngest entry, None if there is none."""
        return None if self._ask("is_empty") else self._ask("youngest")

    @in_turn
    def __len__(self) -> int:
        """Number of entries, which is that of different times."""
        return self._ask("count")

    def _option_words(self) -> tuple[int, int]:
        """The options of `create`; arguments are the kernel's own. Raises WrongParameter."""
        return 0, 0

    def _insert(self, source: Source, rows: int) -> int:
        return self._ask("insert_burst", address_of(source.times), source.address, rows)

    def _evict(self, operation: str, time: int) -> int:
        return self._ask(operation, time)

    def _answer(self, between: tuple[int, int] | None) -> int:
        """Answers of all entries, or of those in [low, high), into _answers."""
        kernel = self.dispatch().address
        if between is None:
            return answer_all(kernel, self._address, self._plan.address, self._answers)
        return answer_range(kernel, self._address, *between, self._plan.address, self._answers)
