"""Several aggregates as one state: which monoids, and where the words of each stand in it.

A plan is a block of words, as kernels/plan_layout.py says.

    state of count, mean(0), std(0):   [events][sum|values][values|mean|squares]
                                        slot 0   slot 1       slot 2
Equal aggregates of a query share a slot.
"""

from typing import NamedTuple

import numpy as np

from kernels.memory import WORD_BYTES, as_word, lend
from kernels.monoids import AggregateSpec, Monoid, find_monoid, output_type, parameter_values
from kernels.operations import addresses
from kernels.plan_layout import (
    COMMUTATIVE,
    FIRST_SLOT,
    MOST_PARAMETERS,
    SLOTS,
    STATE_WORDS,
)
from schemas.errors import WrongParameter

EVENTS = AggregateSpec("count")


class Plan(NamedTuple):
    """block: int64 words as above; outputs: slot of each aggregate; output_types: their types; specs: the aggregates.
    """

    block: np.ndarray
    outputs: np.ndarray
    output_types: tuple[str, ...]
    specs: tuple[AggregateSpec, ...]

    @property
    def state_words(self) -> int:
        return int(self.block[STATE_WORDS])


def make_plan(specs: tuple[AggregateSpec, ...], counts_events: bool = True) -> Plan:
    """The plan of some aggregates, by default with the count of events as slot 0. Raises as find_monoid."""
    if not specs and not counts_events:
        raise WrongParameter("aggregates", {}, "at least one, such as {'events': agg('count')}")
    slots = list(dict.fromkeys([EVENTS, *specs] if counts_events else specs))
    words, offset, commutative = [], 0, True
    for spec in slots:
        slot, state_words, commutes = _slot(spec, offset)
        words += slot
        offset += state_words
        commutative = commutative and commutes
    header = [len(slots), offset, int(commutative), lend(addresses())]
    block = np.array([*header, *[0] * (FIRST_SLOT - len(header)), *words], np.int64)
    outputs = np.array([slots.index(spec) for spec in specs], np.int64)
    return Plan(block, outputs, tuple(output_type(spec) for spec in specs), tuple(specs))


def _slot(spec: AggregateSpec, offset: int) -> tuple[list[int], int, bool]:
    """(words of a slot, words of its part of a state, whether it commutes)."""
    code, monoid = find_monoid(spec)
    values = parameter_values(spec, monoid)
    columns = [-1 if column is None else column for column in (spec.column, spec.second)]
    parameters = [as_word(value) if isinstance(value, float) else value for value in values]
    padding = [0] * (MOST_PARAMETERS - len(parameters))
    state_words = monoid.words if isinstance(monoid, Monoid) else monoid.words(values)
    slot = [code, offset * WORD_BYTES, state_words, *columns, *parameters, *padding]
    return slot, state_words, monoid.commutative


__all__ = ["COMMUTATIVE", "EVENTS", "SLOTS", "STATE_WORDS", "Plan", "make_plan"]
