"""What answers the events of a key: a table of compiled functions, and which keys and aggregates it serves.

One file of this folder is one such kernel and defines `KERNEL`; choice.py lists them and picks one for each key.
"""

from collections.abc import Callable
from typing import NamedTuple

from kernels.runtime.struct import Struct
from kernels.runtime.tables import Operation, compiled_table


class Answering(Struct):
    """The operations, context being the PerEvent; 0 where a kernel needs none.

    allocate(context), release(context): what it keeps for all its keys
    answer(context, first, end): write the answers of one key, the events [first, end)
    """

    allocate: Operation()
    answer: Operation()
    release: Operation()


class AnswerKernel(NamedTuple):
    """table: its operations, compiled when they are first asked for.

    in_order_only: whether it takes keys in order of time only
    ranked: whether it needs the events of a key in order of time (kernels/ranks/sort.py); aggregates must commute then
    """

    name: str
    table: Callable[[], Answering]
    in_order_only: bool = False
    ranked: bool = False


def compiled_answering(name: str, **functions: Callable) -> Answering:
    """The table of a kernel, compiled now or loaded from the disk cache."""
    return compiled_table(Answering, f"answering_{name}", functions)
