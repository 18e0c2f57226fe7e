"""Calls of compiled functions by address; without the JIT an address is the place of a function in a list.

call(address, word, …) → word; a function that returns nothing may be called too, its word means nothing
ask(address, word, …) → word: the same, from plain Python
call_lower(address, slot, state) → (word, is_null, failed)
"""

import operator

from llvmlite import ir
from numba import config, types
from numba.core.cgutils import alloca_once
from numba.extending import intrinsic

from kernels.runtime.addresses import function_at
from kernels.runtime.guard import Guard, guarded_caller
from kernels.runtime.memory import entry, get_word, make_intrinsic, release, resize

_I64 = ir.IntType(64)
_WORD = types.int64


def _function(builder, address, words):
    return builder.inttoptr(address, ir.FunctionType(_I64, [_I64] * words).as_pointer())


def _call(context, builder, signature, arguments):
    address, packed = arguments
    words = [
        context.cast(builder, builder.extract_value(packed, place), given, _WORD)
        for place, given in enumerate(signature.args[1].types)
    ]
    return builder.call(_function(builder, address, len(words)), words)


def _call_lower(context, builder, signature, arguments):
    address, *words = arguments
    answer = alloca_once(builder, _I64)
    place = builder.ptrtoint(answer, _I64)
    flags = builder.call(_function(builder, address, 3), [*words, place])
    failed = builder.icmp_unsigned("!=", builder.and_(flags, ir.Constant(_I64, 2)), ir.Constant(_I64, 0))
    is_null = builder.trunc(flags, ir.IntType(1))
    return context.make_tuple(builder, signature.return_type, [builder.load(answer), is_null, failed])


if not config.DISABLE_JIT:

    @intrinsic
    def call(typingctx, address, *words):
        packed = words[0] if len(words) == 1 and isinstance(words[0], types.BaseTuple) else types.Tuple(words)
        return _WORD(_WORD, packed), _call

    call_lower = make_intrinsic(types.Tuple((_WORD, types.boolean, types.boolean))(*[_WORD] * 3), _call_lower)
else:

    def call(address, *words):
        return function_at(address)(*map(operator.index, words)) or 0  # nothing returned is 0 in compiled code

    def call_lower(address, slot, state):
        answer = resize(0, 1)
        flags, word = function_at(address)(slot, state, answer), get_word(answer)
        release(answer)
        return word, flags & 1 == 1, flags & 2 == 2


def _call_guarded(context, builder, signature, arguments):
    guard, address, packed = arguments
    words = [builder.extract_value(packed, place) for place in range(len(signature.args[2]))]
    return builder.call(guarded_caller(builder.module, len(words)), [guard, address, *words])


@intrinsic
def _guarded(typingctx, guard, address, words):
    return _WORD(_WORD, _WORD, words), _call_guarded


@entry
def _ask(guard, address, words):
    return _guarded(guard, address, words)


def ask(address: int, *words: int) -> int:
    """Call a function by its address from plain Python. Raises KernelOutOfMemory."""
    if config.DISABLE_JIT:
        return int(call(address, *map(int, words)))
    with Guard() as guard:
        return _ask(guard.address, address, tuple(map(int, words)))
