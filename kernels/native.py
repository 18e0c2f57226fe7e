"""Compiled functions that are called by address: compiled once, alone, and linked into none of their callers.

Numba copies whatever a function calls into it and optimises both together, level by level. With the monoids linked
into every kernel each new one cost all kernels some seconds (50 of them: three and a half minutes), with the finger
tree linked into the replay, its objects and the answers after each event every one of these took half a minute. Behind
an address each is compiled once; a call by address costs about 2 ns more than one that isn't inlined.
"""

import functools
from collections.abc import Callable

from numba import cfunc, config, types

from kernels.memory import inner

_functions = []  # without the JIT an address is a place in this list
_natives = []  # who drops a C function frees its code


def address_of(function, answers: bool) -> int:
    """Where a plain function over words is, compiled now or loaded from the disk cache. answers: it returns a word."""
    if config.DISABLE_JIT:
        _functions.append(function)
        return len(_functions) - 1
    arguments = [types.int64] * function.__code__.co_argcount
    result = types.int64 if answers else types.void
    _natives.append(cfunc(result(*arguments), cache=True, error_model="numpy")(function))
    return _natives[-1].address


def door_of(function) -> Callable[[], int]:
    """Where a kernel is that answers as kernels/aggregators/_doors.py says: compiled once, when first asked."""
    return functools.cache(lambda: address_of(function, answers=True))


def named_inner(kernel: str, function):
    """A function that is made once for each of several kernels, compiled under a name of the kernel's own. Numba's
    cache links by name: of two functions of one name, cached by two processes, a third would run one in place of the
    other."""
    function.__qualname__ = f"{kernel}.{function.__name__}"
    return inner(function)


def function_at(address: int):
    """The function of an address, without the JIT."""
    return _functions[address]
