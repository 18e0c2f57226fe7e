"""A clock inside compiled code: the processor's cycle counter. Kernels have none, so this one stays in benchmarks/."""

import time

from llvmlite import ir
from numba import types
from numba.core.cgutils import get_or_insert_function

from windrow.kernels.runtime.memory import entry, make_intrinsic


def _read(context, builder, signature, arguments):
    kind = ir.FunctionType(ir.IntType(64), [])
    return builder.call(get_or_insert_function(builder.module, kind, "llvm.readcyclecounter"), [])


cycles = make_intrinsic(types.int64(), _read)


@entry
def now_cycles():
    return cycles()


def nanoseconds_per_cycle(seconds: float = 0.1) -> float:
    """Against the wall clock, over some time of waiting."""
    now_cycles()
    began, first = time.perf_counter_ns(), now_cycles()
    while time.perf_counter_ns() - began < seconds * 1e9:
        pass
    last, ended = now_cycles(), time.perf_counter_ns()
    return (ended - began) / (last - first)
