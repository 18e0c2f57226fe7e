"""Memory that will be written soon, fetched into the cache meanwhile; nothing but speed depends on it."""

from llvmlite import ir
from numba import config, types

from kernels.runtime.memory import make_intrinsic

LINE_BYTES = 64
_TO_WRITE, _ALL_LEVELS, _DATA = 1, 3, 1


def _prefetch(context, builder, signature, arguments):
    pointer = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
    i32 = ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [pointer.type, i32, i32, i32])
    fetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
    flags = [ir.Constant(i32, flag) for flag in (_TO_WRITE, _ALL_LEVELS, _DATA)]
    builder.call(fetch, [pointer, *flags])
    return context.get_dummy_value()


if not config.DISABLE_JIT:
    prefetch = make_intrinsic(types.void(types.int64), _prefetch)
else:

    def prefetch(address):
        """Fetch the line of an address."""
