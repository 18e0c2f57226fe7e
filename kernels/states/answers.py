"""Answers as numbers that can be compared with a bound."""

from kernels.runtime.memory import as_float, inner


@inner
def answer_of(asked, word):
    """The answer behind a word, as a GrowingRows says: a float64, or a whole number rounded to one."""
    return as_float(word) if asked.gives_float else float(word)
