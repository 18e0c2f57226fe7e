"""Memory of the kernels: blocks of 64-bit words, addressed by plain integers; struct.py gives them named fields.

Why not array arguments: an array travels through a call as seven words and is reference-counted; the same tree kernel
ran at 2.2 M items/s over thirteen array arguments and at 63 M over addresses.

The caller that allocates a block releases it; nothing else owns it. With NUMBA_DISABLE_JIT=1 the same functions run as
plain Python and check every access against the blocks that are allocated, or whose address was asked for
(`address_of`).
"""

import functools
import inspect
import struct
from collections.abc import Callable

from llvmlite import ir
from numba import config, njit, types
from numba.extending import lower_builtin, type_callable

from windrow.kernels.runtime import checked_memory
from windrow.kernels.runtime.cache import kernels_folders
from windrow.kernels.runtime.guard import call_c, jump_to_guard
from windrow.kernels.runtime.kept import keep
from windrow.kernels.runtime.numba_names import get_or_insert_function

WORD_BYTES = 8
_I64 = ir.IntType(64)
_RESIZE = "windrow_resize"
_NO_MEMORY = (
    "windrow: a kernel asked for %lld bytes and there is no more memory; give the process more memory, or the kernel "
    "less work\n"
)

inner = functools.partial(njit, nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)
"""For functions called by compiled ones; no disk cache: they are linked into each entry's cached code."""


def entry(function):
    """For functions called from Python: kept on disk, so that a second process compiles nothing."""
    made = njit(nogil=True, error_model="numpy")(function)
    return made if config.DISABLE_JIT else keep(made, kernels_folders())


def instruction(signature, codegen) -> Callable[[Callable], Callable]:
    """What a plain Python function is in compiled code: instructions over words of fixed types, which Numba makes of
    those that are given."""

    def of(plain: Callable) -> Callable:
        def typed(*arguments):
            return signature

        typed.__signature__ = inspect.signature(plain)
        type_callable(plain)(lambda context: typed)
        lower_builtin(plain, *signature.args)(codegen)
        return plain

    return of


def make_intrinsic(signature, codegen) -> Callable:
    """The same of a function that compiled code alone calls."""

    def unknown(*words):
        raise NotImplementedError("compiled code alone can do this")

    names = [inspect.Parameter(f"x{i}", inspect.Parameter.POSITIONAL_OR_KEYWORD) for i in range(len(signature.args))]
    unknown.__signature__ = inspect.Signature(names)
    return instruction(signature, codegen)(unknown)


def _resize(context, builder, signature, arguments):
    address, words = arguments
    function = builder.module.globals.get(_RESIZE) or _make_resize(context, builder.module)
    return builder.call(function, [address, builder.shl(words, ir.Constant(_I64, 3))])


def _make_resize(context, module):
    """realloc that never comes back empty-handed: it leaves the call instead (guard.py). Where no guard stands the
    process ends, having reported why: compiled code has nowhere to raise to."""
    function = ir.Function(module, ir.FunctionType(_I64, [_I64, _I64]), _RESIZE)
    function.linkage = "internal"
    function.attributes.add("noinline")
    builder = ir.IRBuilder(function.append_basic_block())
    block, zero, size = call_c(builder, "realloc", _I64, *function.args), ir.Constant(_I64, 0), function.args[1]
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
    call_c(builder, "abort", ir.VoidType())
    builder.unreachable()


def _release(context, builder, signature, arguments):
    call_c(builder, "free", ir.VoidType(), *arguments)
    return context.get_dummy_value()


def _move(context, builder, signature, arguments):
    target, source, words = arguments
    call_c(builder, "memmove", _I64, target, source, builder.shl(words, ir.Constant(_I64, 3)))
    return context.get_dummy_value()


def _as_float(context, builder, signature, arguments):
    return builder.bitcast(arguments[0], ir.DoubleType())


def _as_word(context, builder, signature, arguments):
    return builder.bitcast(arguments[0], _I64)


def _trailing_zeros(context, builder, signature, arguments):
    return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))


def _prefetch(context, builder, signature, arguments):
    pointer, i32 = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer()), ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [pointer.type, i32, i32, i32])
    fetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer.type], kind)
    to_write, all_levels, data = 1, 3, 1
    builder.call(fetch, [pointer, *(ir.Constant(i32, flag) for flag in (to_write, all_levels, data))])
    return context.get_dummy_value()


def _marked(attribute: str) -> Callable:
    def mark(context, builder, signature, arguments):
        builder.function.attributes.add(attribute)
        return context.get_dummy_value()

    return mark


_WORD = types.int64
resize = instruction(_WORD(_WORD, _WORD), _resize)(checked_memory.resize)
release = instruction(types.void(_WORD), _release)(checked_memory.release)
move = instruction(types.void(_WORD, _WORD, _WORD), _move)(checked_memory.move)

if config.DISABLE_JIT:
    address_of, looking_at = checked_memory.address_of, checked_memory.looking_at
else:

    def address_of(array) -> int:
        """Address of a contiguous array's memory; the caller keeps the array alive."""
        return array.__array_interface__["data"][0]  # a third of what array.ctypes.data takes

    def looking_at(kind: type) -> Callable:
        """(address) → what of this kind of ctypes stands there, to plain Python."""
        return kind.from_address


@instruction(types.void(), _marked("noinline"))
def not_inlined():
    """As first statement keeps a function apart. Numba optimises every function together with all that it calls, level
    by level; with the large ones inlined everywhere a replay took two minutes to compile."""


@instruction(types.void(), _marked("alwaysinline"))
def inlined():
    """Inlines a function into all that call it: for what each event passes, where LLVM thinks it too long. A call takes
    some 25 instructions, most of them for errors that Numba could raise: with what inserts and cuts it inlined, a tuple
    of a frame takes 16 ns, not 25. forceinline=True of a decorator would go on to all that the function calls."""


LINE_BYTES = 64


@instruction(types.void(_WORD), _prefetch)
def prefetch(address):
    """Fetch the line of an address into the cache, soon to be written; nothing but speed depends on it."""


@instruction(types.float64(_WORD), _as_float)
def as_float(word: int) -> float:
    """The float64 with the bits of a word; also in compiled code."""
    return struct.unpack("<d", struct.pack("<q", word))[0]


@instruction(_WORD(types.float64), _as_word)
def as_word(value: float) -> int:
    """The word with the bits of a float64; also in compiled code."""
    return struct.unpack("<q", struct.pack("<d", value))[0]


@instruction(_WORD(_WORD), _trailing_zeros)
def trailing_zeros(word: int) -> int:
    """How many bits below the lowest that is set; the word has one."""
    return (word & -word).bit_length() - 1
