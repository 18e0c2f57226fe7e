"""Operations on the states of a plan (state_plan.py), as kernels call them; the maker of a plan gets the tables of
compiled operations that it needs (tables.py).

Here `plan` is a StatePlan, `into`, `older`, … are addresses of states, `events` is an Events (layout.py). Each takes
O(words of a state) for each state or event that it is about.
"""

from windrow.kernels.runtime.memory import WORD_BYTES, as_float, inner, move
from windrow.kernels.runtime.operations import answer_of
from windrow.kernels.runtime.struct import words_at

FEW_WORDS = 16
"""Up to so many, a loop is quicker than a call; a sketch has hundreds, which the call moves four at a time: a quarter
of a replay of quantiles went into the loop."""


@inner
def copy_words(target, source, words):
    """Copy a state, or several that stand together."""
    if words > FEW_WORDS:
        move(target, source, words)
        return
    for word in range(words):
        words_at(target)[word] = words_at(source)[word]


@inner
def copy_state(of, target, source):
    """Copy one of the states of a structure, which knows their size."""
    copy_words(target, source, of.state_bytes // WORD_BYTES)


@inner
def number_of(asked, word):
    """The answer behind a word as a number that can be compared with a bound, as a GrowingRows says: a float64, or a
    whole number rounded to one."""
    return as_float(word) if asked.gives_float else float(word)


@inner
def clear(plan, into):
    """Make a state the identity; returns its address."""
    plan.operations.clear(plan.subject, into)
    return into


@inner
def fold(plan, into, first, stride, states):
    """into ⊗= the states at first, first + stride, …; stride in bytes."""
    plan.operations.fold(plan.subject, into, first, stride, states)


@inner
def merge(plan, into, older, newer):
    """into = older ⊗ newer; `into` may be one of them."""
    plan.operations.merge(plan.subject, into, older, newer)


@inner
def join(plan, into, older, newer):
    """The same, to be lowered and nothing else, before either changes: a sketch only notes where the two are."""
    plan.operations.join(plan.subject, into, older, newer)


@inner
def suffixes(plan, into, into_stride, first, stride, states):
    """State i at `into` = states i, i + 1, … at `first`, combined; `into` may be `first`, with the same stride."""
    plan.operations.suffixes(plan.subject, into, into_stride, first, stride, states)


@inner
def prefixes(plan, into, stride, first, states, start):
    """State i at `into` = that at `start` ⊗ states 0, …, i at `first`; `into` may be `first`."""
    plan.operations.prefixes(plan.subject, into, stride, first, states, start)


@inner
def merge_each(plan, into, stride, olders, states):
    """Each state at `into` gets the one whose address stands at `olders` in front."""
    plan.operations.merge_each(plan.subject, into, stride, olders, states)


@inner
def gather(plan, into, events, first, end):
    """The state of the events [first, end), in that order, nulls left out."""
    plan.operations.gather(plan.subject, into, events, first, end)


@inner
def lift_each(plan, into, stride, events, first, end):
    """The states of the events [first, end), one after the other."""
    plan.operations.lift_each(plan.subject, into, stride, events, first, end)


@inner
def lift_rows(plan, into, stride, events, chosen, states):
    """The states of the events whose rows stand at `chosen`, one after the other; the identity for a row below 0."""
    plan.operations.lift_rows(plan.subject, into, stride, events, chosen, states)


@inner
def subtract(plan, into, older):
    """Take the oldest part away again; only where every aggregate has an inverse."""
    plan.operations.subtract(plan.subject, into, older)


@inner
def lower(plan, state, slot):
    """(word, is_null, failed) of one slot of a state."""
    at = plan.slots[slot]
    word, flags = answer_of(at.operations.lower, at.address, state + at.offset)
    return word, flags & 1 == 1, flags & 2 == 2


@inner
def lower_each(plan, slot, first, states, words, nulls):
    """Lower one slot of states that stand together from `first` on: a word and a byte (1: null) each. Returns the place
    of the first failure, −1 if there is none."""
    at = plan.slots[slot]
    stride = WORD_BYTES * plan.state_words
    return at.operations.lower_each(at, first + at.offset, stride, states, words, nulls)


@inner
def take_in(plan, state, asked):
    """state ⊗= one event after the other of a GrowingRows, where it is bounded while the answer without it is below the
    bound. Returns how many it took, −1 − that number where the answer has failed; of a plan of one slot that counts no
    events."""
    return plan.operations.take_in(plan.subject, state, asked)


@inner
def events_of(state):
    """How many events a state covers: slot 0 of a plan that counts them."""
    return words_at(state)[0]


@inner
def set_events(state, events):
    """Say how many events a state covers."""
    words_at(state)[0] = events
