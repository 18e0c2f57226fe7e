"""What stands behind an address without the JIT, and functions that are made several times."""

import types
from collections.abc import Callable, Mapping

from windrow.kernels.runtime.memory import inner

_functions: list[Callable] = []


def place_of(function: Callable) -> int:
    """An address of a function without the JIT: its place in a list."""
    _functions.append(function)
    return len(_functions) - 1


def function_at(address: int) -> Callable:
    """The function of an address, without the JIT."""
    return _functions[address]


def plain(function: Callable) -> Callable:
    """The plain Python function that was compiled."""
    return getattr(function, "py_func", function)


def bound_to(owner: str, function: Callable, names: Mapping = {}) -> Callable:
    """A copy of a plain function that finds these names in place of its module's, under a name of the owner's own.
    Numba's cache links by name: of two functions of one name, cached by two processes, a third would run one in place
    of the other."""
    function = plain(function)
    scope = function.__globals__ | names if names else function.__globals__
    made = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__, function.__closure__)
    made.__qualname__, made.__annotations__ = f"{owner}.{function.__name__}", function.__annotations__
    return made


def named_inner(owner: str, function: Callable, names: Mapping = {}):
    """The same, compiled: of a function that is made once for each of several kernels or aggregates."""
    return inner(bound_to(owner, function, names))
