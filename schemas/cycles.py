"""Python's search for cycles, left out where there are none."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def not_searched_for() -> Iterator[None]:
    """For work that makes many small objects and no cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
