"""How a compiled call is ended from outside: a word that it polls, per burst, per window and every 4,096 events.

asked        0 · · · 0 3       why it must end: written by the budget of rows, and from what the next two say
from_outside 0 · · · 0 2       a word of the caller's, whose timer's thread may write it
interrupts   7 · 8             of this process, counted by its signal handler: more than before the call

Ctrl-C ends a replay at its next poll, in whichever thread it runs. Python runs its own handlers in the main thread,
between two lines; a compiled call has none, and a thread of a pool never gets them. So a compiled handler stands in
front of Python's: it counts, and calls on. A helper thread that runs the replay while the caller waits was thought of:
it doubles the threads, and leaves a pool's replay running when Ctrl-C has ended the pool's owner.
"""

import ctypes
import signal

import numpy as np
from llvmlite import binding, ir
from numba import config, types

from windrow.kernels.replay.types import CallLimits
from windrow.kernels.runtime.fields import Array, Code, Count, Pointer, Word
from windrow.kernels.runtime.memory import WORD_BYTES, address_of, inner, make_intrinsic
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import Struct, words_at
from windrow.kernels.runtime.tables import lazy_table
from windrow.schemas.errors import BadInput, TooManyRows, TooManySeconds, WrongParameter
from windrow.schemas.replay_limits import require_rows

_I64 = ir.IntType(64)
SIGNALS = (signal.SIGINT, signal.SIGTERM)
LEAST_ADDRESS = 4096  # SIG_DFL, SIG_IGN and SIG_ERR are no addresses
NUMBER_BITS = 0xFF  # a C int fills half of a word; the other half may hold anything
_counted = np.zeros(1, np.int64)
_before = np.zeros(signal.NSIG, np.int64)
EVENTS_A_POLL = 1 << 12
GO_ON, INTERRUPTED, OVER_TIME, OVER_BUDGET, REFUSED, DAMAGED = range(6)


class Stop(Struct):
    asked: Code
    from_outside: Pointer(Code)
    interrupts: Pointer(Count)
    interrupts_before: Count


@inner
def must_stop(stop):
    if stop.from_outside[0] != GO_ON:
        stop.asked = stop.from_outside[0]
    if stop.interrupts[0] != stop.interrupts_before:
        stop.asked = INTERRUPTED
    return stop.asked != GO_ON


@inner
def must_stop_at(stop, row):
    return row % EVENTS_A_POLL == 0 and must_stop(stop)


def most_rows(limits: CallLimits, row_words: int) -> int:
    most = limits.most_rows
    if most is None:
        return limits.most_bytes // (WORD_BYTES * row_words)
    return require_rows("most_rows", most)


def raise_why_stopped(asked: int, most: int, row_words: int) -> None:
    if asked == INTERRUPTED:  # in the main thread Python's own handler has mostly raised already
        raise KeyboardInterrupt("a signal ended the replay")
    if asked == OVER_TIME:
        raise TooManySeconds
    if asked == OVER_BUDGET:
        raise TooManyRows(most + 1, most, WORD_BYTES * row_words)
    if asked == DAMAGED:
        raise BadInput("the state of a key holds counts that lead beyond it; replay from the first day on")
    if asked != GO_ON:
        raise WrongParameter("stop", asked, f"{OVER_TIME} for over time, or {GO_ON}; the rows are not whole")


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
    count_and_call_on: Operation(Word)


class HandlersBefore(Struct):
    """By number of a signal: what handled it before."""

    handlers: Array(Operation(Word), signal.NSIG)


def count_and_call_on(number):
    number &= NUMBER_BITS
    words_at(_address_of_counted())[0] += 1
    HandlersBefore(_address_of_before()).handlers[number](number)


_handlers = lazy_table(Handlers, "signal_handlers", count_and_call_on)


def interrupts() -> np.ndarray:
    """The array's only element counts the signals of this process, from the first call on, that ask it to end."""
    if not config.DISABLE_JIT:  # plain Python runs its handlers itself
        for number in SIGNALS:
            _stand_in_front(number)
    return _counted


def _stand_in_front(number: int) -> None:
    """Stays there: Python's own handler sees no difference, and a new one is what the next replay stands in front of.
    Where no handler is set for the signal, it ends or spares the process."""
    before, ours = _get_handler(number) or 0, _handlers().count_and_call_on
    if before >= LEAST_ADDRESS and before != ours:
        _before[number] = before
        _set_handler(number, ours)


def _python_api(name: str, *arguments):
    function = getattr(ctypes.pythonapi, name)
    function.argtypes, function.restype = arguments, ctypes.c_void_p
    return function


_get_handler = _python_api("PyOS_getsig", ctypes.c_int)
_set_handler = _python_api("PyOS_setsig", ctypes.c_int, ctypes.c_void_p)
