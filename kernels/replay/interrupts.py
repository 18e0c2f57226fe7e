"""Signals while compiled code runs: Ctrl-C ends a replay at its next poll (stop.py), in whichever thread it runs.

Python runs its own handlers in the main thread, between two lines; a compiled call has none, and a thread of a pool
never gets them. So a compiled handler stands in front of Python's: it counts, and calls on. A
helper thread that runs the replay while the caller waits was thought of: it doubles the threads, and leaves a pool's
replay running when Ctrl-C has ended the pool's owner.
"""

import ctypes
import signal
from functools import cache

import numpy as np
from llvmlite import binding, ir
from numba import config, types

from kernels.runtime.calls import call
from kernels.runtime.memory import address_of, make_intrinsic
from kernels.runtime.struct import Struct, words_at
from kernels.runtime.tables import Operation, compiled_table

_I64 = ir.IntType(64)
SIGNALS = (signal.SIGINT, signal.SIGTERM)
LEAST_ADDRESS = 4096  # SIG_DFL, SIG_IGN and SIG_ERR are no addresses
NUMBER_BITS = 0xFF  # a C int fills half of a word; the other half may hold anything
_counted = np.zeros(1, np.int64)
_before = np.zeros(signal.NSIG, np.int64)


def _address_by_name(name: str, array: np.ndarray):
    """A compiled function that gives the address of this process's array. An address within its code would keep it out
    of the disk cache, and each process would compile the handler again: 0.9 s."""
    binding.add_symbol(name, address_of(array))

    def address(context, builder, signature, arguments):
        return builder.ptrtoint(context.get_c_value(builder, _I64, name), _I64)

    return make_intrinsic(types.int64(), address)


_address_of_counted = _address_by_name("windrow_interrupts", _counted)
_address_of_before = _address_by_name("windrow_handlers_before", _before)


class Handlers(Struct):
    """What the system calls when a signal comes."""

    count_and_call_on: Operation()


def count_and_call_on(number):
    number &= NUMBER_BITS
    words_at(_address_of_counted())[0] += 1
    call(words_at(_address_of_before())[number], number)


def interrupts() -> np.ndarray:
    """The array's only element counts the signals of this process, from the first call on, that ask it to end."""
    if not config.DISABLE_JIT:  # plain Python runs its handlers itself
        for number in SIGNALS:
            _stand_in_front(number)
    return _counted


def _stand_in_front(number: int) -> None:
    """Stays there: Python's own handler sees no difference, and a new one is what the next replay stands in front of.
    Where nobody handles the signal, it ends or spares the process."""
    before = _get_handler(number) or 0
    if before >= LEAST_ADDRESS and before != _handler():
        _before[number] = before
        _set_handler(number, _handler())


@cache
def _handler() -> int:
    """Address of the handler."""
    return compiled_table(Handlers, "signal_handlers", {"count_and_call_on": count_and_call_on}).count_and_call_on


def _python_api(name: str, *arguments):
    function = getattr(ctypes.pythonapi, name)
    function.argtypes, function.restype = arguments, ctypes.c_void_p
    return function


_get_handler = _python_api("PyOS_getsig", ctypes.c_int)
_set_handler = _python_api("PyOS_setsig", ctypes.c_int, ctypes.c_void_p)
