"""Calls of compiled functions by address: call_n(address, n words) answers nothing, ask_5 and ask_7 a word,
call_lower(address, code, target, parameters) → (word, is_null, failed).

Without the JIT an address is the place of a function in a list (kernels/native.py).
"""

from llvmlite import ir
from numba import config, types
from numba.core.cgutils import alloca_once

from kernels.memory import make_intrinsic
from kernels.native import function_at

_I64 = ir.IntType(64)
_WORD = types.int64
_COUNTS = (2, 3, 4, 5, 6)


def _function(builder, address, words, result):
    return builder.inttoptr(address, ir.FunctionType(result, [_I64] * words).as_pointer())


def _call(context, builder, signature, arguments):
    address, *words = arguments
    builder.call(_function(builder, address, len(words), ir.VoidType()), words)
    return context.get_dummy_value()


def _ask(context, builder, signature, arguments):
    address, *words = arguments
    return builder.call(_function(builder, address, len(words), _I64), words)


def _call_lower(context, builder, signature, arguments):
    address, *words = arguments
    answer = alloca_once(builder, _I64)
    place = builder.ptrtoint(answer, _I64)
    flags = builder.call(_function(builder, address, 4, _I64), [*words, place])
    failed = builder.icmp_unsigned("!=", builder.and_(flags, ir.Constant(_I64, 2)), ir.Constant(_I64, 0))
    is_null = builder.trunc(flags, ir.IntType(1))
    return context.make_tuple(builder, signature.return_type, [builder.load(answer), is_null, failed])


if not config.DISABLE_JIT:
    call_2, call_3, call_4, call_5, call_6 = (
        make_intrinsic(types.void(*[_WORD] * (words + 1)), _call) for words in _COUNTS)
    ask_5, ask_7 = (make_intrinsic(_WORD(*[_WORD] * (words + 1)), _ask) for words in (5, 7))
    call_lower = make_intrinsic(types.Tuple((_WORD, types.boolean, types.boolean))(*[_WORD] * 4), _call_lower)
else:
    def call_2(address, *words):
        return function_at(address)(*words)

    call_3 = call_4 = call_5 = call_6 = ask_5 = ask_7 = call_lower = call_2
