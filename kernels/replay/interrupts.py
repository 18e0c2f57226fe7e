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
from numba import cfunc, config, types

from kernels.runtime.calls import call
from kernels.runtime.memory import address_of
from kernels.runtime.struct import words_at

SIGNALS = (signal.SIGINT, signal.SIGTERM)
LEAST_ADDRESS = 4096  # SIG_DFL, SIG_IGN and SIG_ERR are no addresses
_counted = np.zeros(1, np.int64)
_before = np.zeros(signal.NSIG, np.int64)
_kept = []  # who drops a C function frees its code


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
    """Address of the handler. Not in the disk cache: it knows addresses of this process."""
    counted, before = address_of(_counted), address_of(_before)

    def count_and_call_on(number):
        words_at(counted)[0] += 1
        call(words_at(before)[number], number)

    _kept.append(cfunc(types.void(types.int32))(count_and_call_on))
    return _kept[-1].address


def _python_api(name: str, *arguments):
    function = getattr(ctypes.pythonapi, name)
    function.argtypes, function.restype = arguments, ctypes.c_void_p
    return function


_get_handler = _python_api("PyOS_getsig", ctypes.c_int)
_set_handler = _python_api("PyOS_setsig", ctypes.c_int, ctypes.c_void_p)
