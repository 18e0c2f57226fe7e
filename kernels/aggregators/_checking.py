"""What the checks of invariants share: copies of memory, aggregates made again, and when states are equal."""

import numpy as np

from kernels.memory import as_float, entry, lend, load, store
from kernels.plan import Plan
from kernels.states import clear, fold, suffixes

SMALLEST_NORMAL_FLOAT = 1 << 52


@entry
def _copy_words(target, source, words):
    for word in range(words):
        store(target, word, load(source, word))


@entry
def _fold_again(plan, into, states, stride, count):
    clear(plan, into)
    fold(plan, into, states, stride, count)


@entry
def _suffixes_again(plan, into, states, stride, count):
    suffixes(plan, into, stride, states, stride, count)


def copied(address: int, words: int) -> np.ndarray:
    """A copy of so many words of memory."""
    words_there = np.zeros(words, np.int64)
    _copy_words(lend(words_there), address, words)
    return words_there


def folded(plan: Plan, states: np.ndarray) -> np.ndarray:
    """The aggregate of some states, one a row."""
    states, into = np.ascontiguousarray(states), np.zeros(plan.state_words, np.int64)
    _fold_again(lend(plan.block), lend(into), lend(states), 8 * plan.state_words, len(states))
    return into


def suffixed(plan: Plan, states: np.ndarray) -> np.ndarray:
    """Row i: the aggregate of the states from row i on."""
    states = np.ascontiguousarray(states)
    into = np.zeros_like(states)
    _suffixes_again(lend(plan.block), lend(into), lend(states), 8 * plan.state_words, len(states))
    return into


def differing_word(plan: Plan, stored: np.ndarray, wanted: np.ndarray) -> tuple[int, ...] | None:
    """Place of the first word that differs, sums of floats by more than rounding; None if none does."""
    for place in map(tuple, np.argwhere(stored != wanted)):
        pair = int(stored[place]), int(wanted[place])
        if not (_may_be_float(plan, pair[0]) and _close(*pair)):
            return tuple(map(int, place))
    return None


def _may_be_float(plan: Plan, word: int) -> bool:
    """Small integers read as floats are all next to zero, so they never count as floats."""
    return abs(word) >= SMALLEST_NORMAL_FLOAT and any(spec.column_type == "float64" for spec in plan.specs)


def _close(first: int, second: int) -> bool:
    """Whether two words, read as floats, differ by rounding only."""
    pair = [as_float(word) for word in (first, second)]
    return abs(pair[0] - pair[1]) <= 1e-9 * (1 + abs(pair[0]))
