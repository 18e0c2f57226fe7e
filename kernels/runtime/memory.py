"""Memory of the kernels: blocks of 64-bit words, addressed by plain integers; struct.py gives them named fields.

Why not array arguments: an array travels through a call as seven words and is reference-counted; the same tree kernel
ran at 2.2 M items/s over thirteen array arguments and at 63 M over addresses.

Whoever allocates a block releases it; nothing else owns it. With NUMBA_DISABLE_JIT=1 the same functions run as plain
Python and check every access against the blocks that are allocated, or whose address was asked for (`address_of`).
"""

import ctypes
import functools
import operator
import struct

import numpy as np
from llvmlite import ir
from numba import config, njit, types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic, overload

from kernels.runtime.cache import kernels_folders
from kernels.runtime.guard import jump_to_guard
from kernels.runtime.kept import keep

WORD_BYTES = 8
_I64 = ir.IntType(64)
_RESIZE = "windrow_resize"
_NO_MEMORY = "windrow: a kernel asked for %lld bytes and there is no more memory; give the process more, or it less\n"

inner = functools.partial(njit, nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""For functions called by compiled ones; no disk cache: they are linked into each entry's cached code."""


def entry(function):
    """For functions called from Python: kept on disk, so that a second process compiles nothing."""
    made = njit(nogil=True, error_model="numpy")(function)
    return made if config.DISABLE_JIT else keep(made, kernels_folders())


def _resize(context, builder, signature, arguments):
    address, words = arguments
    function = builder.module.globals.get(_RESIZE) or _make_resize(context, builder.module)
    return builder.call(function, [address, builder.shl(words, ir.Constant(_I64, 3))])


def _make_resize(context, module):
    """realloc that never comes back empty-handed: it leaves the call instead (guard.py). Where nobody guards it the
    process ends, having reported why: compiled code has nowhere to raise to."""
    function = ir.Function(module, ir.FunctionType(_I64, [_I64, _I64]), _RESIZE)
    function.linkage = "internal"
    function.attributes.add("noinline")
    builder = ir.IRBuilder(function.append_basic_block())
    realloc = get_or_insert_function(module, ir.FunctionType(_I64, [_I64, _I64]), "realloc")
    block, zero, size = builder.call(realloc, function.args), ir.Constant(_I64, 0), function.args[1]
    is_missing = builder.and_(builder.icmp_signed("==", block, zero), builder.icmp_signed("!=", size, zero))
    found, missing = builder.append_basic_block(), builder.append_basic_block()
    builder.cbranch(is_missing, missing, found)
    builder.position_at_end(found)
    builder.ret(block)
    builder.position_at_end(missing)
    jump_to_guard(builder, size)
    _abort(context, builder, size)
    return function


def _abort(context, builder, size):
    i32, text = ir.IntType(32), ir.IntType(8).as_pointer()
    printf_type = ir.FunctionType(i32, [i32, text], var_arg=True)
    report = get_or_insert_function(builder.module, printf_type, "dprintf")
    message = context.insert_const_string(builder.module, _NO_MEMORY)
    builder.call(report, [ir.Constant(i32, 2), message, size])
    builder.call(get_or_insert_function(builder.module, ir.FunctionType(ir.VoidType(), []), "abort"), [])
    builder.unreachable()


def _release(context, builder, signature, arguments):
    function = get_or_insert_function(builder.module, ir.FunctionType(ir.VoidType(), [_I64]), "free")
    builder.call(function, arguments)
    return context.get_dummy_value()


def _move(context, builder, signature, arguments):
    arguments_type = ir.FunctionType(_I64, [_I64, _I64, _I64])
    function = get_or_insert_function(builder.module, arguments_type, "memmove")
    target, source, words = arguments
    builder.call(function, [target, source, builder.shl(words, ir.Constant(_I64, 3))])
    return context.get_dummy_value()


def _as_float(context, builder, signature, arguments):
    return builder.bitcast(arguments[0], ir.DoubleType())


def _as_word(context, builder, signature, arguments):
    return builder.bitcast(arguments[0], _I64)


def _not_inlined(context, builder, signature, arguments):
    builder.function.attributes.add("noinline")
    return context.get_dummy_value()


def _inlined(context, builder, signature, arguments):
    builder.function.attributes.add("alwaysinline")
    return context.get_dummy_value()


def make_intrinsic(signature, codegen):
    """An intrinsic of fixed types; arguments of other integer types are converted by Numba."""
    parameters = ["typingctx"] + [f"x{i}" for i in range(len(signature.args))]
    scope = {"signature": signature, "codegen": codegen}
    exec(f"def function({', '.join(parameters)}): return signature, codegen", scope)
    return intrinsic(scope["function"])


_WORD = types.int64

if not config.DISABLE_JIT:
    resize = make_intrinsic(_WORD(_WORD, _WORD), _resize)
    release = make_intrinsic(types.void(_WORD), _release)
    move = make_intrinsic(types.void(_WORD, _WORD, _WORD), _move)
    not_inlined = make_intrinsic(types.void(), _not_inlined)
    inlined = make_intrinsic(types.void(), _inlined)

    def address_of(array: np.ndarray) -> int:
        """Address of a contiguous array's memory; the caller keeps the array alive."""
        return array.__array_interface__["data"][0]  # a third of what array.ctypes.data takes

    def get_word(address: int) -> int:
        """The 64-bit integer at an address, for plain Python."""
        return ctypes.c_int64.from_address(address).value

    def set_word(address: int, value: int) -> None:
        """Write a 64-bit integer, from plain Python."""
        ctypes.c_int64.from_address(address).value = operator.index(value)

    def get_byte(address: int) -> int:
        """The byte at an address, for plain Python."""
        return ctypes.c_uint8.from_address(address).value

    def set_byte(address: int, value: int) -> None:
        """Write a byte, from plain Python."""
        ctypes.c_uint8.from_address(address).value = value

    def get_float(address: int) -> float:
        """The float64 at an address, for plain Python."""
        return ctypes.c_double.from_address(address).value

    def set_float(address: int, value: float) -> None:
        """Write a float64, from plain Python."""
        ctypes.c_double.from_address(address).value = value
else:
    from kernels.runtime.checked_memory import (  # noqa: F401
        address_of,
        get_byte,
        get_float,
        get_word,
        inlined,
        move,
        not_inlined,
        release,
        resize,
        set_byte,
        set_float,
        set_word,
    )


# not_inlined() as first statement keeps a function apart. Numba optimises every function together with all
# that it calls, level by level; with the large ones inlined everywhere a replay took two minutes to compile.
#
# inlined() inlines a function into all that call it: for what each event passes, where LLVM thinks it too long. A call
# takes some 25 instructions, most of them for errors that Numba could raise: with what inserts and cuts it inlined, a
# tuple of a frame takes 16 ns, not 25. forceinline=True of a decorator would go on to all that the function calls.


def as_float(word: int) -> float:
    """The float64 with the bits of a word; also in compiled code."""
    return struct.unpack("<d", struct.pack("<q", word))[0]


def as_word(value: float) -> int:
    """The word with the bits of a float64; also in compiled code."""
    return struct.unpack("<q", struct.pack("<d", value))[0]


_float_of_word = make_intrinsic(types.float64(_WORD), _as_float)
_word_of_float = make_intrinsic(_WORD(types.float64), _as_word)


@overload(as_float)
def _compiled_as_float(word):
    return lambda word: _float_of_word(word)


@overload(as_word)
def _compiled_as_word(value):
    return lambda value: _word_of_float(value)
