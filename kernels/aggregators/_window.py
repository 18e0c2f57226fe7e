"""What the window API of all aggregators shares: names of columns and outputs, sorting of bursts, errors.

A kernel stands behind one address (_dispatch.py). Its class says which, how its options go into `create`, and how its
invariants are checked.
"""

import weakref
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from kernels.aggregators._columns import Columns, Source, name_aggregates
from kernels.aggregators._dispatch import DONE, NOT_OLDEST, NOTHING, OUT_OF_ORDER, PointKernel
from kernels.monoids import AggregateSpec, find_monoid
from kernels.runtime.calls import ask, call
from kernels.runtime.memory import address_of, entry, inner, not_inlined
from kernels.runtime.struct import words_at
from kernels.states import lower
from kernels.states.layout import StatePlan
from kernels.states.plan import Plan, make_plan
from schemas.errors import AggregateFailed, BadInput, NotServed
from schemas.query import Aggregate


@entry
def answer(kernel, s, between, plan, answers):
    """Lower the aggregate of all entries, or of [low, high), if `between` is the address of the two; NOTHING if it is
    not kept."""
    kernel, bounds = PointKernel(kernel), words_at(between)
    state = call(kernel.query, s) if between == 0 else call(kernel.range_query, s, bounds[0], bounds[1])
    if state == 0:
        return NOTHING
    lower_all(StatePlan(plan), state, answers)
    return DONE


@entry
def lower_state(plan, state, answers):
    """Lower any state of a plan."""
    lower_all(StatePlan(plan), state, answers)


@inner
def lower_all(plan, state, answers):
    """Write (word, is_null, failed) per slot of a state."""
    not_inlined()
    answers = words_at(answers)
    for slot in range(plan.slot_count):
        word, is_null, failed = lower(plan, state, slot)
        answers[3 * slot] = word
        answers[3 * slot + 1] = 1 if is_null else 0
        answers[3 * slot + 2] = 1 if failed else 0


