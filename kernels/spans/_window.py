"""What the objects of all span kernels share: windows by their bounds, values by name, errors.

A kernel stands behind one address (_dispatch.py). Its class says which, how its options go into `create`, which
aggregates it takes and how its invariants are checked.
"""

import weakref
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from kernels.aggregators._answers import AggregateObject, lower_all
from kernels.aggregators._dispatch import PointKernel
from kernels.columns import LIMIT_US
from kernels.monoids import AggregateSpec, find_monoid
from kernels.runtime.calls import ask, call
from kernels.runtime.guarded import guarded_entry
from kernels.runtime.memory import address_of
from kernels.spans._checking import check_slices
from kernels.spans._dispatch import SpanKernel
from kernels.spans._slices import slice_ends
from kernels.states import gather
from kernels.states.layout import StatePlan
from kernels.states.plan import Plan
from kernels.windows._grid import Grid, grid
from schemas.errors import BadInput, NotServed, WrongParameter
from schemas.query import Aggregate
from schemas.windows import Window


@guarded_entry
def state_of(plan: StatePlan, event, state):
    """Of an event alone; event: address of an Events of one row; state: room for it."""
    gather(plan, state, event, 0, 1)


@guarded_entry
def answer_window(kernel: SpanKernel, s, low, high, plan: StatePlan, answers):
    """A SlotResult per slot of the window [low, high)."""
    lower_all(plan, call(kernel.state, s, 0, low, high), answers)


FEW_LEVELS = 16
"""Levels of slices that are folded for each window sooner than walked over: with 12 slices a window and a row for each
event folds were quicker, with 24 a walk."""


class SpanWindow(AggregateObject):
    """Windows over events that last, all of a key that are open. Times in µs, int64.

    Raises WrongParameter for an interval that isn't one or bounds of no window, BadInput for a NaN and for values that
    don't fit their columns, AggregateFailed for an aggregate without a right answer.
    """

    PANE_OPTIONS: tuple[str, ...] = ()
    """Options that a query may give where a replay keeps events in it."""
    IN_ORDER_ONLY = False
    dispatch: Callable[[], SpanKernel]
    _check: Callable[[int, Plan], None]
    """Raises AssertionError with a sentence for the first invariant that doesn't hold."""

    def __init__(
        self,
        window: Window,
        aggregates: Mapping[str, Aggregate],
        column_types: Mapping[str, str] | None = None,
        **options: int,
    ):
        super().__init__(aggregates, column_types, counts_events=True)
        self._grid = grid(window.size_us, window.slide_us, window.origin_us)
        self._state = np.zeros(self._plan.state_words, np.int64)
        kernel = self.dispatch()
        self._address = ask(kernel.create, self._plan.address, self._grid.address, self.pane_option(options))
        self._close = weakref.finalize(self, ask, kernel.destroy, self._address)

    @classmethod
    def refuse(cls, specs: Sequence[AggregateSpec]) -> None:
        """Raise NotServed for an aggregate that depends on the order of events: a slice mixes events of many starts."""
        for spec in specs:
            if not find_monoid(spec)[1].commutative:
                raise NotServed("aggregate of spanning windows", spec.function, ("those that commute",))

    @classmethod
    def pane_option(cls, options: Mapping[str, int]) -> int:
        """The option of `create`; options: PANE_OPTIONS by name. Raises WrongParameter."""
        return 0

    @classmethod
    def ends(cls, window: Grid, option: int) -> PointKernel | None:
        """What ends in each slice, as entries that a replay's walks take; None where windows are asked for as a
        whole."""
        return None

    def insert_span(self, start: int, end: int, value=None) -> None:
        """An event of [start, end), a point if end = start; value as an aggregator's (kernels.aggregators)."""
        low, high = self._interval(start, start + 1 if end == start else end)
        source = self._columns.source([value], np.array([low]), np.zeros(1, np.int64))
        state_of(self._plan.address, source.address, address_of(self._state))
        self._ask("insert_span", low, high, address_of(self._state))

    def state(self, low: int, high: int) -> dict[str, int | float | bool | None]:
        """The aggregates of all events that meet the window [low, high), by name; None for a null."""
        self._require_window(*self._interval(low, high))
        answer_window(self.dispatch().address, self._address, low, high, self._plan.address, self._answers)
        return self._lowered()

    def evict(self, time: int) -> None:
        """Forget what no window needs that begins behind `time`; windows that begin earlier are no longer asked."""
        self._ask("evict", self._columns.time(time))

    def first_from(self, time: int) -> int | None:
        """Start of the first window that ends behind the first thing kept from `time` on; None if nothing is."""
        found = self._ask("first_from", self._columns.time(time))
        if found > LIMIT_US:
            return None
        return ask(self._grid.start, self._grid, ask(self._grid.first_end_after, self._grid, found))

    def save(self) -> np.ndarray:
        """All that it holds, as words."""
        words = np.zeros(self._ask("save", 0), np.int64)
        self._ask("save", address_of(words))
        return words

    def load(self, words: np.ndarray) -> None:
        """Become what `save` gave, of the same window, aggregates and options."""
        self._ask("reset")
        self._ask("load", address_of(words))

    def check(self) -> None:
        """Raise AssertionError with a sentence for the first invariant that doesn't hold. O(all that it holds)."""
        self._check(self._address, self._plan)

    def _ask(self, operation: str, *words: int) -> int:
        return ask(getattr(self.dispatch(), operation), self._address, *words)

    def _interval(self, low: int, high: int) -> tuple[int, int]:
        low, high = self._columns.time(low), self._columns.time(high)
        if not -LIMIT_US <= low < high <= LIMIT_US:
            raise WrongParameter("interval", (low, high), "low < high, within ±2**61 µs")
        return low, high

    def _require_window(self, low: int, high: int) -> None:
        number = ask(self._grid.last_start_until, self._grid, low)
        window = tuple(ask(of, self._grid, number) for of in (self._grid.start, self._grid.end))
        if window != (low, high):
            raise BadInput(f"[{low}, {high}) is no window; the one that begins last before its end is {list(window)}")


class SliceWindow(SpanWindow):
    """Of kernels with slices."""

    _check = staticmethod(check_slices)

    @classmethod
    def ends(cls, window: Grid, option: int) -> PointKernel | None:
        """Where windows have so many slices that a walk over them pays."""
        slices = 2 * window.slides + 1 if window.rest else window.slides
        return slice_ends() if slices * option > FEW_LEVELS else None

    @classmethod
    def pane_option(cls, options: Mapping[str, int]) -> int:
        """Their height."""
        return 1
