"""Functions that Python calls and that may ask for memory: KernelOutOfMemory where there is none (guard.py).

@guarded_entry
def prepare_level(forest: Forest, height): …        prepare_level(address, 3), from Python
"""

import functools
from collections.abc import Callable

from windrow.kernels.runtime.operations import BoundOperation, Operation
from windrow.kernels.runtime.struct import Struct
from windrow.kernels.runtime.tables import compiled_table, kinds_of


class _One(Struct):
    """A table of one operation."""

    function: Operation(...)


def guarded_entry(function: Callable) -> Callable[..., int]:
    """The function over words, compiled and kept on disk as a table of its own (tables.py) when it is first called;
    its parameters may be structures. A call takes 1 µs longer than that of an `entry`."""
    name = f"{function.__module__.rpartition('.')[2].strip('_')}_{function.__name__}"

    @functools.cache
    def operation() -> BoundOperation:
        return BoundOperation(compiled_table(_One, name, {"function": function}).function, tuple(kinds_of(function)))

    @functools.wraps(function)
    def asked(*words: int) -> int:
        return operation()(*words)

    return asked
