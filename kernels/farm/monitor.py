"""A monitor: one thread at a time works on what it guards; others wait inside until one of them has changed something.

    enter(m)                        thread 1 ──enter─▶ waits ······▶ goes on ─leave─▶
    while not there: wait(m)        thread 2      ─enter─▶ changes, wake ─leave─▶
    leave(m)

The C library's mutex and condition in compiled code, so that threads wait without Python's lock and without using a
core. Tried in mind: queues without locks, as FastFlow has them (FARM §3.1.1), whose waiting threads spin: on a machine
where all cores run workers, the emitter would take one of them.
"""

import sys
import threading
import time

from llvmlite import ir
from numba import config, types
from numba.core.cgutils import alloca_once, get_or_insert_function

from kernels.runtime.fields import Array, Word
from kernels.runtime.memory import make_intrinsic
from kernels.runtime.struct import Struct

MUTEX_WORDS = CONDITION_WORDS = ATTRIBUTE_WORDS = 8
"""Room for each on every system that Numba serves: 64 bytes at most."""
WAITING_CLOCK = time.CLOCK_REALTIME if sys.platform == "darwin" else time.CLOCK_MONOTONIC
"""By which a wait ends, whatever somebody sets the time of day to; macOS has no other clock for it."""
_I32, _I64 = ir.IntType(32), ir.IntType(64)
_WORD = types.int64
NS_A_MS, NS_A_S = 1_000_000, 1_000_000_000


class Monitor(Struct):
    """A mutex and a condition. Two words stand for it where nothing is compiled."""

    mutex: Array(Word, MUTEX_WORDS)
    changed: Array(Word, CONDITION_WORDS)


_CONDITION = Monitor.offsets["changed"]


def _of_library(builder, name: str, *arguments):
    kind = ir.FunctionType(_I32, [each.type for each in arguments])
    function = get_or_insert_function(builder.module, kind, name)
    return builder.call(function, arguments)


def _condition(builder, monitor):
    return builder.add(monitor, ir.Constant(_I64, _CONDITION))


def _create(context, builder, signature, arguments):
    _of_library(builder, "pthread_mutex_init", arguments[0], ir.Constant(_I64, 0))
    attributes = builder.ptrtoint(alloca_once(builder, ir.ArrayType(_I64, ATTRIBUTE_WORDS)), _I64)
    _of_library(builder, "pthread_condattr_init", attributes)
    if WAITING_CLOCK != time.CLOCK_REALTIME:
        _of_library(builder, "pthread_condattr_setclock", attributes, ir.Constant(_I32, WAITING_CLOCK))
    _of_library(builder, "pthread_cond_init", _condition(builder, arguments[0]), attributes)
    _of_library(builder, "pthread_condattr_destroy", attributes)
    return context.get_dummy_value()


def _end(context, builder, signature, arguments):
    _of_library(builder, "pthread_cond_destroy", _condition(builder, arguments[0]))
    _of_library(builder, "pthread_mutex_destroy", arguments[0])
    return context.get_dummy_value()


def _enter(context, builder, signature, arguments):
    _of_library(builder, "pthread_mutex_lock", arguments[0])
    return context.get_dummy_value()


def _leave(context, builder, signature, arguments):
    _of_library(builder, "pthread_mutex_unlock", arguments[0])
    return context.get_dummy_value()


def _wait(context, builder, signature, arguments):
    _of_library(builder, "pthread_cond_wait", _condition(builder, arguments[0]), arguments[0])
    return context.get_dummy_value()


def _wake(context, builder, signature, arguments):
    _of_library(builder, "pthread_cond_broadcast", _condition(builder, arguments[0]))
    return context.get_dummy_value()


def _time_of(builder, clock: int):
    """(seconds, nanoseconds) of one of the system's clocks, where they stand."""
    at = alloca_once(builder, ir.ArrayType(_I64, 2))
    address = builder.ptrtoint(at, _I64)
    function = get_or_insert_function(builder.module, ir.FunctionType(_I32, [_I32, _I64]), "clock_gettime")
    builder.call(function, [ir.Constant(_I32, clock), address])
    places = [builder.gep(at, [ir.Constant(_I32, 0), ir.Constant(_I32, place)]) for place in range(2)]
    return address, places


def _wait_at_most(context, builder, signature, arguments):
    monitor, ms = arguments
    address, (seconds, nanoseconds) = _time_of(builder, WAITING_CLOCK)
    later = builder.add(builder.load(nanoseconds), builder.mul(ms, ir.Constant(_I64, NS_A_MS)))
    a_second = ir.Constant(_I64, NS_A_S)
    builder.store(builder.add(builder.load(seconds), builder.sdiv(later, a_second)), seconds)
    builder.store(builder.srem(later, a_second), nanoseconds)
    _of_library(builder, "pthread_cond_timedwait", _condition(builder, monitor), monitor, address)
    return context.get_dummy_value()


def _now_ns(context, builder, signature, arguments):
    _, (seconds, nanoseconds) = _time_of(builder, time.CLOCK_MONOTONIC)
    whole = builder.mul(builder.load(seconds), ir.Constant(_I64, NS_A_S))
    return builder.add(whole, builder.load(nanoseconds))


def _watched_word(context, builder, signature, arguments):
    pointer = builder.inttoptr(arguments[0], _I64.as_pointer())
    return builder.load_atomic(pointer, "acquire", 8)


if not config.DISABLE_JIT:
    create = make_intrinsic(types.void(_WORD), _create)
    end = make_intrinsic(types.void(_WORD), _end)
    enter = make_intrinsic(types.void(_WORD), _enter)
    leave = make_intrinsic(types.void(_WORD), _leave)
    wait = make_intrinsic(types.void(_WORD), _wait)
    wait_at_most = make_intrinsic(types.void(_WORD, _WORD), _wait_at_most)
    wake = make_intrinsic(types.void(_WORD), _wake)
    now_ns = make_intrinsic(_WORD(), _now_ns)
    watched_word = make_intrinsic(_WORD(_WORD), _watched_word)
else:
    from kernels.runtime.struct import words_at

    _conditions: dict[int, threading.Condition] = {}

    def create(monitor) -> None:
        """Make a monitor of memory."""
        _conditions[int(monitor.address)] = threading.Condition(threading.Lock())

    def end(monitor) -> None:
        """Nobody is inside any more."""
        del _conditions[int(monitor.address)]

    def enter(monitor) -> None:
        """Wait until nobody else is inside."""
        _conditions[int(monitor.address)].acquire()

    def leave(monitor) -> None:
        """Let others in."""
        _conditions[int(monitor.address)].release()

    def wait(monitor) -> None:
        """Let others in until one of them wakes those who wait; also without a reason, so ask again."""
        _conditions[int(monitor.address)].wait()

    def wait_at_most(monitor, ms) -> None:
        """The same for some milliseconds."""
        _conditions[int(monitor.address)].wait(ms / 1000)

    def wake(monitor) -> None:
        """Wake all that wait."""
        _conditions[int(monitor.address)].notify_all()

    def now_ns() -> int:
        """A clock that never goes back, in nanoseconds."""
        return time.monotonic_ns()

    def watched_word(address) -> int:
        """A word that another thread may write meanwhile: read from memory each time."""
        return words_at(address)[0]
