"""What the checks of invariants share: words of memory as arrays, aggregates made again, and when states are equal.

Words of integers, and of floats that a monoid only chooses among, must be equal. A float that a monoid makes (a sum, a
mean) depends on how the values were grouped: n states combined in another order may differ by n roundings, relative to
the sizes of the values that went in, however small what they add up to is. A sum of squares is compared by its root,
which is in the unit of the values: far from zero a variance is as exact as its root, and no more.
"""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from windrow.kernels.monoid import FloatWord
from windrow.kernels.monoids import find_monoid
from windrow.kernels.runtime.memory import WORD_BYTES, address_of, entry
from windrow.kernels.states import clear, fold, suffixes
from windrow.kernels.states.layout import StatePlan
from windrow.kernels.states.state_plan import Plan

ROUNDINGS = 8
"""Of one `combine`, at the most."""
FAR = 1000
"""As difference of two exponents: a number other than 0 is then far from the other."""


class ExpectedStates(NamedTuple):
    """States as they must be, and by how much each word's root may differ: more than 0 for floats only."""

    states: np.ndarray
    slack: np.ndarray


@entry
def _fold_again(plan, into, states, stride, count, groups):
    plan = StatePlan(plan)
    for _ in range(groups):
        clear(plan, into)
        fold(plan, into, states, stride, count)
        into += stride
        states += count * stride


@entry
def _suffixes_again(plan, into, states, stride, count):
    suffixes(StatePlan(plan), into, stride, states, stride, count)


def folded(plan: Plan, states: np.ndarray) -> ExpectedStates:
    """The aggregate of some states, int64[states, words]. O(states · words)."""
    states, slack = folded_in_groups(plan, states, len(states))
    return ExpectedStates(states[0], slack[0])


def folded_in_groups(plan: Plan, states: np.ndarray, size: int) -> ExpectedStates:
    """The aggregates of each `size` states that follow one another, int64[groups, words]. O(states · words)."""
    groups = len(states) // size if size else 1
    states, into = np.ascontiguousarray(states), np.zeros((groups, plan.state_words), np.int64)
    _fold_again(
        plan.address, address_of(into), address_of(states) if size else 0, WORD_BYTES * plan.state_words, size, groups
    )
    return ExpectedStates(into, _slack(plan, states, lambda sizes: sizes.reshape(groups, size).sum(axis=1)))


def suffixed(plan: Plan, states: np.ndarray) -> ExpectedStates:
    """Row i: the aggregate of the states from row i on. O(states · words)."""
    states = np.ascontiguousarray(states)
    into = np.zeros_like(states)
    _suffixes_again(plan.address, address_of(into), address_of(states), WORD_BYTES * plan.state_words, len(states))
    return ExpectedStates(into, _slack(plan, states, lambda sizes: sizes[::-1].cumsum()[::-1]))


def exactly(states: np.ndarray) -> ExpectedStates:
    """States that nothing was combined with."""
    return ExpectedStates(states, np.zeros(states.shape))


def differing_word(plan: Plan, stored: np.ndarray, expected: ExpectedStates) -> tuple[int, ...] | None:
    """Place of the first word that differs, floats by more than rounding; None if none does. O(words of all)."""
    floats = dict(_floats_by_place(plan))
    for at in map(tuple, np.argwhere(stored != expected.states).tolist()):
        row, found = at[:-1], floats.get(at[-1])
        if found is None or not _are_close(stored[row], expected.states[row], expected.slack[row], *found):
            return at
    return None


def _floats_by_place(plan: Plan) -> Iterator[tuple[int, tuple[int, FloatWord]]]:
    """(place in a state, (where the float is that this word belongs to, what it is))."""
    for floats in _float_words(plan):
        for place, word in floats.items():
            yield place, (place, word)
            if word.exponent is not None:
                yield place - word.place + word.exponent, (place, word)


def _are_close(stored: np.ndarray, wanted: np.ndarray, slack: np.ndarray, place: int, word: FloatWord) -> bool:
    """Whether the float at a place of two states is the same but for rounding."""
    if not np.isfinite(slack[place]):
        return True  # infinities or NaN went in, of which no size is known
    pair = np.array([stored[place], wanted[place]]).view(np.float64)
    if word.exponent is not None:
        exponent = place - word.place + word.exponent
        pair[0] = math.ldexp(pair[0], max(-FAR, min(int(stored[exponent]) - int(wanted[exponent]), FAR)))
    first, second = np.sign(pair) * np.abs(pair) ** (1 / word.power)
    return bool(slack[place] > 0 and (abs(first - second) <= slack[place] or np.isnan(pair).all()))


def _float_words(plan: Plan) -> Iterator[dict[int, FloatWord]]:
    """Of each aggregate: place in a state → what stands there."""
    for spec, slot in zip(plan.specs, plan.outputs.tolist(), strict=True):
        first = plan.layout.slots[slot].offset // WORD_BYTES
        yield {first + word.place: word for word in find_monoid(spec)[1].floats}


def _slack(plan: Plan, states: np.ndarray, total: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """By how much the words of the aggregates of some states may differ, in roots; total: adds up by aggregate."""
    steps = total(np.ones(len(states)))
    slack = np.zeros((len(steps), plan.state_words))
    with np.errstate(over="ignore", invalid="ignore"):
        for floats in _float_words(plan):
            for place, word in floats.items():
                size = total(sum(_size(states, at, each, word.power) for at, each in floats.items()))
                if word.mean_of is not None:
                    size = size / np.maximum(total(_weights(states, place, word)), 1)
                slack[:, place] = ROUNDINGS * np.finfo(float).eps * steps * size ** (1 / word.power)
    return slack


def _size(states: np.ndarray, place: int, word: FloatWord, power: int) -> np.ndarray:
    """Of the values in each state, as far as a word shows: the sum of their absolute powers."""
    values = np.abs(np.ascontiguousarray(states[:, place]).view(np.float64)).astype(np.longdouble)
    return values ** (power / word.power) * _weights(states, place, word)


def _weights(states: np.ndarray, place: int, word: FloatWord) -> np.ndarray | int:
    """How many values a word is the mean of."""
    return 1 if word.mean_of is None else states[:, place - word.place + word.mean_of]
