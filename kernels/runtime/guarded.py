"""Functions that Python calls and that may ask for memory: KernelOutOfMemory where there is none (guard.py).

@guarded_entry
def prepare_level(forest: Forest, height): …        prepare_level(address, 3), from Python
"""

import functools
import inspect
from collections.abc import Callable

from kernels.runtime.operations import Operation, ask
from kernels.runtime.struct import Struct
from kernels.runtime.tables import compiled_table


class _One(Struct):
    """A table of one operation."""

    function: Operation(...)


def guarded_entry(function: Callable) -> Callable[..., int]:
    """The function over words, compiled and kept on disk as a table of its own (tables.py) when it is first called;
    its parameters may be structures. A call takes 1 µs longer than that of an `entry`."""
    name = f"{function.__module__.rpartition('.')[2].strip('_')}_{function.__name__}"

    taken = len(inspect.signature(function).parameters)

    @functools.cache
    def table() -> _One:
        return compiled_table(_One, name, {"function": function})

    @functools.wraps(function)
    def asked(*words: int) -> int:
        if len(words) != taken:
            raise TypeError(f"{function.__name__} takes {taken} words, not {len(words)}")
        return ask(table().function, *words)

    return asked
