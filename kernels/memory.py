"""Memory of the kernels: blocks of 64-bit words, addressed by plain integers.

Why not array arguments: an array travels through a call as seven words and is reference-counted; the same
    tree kernel ran at
2.2 M items/s over thirteen array arguments and at 63 M over addresses. `block[i]` is written load(block, i)
here.

Whoever allocates a block releases it; nothing else owns it. With NUMBA_DISABLE_JIT=1 the same functions run as plain
Python and check every access against the blocks that are allocated or lent (`lend` names a NumPy array's memory).
"""

import functools
import struct

import numpy as np
from llvmlite import ir
from numba import config, njit, types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic, overload

WORD_BYTES = 8
_I64 = ir.IntType(64)
_RESIZE = "windrow_resize"
_NO_MEMORY = "windrow: a kernel asked for %lld bytes and there is no more memory; give the process more, or it less\n"

inner = functools.partial(
    njit, nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True
)
"""For functions called by compiled ones; no disk cache: they are linked into each entry's cached code."""
entry = functools.partial(njit, nogil=True, error_model="numpy", cache=True)
"""For functions called from Python: cached on disk, so that a second process compiles nothing."""


def _pointer(builder, address, index, element, shift):
    """Pointer to element `index` (elements of 2**shift bytes) of the block at `address`."""
    offset = builder.shl(index, ir.Constant(_I64, shift)) if shift else index
    return builder.inttoptr(builder.add(address, offset), element.as_pointer())


def _load(context, builder, signature, arguments):
    return builder.load(_pointer(builder, *arguments, _I64, 3))


def _load_byte(context, builder, signature, arguments):
    return builder.zext(builder.load(_pointer(builder, *arguments, ir.IntType(8), 0)), _I64)


def _store_byte(context, builder, signature, arguments):
    address, index, value = arguments
    byte = builder.trunc(value, ir.IntType(8))
    builder.store(byte, _pointer(builder, address, index, ir.IntType(8), 0))
    return context.get_dummy_value()


def _store(context, builder, signature, arguments):
    address, index, value = arguments
    builder.store(value, _pointer(builder, address, index, _I64, 3))
    return context.get_dummy_value()


def _resize(context, builder, signature, arguments):
    address, words = arguments
    function = builder.module.globals.get(_RESIZE) or _make_resize(context, builder.module)
    return builder.call(function, [address, builder.shl(words, ir.Constant(_I64, 3))])


def _make_resize(context, module):
    """realloc that never comes back empty-handed. Compiled code has nowhere to raise to from here, so the process ends,
    having said why."""
    function = ir.Function(module, ir.FunctionType(_I64, [_I64, _I64]), _RESIZE)
    function.linkage = "internal"
    function.attributes.add("noinline")
    builder = ir.IRBuilder(function.append_basic_block())
    realloc = get_or_insert_function(module, ir.FunctionType(_I64, [_I64, _I64]), "realloc")
    block, zero, size = builder.call(realloc, function.args), ir.Constant(_I64, 0), function.args[1]
    is_missing = builder.and_(builder.icmp_signed("==", block, zero), builder.icmp_signed("!=", size, zero))
    with builder.if_then(is_missing, likely=False):
        i32, text = ir.IntType(32), ir.IntType(8).as_pointer()
        say = get_or_insert_function(module, ir.FunctionType(i32, [i32, text], var_arg=True), "dprintf")
        builder.call(say, [ir.Constant(i32, 2), context.insert_const_string(module, _NO_MEMORY), size])
        builder.call(get_or_insert_function(module, ir.FunctionType(ir.VoidType(), []), "abort"), [])
        builder.unreachable()
    builder.ret(block)
    return function


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


def make_intrinsic(signature, codegen):
    """An intrinsic of fixed types; arguments of other integer types are converted by Numba."""
    parameters = ["typingctx"] + [f"x{i}" for i in range(len(signature.args))]
    scope = {"signature": signature, "codegen": codegen}
    exec(f"def function({', '.join(parameters)}): return signature, codegen", scope)
    return intrinsic(scope["function"])


_WORD = types.int64

if not config.DISABLE_JIT:
    load = make_intrinsic(_WORD(_WORD, _WORD), _load)
    load_byte = make_intrinsic(_WORD(_WORD, _WORD), _load_byte)
    store = make_intrinsic(types.void(_WORD, _WORD, _WORD), _store)
    store_byte = make_intrinsic(types.void(_WORD, _WORD, _WORD), _store_byte)
    resize = make_intrinsic(_WORD(_WORD, _WORD), _resize)
    release = make_intrinsic(types.void(_WORD), _release)
    move = make_intrinsic(types.void(_WORD, _WORD, _WORD), _move)
    not_inlined = make_intrinsic(types.void(), _not_inlined)

    def lend(array: np.ndarray) -> int:
        """Address of a contiguous array's memory; the caller keeps the array alive."""
        return array.ctypes.data
else:
    from kernels.checked_memory import (  # noqa: F401
        lend,
        load,
        load_byte,
        move,
        not_inlined,
        release,
        resize,
        store,
        store_byte,
    )


# not_inlined() as first statement keeps a function apart. Numba optimises every function together with all
# that it calls, level by level; with the large ones inlined everywhere a replay took two minutes to compile.


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
