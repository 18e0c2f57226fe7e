"""What objects over compiled structures share: the plan of their aggregates, and a state's outputs by name."""

from collections.abc import Mapping, Sequence

import numpy as np

from kernels.aggregators._columns import Columns, name_aggregates
from kernels.monoids import AggregateSpec, find_monoid
from kernels.runtime.fields import Flag, Word
from kernels.runtime.guarded import guarded_entry
from kernels.runtime.memory import WORD_BYTES, address_of, inner, not_inlined
from kernels.runtime.one_at_a_time import OneAtATime
from kernels.runtime.struct import Struct
from kernels.states import lower
from kernels.states.layout import StatePlan
from kernels.states.state_plan import Plan, make_plan
from schemas.errors import AggregateFailed, WrongParameter
from schemas.query import Aggregate


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


def slot_results(plan: Plan, answers: int) -> list[SlotResult]:
    """Of the outputs of a plan, where lower_all wrote them."""
    return [SlotResult(answers + slot * RESULT_BYTES) for slot in plan.outputs]


def python_values(plan: Plan, answers: Sequence[SlotResult]) -> list[int | float | bool | None]:
    """Of these outputs, None for a null."""
    pairs = zip(answers, plan.output_types, strict=True)
    return [None if each.is_null else Columns.value(each.word, kind) for each, kind in pairs]


class AggregateObject(OneAtATime):
    """Aggregates as in a query, over named columns, and their outputs. Raises what `name_aggregates` does."""

    DEFAULT_TYPE = "float64"
    OPTIONS: tuple[str, ...] = ()

    @classmethod
    def require(cls, kernel: str, aggregates: object, options: Mapping[str, object]) -> None:
        """WrongParameter for aggregates or options that an object of this kernel can't be made with."""
        if not isinstance(aggregates, Mapping) or not all(isinstance(each, Aggregate) for each in aggregates.values()):
            raise WrongParameter("aggregates", aggregates, "a dict such as {'total': agg('sum', 'amount')}")
        allowed = (*cls.OPTIONS, "column_types")
        unknown = sorted(set(options) - set(allowed))
        if unknown:
            raise WrongParameter("options", unknown[0], f"options of {kernel}: {', '.join(allowed)}")

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

    def _outputs_at(self, state: int) -> dict[str, int | float | bool | None]:
        lower_state(self._plan.address, state, self._answers)
        return self._lowered()

    def _lowered(self) -> dict[str, int | float | bool | None]:
        answers = slot_results(self._plan, self._answers)
        for spec, answer in zip(self._plan.specs, answers, strict=True):
            if answer.has_failed:
                column = list(self._columns.types)[spec.column]
                raise AggregateFailed(spec.function, f"column {column}", find_monoid(spec)[1].failure)
        return dict(zip(self._names, python_values(self._plan, answers), strict=True))
