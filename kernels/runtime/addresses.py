"""What stands behind an address without the JIT, and names of functions that are made several times."""

import types

from kernels.runtime.memory import inner

_functions = []


def place_of(function) -> int:
    """An address of a function without the JIT: its place in a list."""
    _functions.append(function)
    return len(_functions) - 1


def function_at(address: int):
    """The function of an address, without the JIT."""
    return _functions[address]


def named_inner(kernel: str, function):
    """A function that is made once for each of several kernels, compiled under a name of the kernel's own. Numba's
    cache links by name: of two functions of one name, cached by two processes, a third would run one in place of the
    other."""
    function.__qualname__ = f"{kernel}.{function.__name__}"
    return inner(function)


def plain(function):
    """The plain Python function that was compiled."""
    return getattr(function, "py_func", function)


def bound_to(owner: str, function, names: dict):
    """A copy of a plain function that finds these names in place of its module's, under a name of the owner's own."""
    function = plain(function)
    scope = function.__globals__ | names
    made = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__, function.__closure__)
    made.__qualname__, made.__annotations__ = f"{owner}.{function.__name__}", function.__annotations__
    return made
