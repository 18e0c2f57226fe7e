"""Operations on the states of a plan (kernels/plan.py), as kernels call them. kernels/operations.py makes them, from
what is in kernels/monoids, and says why they are called by address.

A source block names the events that states are made from: address of values, address of validity, rows, address of
event times (0 unless an aggregate takes them).
"""

from kernels.calls import ask_7, call_2, call_3, call_4, call_5, call_6, call_lower
from kernels.memory import inner, load
from kernels.operations import LOWER, OPERATIONS, copy_words
from kernels.plan_layout import CODE, FIRST_SLOT, OFFSET, PARAMETERS, SLOT_WORDS, STATE_WORDS
from kernels.plan_layout import OPERATIONS as TABLE

CLEAR, FOLD, MERGE, SUFFIXES, PREFIXES = map(OPERATIONS.index, ("clear", "fold", "merge", "suffixes", "prefixes"))
MERGE_EACH, GATHER, LIFT_EACH = map(OPERATIONS.index, ("merge_each", "gather", "lift_each"))
SUBTRACT, SPREAD, LOWER_EACH, LIFT_ROWS = map(OPERATIONS.index, ("subtract", "spread", "lower_each", "lift_rows"))


@inner
def clear(plan, into):
    """The identity."""
    call_2(load(load(plan, TABLE), CLEAR), plan, into)


@inner
def fold(plan, into, first, stride, states):
    """into ⊗= the states at first, first + stride, …; stride in bytes."""
    call_5(load(load(plan, TABLE), FOLD), plan, into, first, stride, states)


@inner
def merge(plan, into, older, newer):
    """into = older ⊗ newer; `into` may be one of them."""
    call_4(load(load(plan, TABLE), MERGE), plan, into, older, newer)


@inner
def suffixes(plan, into, into_stride, first, stride, states):
    """State i at `into` = states i, i + 1, … at `first`, combined; `into` may be `first`, with the same stride."""
    call_6(load(load(plan, TABLE), SUFFIXES), plan, into, into_stride, first, stride, states)


@inner
def prefixes(plan, into, stride, first, states, start):
    """State i at `into` = that at `start` ⊗ states 0, …, i at `first`; `into` may be `first`."""
    call_6(load(load(plan, TABLE), PREFIXES), plan, into, stride, first, states, start)


@inner
def merge_each(plan, into, stride, olders, states):
    """Each state at `into` gets the one whose address `olders` tells in front."""
    call_5(load(load(plan, TABLE), MERGE_EACH), plan, into, stride, olders, states)


@inner
def spread(plan, first, stride, targets, states):
    """Each state at `first` is combined behind the one whose address `targets` tells; several may go to one."""
    call_5(load(load(plan, TABLE), SPREAD), plan, first, stride, targets, states)


@inner
def gather(plan, into, source, first, end):
    """The state of the events [first, end), in that order, nulls left out."""
    call_5(load(load(plan, TABLE), GATHER), plan, into, source, first, end)


@inner
def lift_each(plan, into, stride, source, first, end):
    """The states of the events [first, end), one after the other."""
    call_6(load(load(plan, TABLE), LIFT_EACH), plan, into, stride, source, first, end)


@inner
def lift_rows(plan, into, stride, source, chosen, states):
    """The states of the events whose rows stand at `chosen`, one after the other; the identity for a row below 0."""
    call_6(load(load(plan, TABLE), LIFT_ROWS), plan, into, stride, source, chosen, states)


@inner
def subtract(plan, into, older):
    """Take the oldest part away again; only where every aggregate has an inverse."""
    call_3(load(load(plan, TABLE), SUBTRACT), plan, into, older)


@inner
def lower(plan, state, slot):
    """(word, is_null, failed) of one slot of a state."""
    at = plan + 8 * (FIRST_SLOT + SLOT_WORDS * slot)
    operation = load(load(plan, TABLE), LOWER)
    return call_lower(operation, load(at, CODE), state + load(at, OFFSET), at + 8 * PARAMETERS)


@inner
def lower_each(plan, slot, first, states, words, nulls):
    """Lower one slot of states that stand together from `first` on: a word and a byte (1: null) each. Returns the place
    of the first failure, −1 if there is none."""
    at = plan + 8 * (FIRST_SLOT + SLOT_WORDS * slot)
    stride = 8 * load(plan, STATE_WORDS)
    return ask_7(load(load(plan, TABLE), LOWER_EACH), load(at, CODE), first + load(at, OFFSET), at + 8 * PARAMETERS,
                 stride, states, words, nulls)


@inner
def events_of(state):
    """How many events a state covers: slot 0 of a plan that counts them."""
    return load(state, 0)


__all__ = ["clear", "copy_words", "events_of", "fold", "gather", "lift_each", "lift_rows", "lower", "lower_each",
           "merge", "merge_each", "prefixes", "spread", "subtract", "suffixes"]
