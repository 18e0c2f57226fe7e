"""A monitor: one thread at a time works on what it guards; others wait inside until one of them has changed something.

    enter(m)                        thread 1 ──enter─▶ waits ······▶ goes on ─leave─▶
    while not there: wait(m)        thread 2      ─enter─▶ changes, wake ─leave─▶
    leave(m)                        wait ends without a reason too; wake wakes all

The C library's mutex and condition in compiled code, so that threads wait without Python's lock and without using a
core. Tried in mind: queues without locks, as FastFlow has them (FARM §3.1.1), whose waiting threads spin: on a machine
where all cores run workers, the emitter would take one of them.
"""

import sys
import threading
import time

from llvmlite import ir
from numba import config, types

from windrow.kernels.runtime.fields import Array, Word
from windrow.kernels.runtime.memory import inner, make_intrinsic
from windrow.kernels.runtime.numba_names import alloca_once, get_or_insert_function
from windrow.kernels.runtime.struct import Struct, words_at

PTHREAD_WORDS = 8
"""Room for a mutex, a condition or its attributes on every system that Numba serves: 64 bytes at most."""
CLOCK = time.CLOCK_MONOTONIC
WAITING_CLOCK = time.CLOCK_REALTIME if sys.platform == "darwin" else CLOCK
"""By which a wait ends, whatever the time of day is set to; macOS has no other clock for it."""
NS_A_MS, NS_A_S = 1_000_000, 1_000_000_000
_I32, _I64, _WORD = ir.IntType(32), ir.IntType(64), types.int64


class Monitor(Struct):
    """A mutex and a condition; until: the second and nanosecond at which the one wait ends that has a time limit."""

    mutex: Array(Word, PTHREAD_WORDS)
    changed: Array(Word, PTHREAD_WORDS)
    attributes: Array(Word, PTHREAD_WORDS)
    until: Array(Word, 2)


def _calls(*calls: tuple):
    """Of a monitor: calls of the C library's threads, each a name and what it takes, a field's address or a number."""

    def codegen(context, builder, signature, arguments):
        for name, *given in calls:
            numbers = [ir.Constant(_I64, Monitor.offsets.get(each, each)) for each in given]
            fields = [builder.add(*arguments, number) for number in numbers]
            words = [fields[at] if given[at] in Monitor.offsets else numbers[at] for at in range(len(given))]
            kind = ir.FunctionType(_I32, [_I64] * len(words))
            builder.call(get_or_insert_function(builder.module, kind, f"pthread_{name}"), words)
        return context.get_dummy_value()

    return make_intrinsic(types.void(_WORD), codegen)


def _clock_ns(context, builder, signature, arguments):
    """Of one of the system's clocks."""
    at = alloca_once(builder, ir.ArrayType(_I64, 2))
    kind = ir.FunctionType(_I32, [_I32, at.type])
    builder.call(get_or_insert_function(builder.module, kind, "clock_gettime"), [*arguments, at])
    seconds, nanoseconds = (builder.extract_value(builder.load(at), place) for place in range(2))
    return builder.add(builder.mul(seconds, ir.Constant(_I64, NS_A_S)), nanoseconds)


def _watched_word(context, builder, signature, arguments):
    pointer = builder.inttoptr(arguments[0], _I64.as_pointer())
    return builder.load_atomic(pointer, "acquire", 8)


if not config.DISABLE_JIT:
    SETS_CLOCK = [("condattr_setclock", "attributes", WAITING_CLOCK)] * (WAITING_CLOCK != time.CLOCK_REALTIME)
    AS_SET = [("condattr_init", "attributes"), *SETS_CLOCK, ("cond_init", "changed", "attributes")]
    create = _calls(("mutex_init", "mutex", 0), *AS_SET, ("condattr_destroy", "attributes"))
    end = _calls(("cond_destroy", "changed"), ("mutex_destroy", "mutex"))
    enter, leave = _calls(("mutex_lock", "mutex")), _calls(("mutex_unlock", "mutex"))
    wait, wake = _calls(("cond_wait", "changed", "mutex")), _calls(("cond_broadcast", "changed"))
    wait_until = _calls(("cond_timedwait", "changed", "mutex", "until"))
    clock_ns, watched_word = make_intrinsic(_WORD(types.int32), _clock_ns), make_intrinsic(_WORD(_WORD), _watched_word)

    @inner
    def wait_at_most(monitor, ms):
        end_ns = clock_ns(WAITING_CLOCK) + ms * NS_A_MS
        monitor.until[0], monitor.until[1] = end_ns // NS_A_S, end_ns % NS_A_S
        wait_until(monitor)

    @inner
    def now_ns():
        return clock_ns(CLOCK)
else:
    _conditions: dict[int, threading.Condition] = {}

    def create(monitor) -> None:
        _conditions[int(monitor.address)] = threading.Condition(threading.Lock())

    def end(monitor) -> None:
        del _conditions[int(monitor.address)]

    def _of_condition(name):
        return lambda monitor: getattr(_conditions[int(monitor.address)], name)()

    enter, leave, wait, wake = map(_of_condition, ("acquire", "release", "wait", "notify_all"))

    def wait_at_most(monitor, ms) -> None:
        _conditions[int(monitor.address)].wait(ms / 1000)

    def now_ns() -> int:
        """A clock that never goes back, in nanoseconds."""
        return time.monotonic_ns()

    def watched_word(address) -> int:
        """A word that another thread may write meanwhile: read from memory each time."""
        return words_at(address)[0]
