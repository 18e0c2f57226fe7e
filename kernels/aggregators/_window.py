"""What the window API of all aggregators shares: sorting of bursts, answers, errors. A kernel's class says what it is
made of (_dispatch.py), how its options go into `create` and how its invariants are checked."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from windrow.kernels.aggregators._dispatch import NOT_OLDEST, NOTHING, OUT_OF_ORDER, PointKernel
from windrow.kernels.objects.columns import Source
from windrow.kernels.objects.kernel_object import KernelObject
from windrow.kernels.runtime.memory import address_of
from windrow.kernels.runtime.one_at_a_time import in_turn
from windrow.schemas.errors import BadInput, NotServed
from windrow.schemas.query import Aggregate


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


class PointWindow(KernelObject):
    """A window of entries (time, values): times int64 in µs; a value a number or None for a null, a tuple of them
    where the aggregates name several columns. Events of equal times combine to one entry, in order of insertion.

    Costs are the kernel's (`CARD`): of a burst of m also O(m log m) to sort it, of any call O(aggregates).

    Raises WrongParameter for a time outside int64, BadInput for a NaN, for values that don't fit their columns and for
    an eviction of what isn't there, AggregateFailed for an aggregate without a right answer.
    """

    TABLE: type[PointKernel] = PointKernel
    WINDOW = "none: a kernel of point events holds what was inserted and not evicted yet"
    IN_ORDER_ONLY = False
    CARD: Card
    PANE_OPTIONS: tuple[str, ...] = ()
    """Options that a query may give where a replay keeps panes in it."""

    def __init__(
        self,
        window: None,
        aggregates: Mapping[str, Aggregate],
        column_types: Mapping[str, str] | None = None,
        **options: Any,
    ):
        super().__init__(aggregates, column_types, counts_events=False)
        self._create(*self.option_words(**options))

    @classmethod
    def option_words(cls) -> tuple[int, int]:
        """The options of `create`; arguments are the kernel's own. Raises WrongParameter."""
        return 0, 0

    @classmethod
    def pane_option(cls, options: Mapping[str, int]) -> int:
        """The first of them where a replay keeps panes in it; options: PANE_OPTIONS by name. Raises WrongParameter."""
        return cls.option_words(**options)[0]

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
        return self._outputs_at(self._ask("query"))

    @in_turn
    def range_query(self, lo: int, hi: int) -> dict[str, int | float | bool | None]:
        """Aggregates of the entries with times in [lo, hi)."""
        state = self._range_state(self._columns.time(lo), self._columns.time(hi))
        if state == 0:
            raise NotServed(
                f"range_query of {self.kernel_name()}", (lo, hi), ("finger_tree", "monoid_tree", "recompute")
            )
        return self._outputs_at(state)

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

    def _insert(self, source: Source, rows: int) -> int:
        return self._ask("insert_burst", address_of(source.times), source.address, rows)

    def _evict(self, operation: str, time: int) -> int:
        return self._ask(operation, time)

    def _range_state(self, low: int, high: int) -> int:
        """Address of the aggregate of the entries in [low, high); 0 if it is not kept."""
        return self._ask("range_query", low, high)
