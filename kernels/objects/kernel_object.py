"""A kernel as an object of Python's: aggregates as in a query, over a structure that stands behind a table of compiled
functions."""

import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from windrow.kernels.monoids import AggregateSpec, find_monoid
from windrow.kernels.objects.columns import Columns, name_aggregates
from windrow.kernels.objects.saved import description
from windrow.kernels.runtime.cache import AGGREGATES, syntax_digest_of
from windrow.kernels.runtime.fields import Flag, Word
from windrow.kernels.runtime.guarded import guarded_entry
from windrow.kernels.runtime.memory import WORD_BYTES, address_of, inner, not_inlined
from windrow.kernels.runtime.one_at_a_time import OneAtATime, in_turn
from windrow.kernels.runtime.struct import Struct
from windrow.kernels.runtime.tables import by_name, compiled_table
from windrow.kernels.states import lower
from windrow.kernels.states.layout import StatePlan
from windrow.kernels.states.state_plan import Plan, make_plan
from windrow.schemas.errors import AggregateFailed, WrongParameter
from windrow.schemas.query import Aggregate


class SlotResult(Struct):
    """A slot's answer: its word, which means nothing where it is null or has failed."""

    word: Word
    is_null: Flag()
    has_failed: Flag()


RESULT_BYTES = SlotResult.size_bytes


@guarded_entry
def lower_state(plan: StatePlan, state, answers):
    lower_all(plan, state, answers)


@inner
def lower_all(plan, state, answers):
    """Write a SlotResult per slot of a state."""
    not_inlined()
    for slot in range(plan.slot_count):
        at = SlotResult(answers + slot * RESULT_BYTES)
        at.word, at.is_null, at.has_failed = lower(plan, state, slot)


def output_results(plan: Plan, answers: np.ndarray) -> list[list[int]]:
    """[word, is_null, has_failed] of each output of a plan, of the SlotResults that lower_all wrote."""
    results = answers.tolist()  # all at once: field by field took longer than the query
    return [results[slot] for slot in plan.outputs]


def python_values(plan: Plan, results: Sequence[Sequence[int]]) -> list[int | float | bool | None]:
    """Of these outputs, None for a null."""
    pairs = zip(results, plan.output_types, strict=True)
    return [None if is_null else Columns.value(word, kind) for (word, is_null, _), kind in pairs]


class KernelObject(OneAtATime):
    """Of a module that is named as its kernel. The table has create, destroy and reset; save and load of kernels that
    are saved. Raises what `name_aggregates` does."""

    TABLE: type[Struct]
    OPERATIONS: tuple[Callable, ...]
    """Those of the table, by their names; of two with one name the latter."""
    WINDOW: str
    """What it takes as its window, in errors."""
    DEFAULT_TYPE = "float64"
    OPTIONS: tuple[str, ...] = ()
    _check: Callable[[int, Plan], None]
    """Raises AssertionError with a sentence for the first invariant that doesn't hold."""

    @classmethod
    def kernel_name(cls) -> str:
        """By which it is asked for."""
        return cls.__module__.rpartition(".")[2]

    @classmethod
    @cache
    def dispatch(cls) -> Any:
        """The table, compiled or loaded when it is first asked for."""
        return compiled_table(cls.TABLE, cls.kernel_name(), by_name(*cls.OPERATIONS))

    @classmethod
    def takes(cls, window: object) -> bool:
        """Whether its window can be that; None is none."""
        return window is None

    @classmethod
    def require(cls, window: object, aggregates: object, options: Mapping[str, object]) -> None:
        """WrongParameter for what an object of this kernel can't be made with."""
        if not cls.takes(window):
            raise WrongParameter("window", window, cls.WINDOW)
        if not isinstance(aggregates, Mapping) or not all(isinstance(each, Aggregate) for each in aggregates.values()):
            raise WrongParameter("aggregates", aggregates, "a dict such as {'total': agg('sum', 'amount')}")
        allowed = (*cls.OPTIONS, "column_types")
        unknown = sorted(set(options) - set(allowed))
        if unknown:
            raise WrongParameter("options", unknown[0], f"options of {cls.kernel_name()}: {', '.join(allowed)}")

    @classmethod
    def refuse(cls, specs: Sequence[AggregateSpec]) -> None:
        """Raise WrongParameter or NotServed for an aggregate that the kernel can't have."""

    def __init__(
        self,
        aggregates: Mapping[str, Aggregate],
        column_types: Mapping[str, str] | None,
        counts_events: bool,
        other_columns: Sequence[str] = (),
    ):
        super().__init__()
        named = name_aggregates(aggregates, column_types, self.DEFAULT_TYPE, other_columns)
        self._names = named.outputs
        self._columns = Columns(named.columns)
        self.refuse(named.specs)
        self._plan = make_plan(named.specs, counts_events=counts_events)
        self._answer_words = np.zeros((self._plan.layout.slot_count, RESULT_BYTES // WORD_BYTES), np.int64)
        self._answers = address_of(self._answer_words)

    def _create(self, *options: int) -> None:
        kernel = self.dispatch()
        self._address = kernel.create(self._plan.address, *options)
        self._close = weakref.finalize(self, kernel.destroy, self._address)
        self._close.atexit = False  # a thread may still be at work in it

    def _ask(self, operation: str, *words: int) -> int:
        return getattr(self.dispatch(), operation)(self._address, *words)

    def _outputs_at(self, state: int) -> dict[str, int | float | bool | None]:
        lower_state(self._plan.address, state, self._answers)
        return self._lowered()

    def _lowered(self) -> dict[str, int | float | bool | None]:
        results = output_results(self._plan, self._answer_words)
        for spec, (_, _, has_failed) in zip(self._plan.specs, results, strict=True):
            if has_failed:
                column = list(self._columns.types)[spec.column]
                raise AggregateFailed(spec.function, f"column {column}", find_monoid(spec)[1].failure)
        return dict(zip(self._names, python_values(self._plan, results), strict=True))

    def _describe(self, specs: Sequence[AggregateSpec], *made_of: object) -> None:
        """What saved words are of: another kernel, window, option or aggregate, or an edited one, has other words."""
        sources = [syntax_digest_of(AGGREGATES, name) for name in sorted({spec.function for spec in specs})]
        self._described = description(type(self).__name__, *made_of, specs, self._columns.types, sources)

    def _saved(self) -> np.ndarray:
        words = np.zeros(self._ask("save", 0), np.int64)
        self._ask("save", address_of(words))
        return words

    def _load(self, words: np.ndarray, *options: int) -> bool:
        """Whether it has become what _saved gave; it is empty if not."""
        held = words.copy()
        self._ask("reset")
        if len(held) and self._ask("load", address_of(held), len(held), *options):
            return True
        self._ask("reset")
        return False

    def _other_words(self, what_now: str) -> str:
        """Why words aren't taken."""
        of = "another kernel, window, aggregates or options"
        return f"these words were saved by {of}, or they are damaged; make the same again{what_now}"

    @in_turn
    def check(self) -> None:
        """Raise AssertionError with a sentence for the first invariant that doesn't hold. O(all that it holds)."""
        self._check(self._address, self._plan)