class Window:
    """A window of entries (time, values): times int64 in µs; a value a number or None for a null, a tuple of them
    where the aggregates name several columns. Events of equal times combine to one entry, in order of insertion.

    Raises WrongParameter for a time outside int64, BadInput for a NaN, for values that don't fit their columns and for
    an eviction of what isn't there, AggregateFailed for an aggregate without a right answer.
    """

    OPTIONS: tuple[str, ...] = ()
    DEFAULT_TYPE = "float64"
    IN_ORDER_ONLY = False
    PANE_OPTION = 0
    """The option of `create` where a replay keeps panes in it, of which it asks any range."""
    dispatch: Callable[[], PointKernel]
    _check: Callable[[int, Plan], None]
    """Raises AssertionError with a sentence for the first invariant that doesn't hold."""

    def __init__(self, aggregates: Mapping[str, Aggregate], column_types: Mapping[str, str] | None = None, **options):
        named = name_aggregates(aggregates, column_types, self.DEFAULT_TYPE)
        self._names = named.outputs
        self._columns = Columns(named.columns)
        self.refuse(named.specs)
        self._plan = make_plan(named.specs, counts_events=False)
        self._answers = np.zeros((self._plan.layout.slot_count, 3), np.int64)
        self._address = self._create(self._plan.address, **options)
        self._close = weakref.finalize(self, self._destroy, self._address)

    @classmethod
    def refuse(cls, specs: Sequence[AggregateSpec]) -> None:
        """Raise WrongParameter for an aggregate that the kernel can't have."""

    def insert(self, t: int, v=None) -> None:
        """Insert one event; at a time that is there, it is combined behind what is there."""
        self.bulk_insert([t], [v])

    def bulk_insert(self, ts: Sequence[int], vs: Sequence) -> None:
        """Insert a burst, given in order of arrival; it is sorted here, stably. NumPy arrays are taken as they are."""
        times = self._columns.times(ts)
        source = self._columns.source(vs, times, np.argsort(times, kind="stable"))
        if times.size and self._insert(source, times.size) == OUT_OF_ORDER:
            raise BadInput(
                f"time {source.times[0]} after {self.youngest()}: {self._name()} takes events in order of "
                "time and took nothing of this insertion; finger_tree takes events out of order"
            )

    def evict(self, t: int) -> None:
        """Remove the entry at time `t`. BadInput if there is none."""
        status = self._evict("evict", self._columns.time(t))
        if status == NOTHING:
            raise BadInput(f"nothing is at time {t} to be evicted; the window {self._extent()}")
        if status == NOT_OLDEST:
            raise BadInput(
                f"time {t} is not the oldest, {self.oldest()}: {self._name()} evicts from the old end only; "
                "use finger_tree to evict elsewhere"
            )

    def bulk_evict(self, t: int) -> None:
        """Remove all entries at times ≤ `t`; that may be none, or all."""
        self._evict("bulk_evict", self._columns.time(t))

    def query(self) -> dict[str, int | float | bool | None]:
        """Aggregates of all entries by name, None for a null."""
        self._answer(None)
        return self._lowered()

    def range_query(self, lo: int, hi: int) -> dict[str, int | float | bool | None]:
        """Aggregates of the entries with times in [lo, hi)."""
        if self._answer((self._columns.time(lo), self._columns.time(hi))) == NOTHING:
            raise NotServed(f"range_query of {self._name()}", (lo, hi), ("finger_tree", "monoid_tree", "recompute"))
        return self._lowered()

    def oldest(self) -> int | None:
        """Time of the oldest entry, None if there is none."""
        return None if self._ask("is_empty") else self._ask("oldest")

    def youngest(self) -> int | None:
        """Time of the youngest entry, None if there is none."""
        return None if self._ask("is_empty") else self._ask("youngest")

    def __len__(self) -> int:
        """Number of entries, which is that of different times."""
        return self._ask("count")

    def check(self) -> None:
        """Raise AssertionError with a sentence for the first invariant that doesn't hold. O(n)."""
        self._check(self._address, self._plan)

    def _name(self) -> str:
        return type(self).__module__.split(".")[2]

    def _extent(self) -> str:
        return f"holds times from {self.oldest()} to {self.youngest()}" if self.oldest() is not None else "is empty"

    @classmethod
    def _create(cls, plan: int) -> int:
        """Address of an empty structure; further arguments are the kernel's options."""
        return ask(cls.dispatch().create, plan, 0, 0)

    @classmethod
    def _destroy(cls, s: int) -> None:
        ask(cls.dispatch().destroy, s)

    def _ask(self, operation: str, *words: int) -> int:
        return ask(getattr(self.dispatch(), operation), self._address, *words)

    def _insert(self, source: Source, rows: int) -> int:
        return self._ask("insert_burst", address_of(source.times), source.address, rows)

    def _evict(self, operation: str, time: int) -> int:
        return self._ask(operation, time)

    def _answer(self, between: tuple[int, int] | None) -> int:
        """Answers of all entries, or of those in [low, high), into _answers."""
        words = np.array(between or (), np.int64)
        return answer(
            self.dispatch().address,
            self._address,
            address_of(words) if between else 0,
            self._plan.address,
            address_of(self._answers),
        )

    def _outputs_at(self, state: int) -> dict[str, int | float | bool | None]:
        """The outputs of the state at an address."""
        lower_state(self._plan.address, state, address_of(self._answers))
        return self._lowered()

    def _lowered(self) -> dict[str, int | float | bool | None]:
        answers = self._answers[self._plan.outputs]
        for spec, answer in zip(self._plan.specs, answers, strict=True):
            if answer[2]:
                column = list(self._columns.types)[spec.column]
                raise AggregateFailed(spec.function, f"column {column}", find_monoid(spec)[1].failure)
        values = map(self._columns.value, answers, self._plan.output_types)
        return dict(zip(self._names, values, strict=True))
