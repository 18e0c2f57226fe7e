"""Copies of states."""

from kernels.runtime.memory import inner, move
from kernels.runtime.struct import words_at

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
