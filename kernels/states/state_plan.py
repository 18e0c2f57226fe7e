"""Several aggregates as one state: which monoids, and where the words of each stand in it (drawn in layout.py).

Equal aggregates of a query share a slot.
"""

from typing import NamedTuple

import numpy as np

from windrow.kernels.monoid import OrderStatistic
from windrow.kernels.monoids import (
    AggregateSpec,
    Monoid,
    answered_by_states,
    find_monoid,
    output_type,
    parameter_values,
)
from windrow.kernels.runtime.memory import WORD_BYTES, address_of, as_word
from windrow.kernels.states.layout import MOST_PARAMETERS, NO_COLUMN, Slot, StatePlan
from windrow.kernels.states.tables import monoid_table, plan_table
from windrow.schemas.errors import NotServed, WrongParameter

EVENTS = AggregateSpec("count")


class Plan(NamedTuple):
    """memory: what a StatePlan stands in; outputs: slot of each aggregate; output_types: types; specs: as given."""

    memory: np.ndarray
    outputs: np.ndarray
    output_types: tuple[str, ...]
    specs: tuple[AggregateSpec, ...]

    @property
    def layout(self) -> StatePlan:
        """The plan as kernels see it; it lives as long as `memory`."""
        return StatePlan(address_of(self.memory))

    @property
    def address(self) -> int:
        """Where kernels find the plan."""
        return self.layout.address

    @property
    def state_words(self) -> int:
        """Words of a state."""
        return self.layout.state_words


def make_plan(specs: tuple[AggregateSpec, ...], counts_events: bool = True) -> Plan:
    """The plan of some aggregates, by default with the count of events as slot 0. O(aggregates), and seconds for one
    that is compiled first. Raises as find_monoid; NotServed for an order statistic."""
    if not specs and not counts_events:
        raise WrongParameter("aggregates", {}, "at least one, such as {'events': agg('count')}")
    slots = list(dict.fromkeys([EVENTS, *specs] if counts_events else specs))
    memory = np.zeros((StatePlan.size_bytes + len(slots) * Slot.size_bytes) // WORD_BYTES, np.int64)
    layout = StatePlan(address_of(memory))
    layout.slot_count, layout.is_commutative = len(slots), True
    for place, spec in enumerate(slots):
        _add_slot(layout, layout.slots[place], spec)
    only = layout.slots[0]
    layout.subject = layout if len(slots) > 1 else only
    layout.operations = plan_table() if len(slots) > 1 else only.operations
    outputs = np.array([slots.index(spec) for spec in specs], np.int64)
    return Plan(memory, outputs, tuple(output_type(spec) for spec in specs), tuple(specs))


def _add_slot(plan: StatePlan, slot: Slot, spec: AggregateSpec) -> None:
    """Put an aggregate behind those that the plan has."""
    name, monoid = find_monoid(spec)
    if isinstance(monoid, OrderStatistic):
        raise NotServed("aggregate by states", spec.function, answered_by_states())
    slot.operations = monoid_table(spec.function, name)
    values = parameter_values(spec, monoid)
    slot.offset = plan.state_words * WORD_BYTES
    slot.words = monoid.words if isinstance(monoid, Monoid) else monoid.words(values)
    slot.column = NO_COLUMN if spec.column is None else spec.column
    slot.second_column = NO_COLUMN if spec.second is None else spec.second
    for place, value in enumerate(values[:MOST_PARAMETERS]):
        slot.parameters[place] = as_word(value) if isinstance(value, float) else value
    plan.state_words += slot.words
    plan.is_commutative = plan.is_commutative and monoid.commutative
