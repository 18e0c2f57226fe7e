"""Copies of states."""

from kernels.runtime.memory import inner
from kernels.runtime.struct import words_at


@inner
def copy_words(target, source, words):
    """Copy a state, or several that stand together."""
    for word in range(words):
        words_at(target)[word] = words_at(source)[word]
