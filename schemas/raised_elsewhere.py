"""Errors of the tree that another process raised."""

from schemas.errors import WindrowError, kinds


def raised_elsewhere(kind: str, text: str) -> WindrowError:
    """An error of this tree of another process, of which the class's name and the text are known, and no attribute."""
    # Not the class's own __new__: Python finds MemoryError's, which makes no class that has another base before it.
    return Exception.__new__({each.__name__: each for each in kinds()}[kind], text)
