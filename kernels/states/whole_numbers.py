"""What stands in for the operators of a checked aggregate (checked.py): on integers they are exact or raise
OverflowError, on all else they are themselves."""

import operator
from collections.abc import Callable

import numpy as np
from numba import types
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload

SMALLEST, LARGEST, BITS = -(1 << 63), (1 << 63) - 1, 64
BEYOND = "beyond int64"


def _are_integers(*given) -> bool:
    """Whether int64 is what these make. Unsigned ones of 64 bits wrap elsewhere, and are refused."""
    for each in given:
        if isinstance(each, types.Integer) and not each.signed and each.bitwidth == BITS:
            raise TypingError("an aggregate's integers are signed, of at most 64 bits")
    return all(isinstance(each, (types.Integer, types.Boolean)) for each in given)


def _with_overflow(instruction: str) -> Callable:
    @intrinsic
    def operation(typingctx, left, right):
        def codegen(context, builder, signature, arguments):
            found = getattr(builder, instruction)(*arguments)
            both = [builder.extract_value(found, place) for place in (0, 1)]
            return context.make_tuple(builder, signature.return_type, both)

        return types.Tuple((types.int64, types.boolean))(types.int64, types.int64), codegen

    return operation


_add, _subtract, _multiply = map(_with_overflow, ("sadd_with_overflow", "ssub_with_overflow", "smul_with_overflow"))


def whole_sum(a, b):
    found, is_beyond = _add(np.int64(a), np.int64(b))
    if is_beyond:
        raise OverflowError(BEYOND)
    return found


def whole_difference(a, b):
    found, is_beyond = _subtract(np.int64(a), np.int64(b))
    if is_beyond:
        raise OverflowError(BEYOND)
    return found


def whole_product(a, b):
    found, is_beyond = _multiply(np.int64(a), np.int64(b))
    if is_beyond:
        raise OverflowError(BEYOND)
    return found


def whole_quotient(a, b):
    if b == 0 or (a == SMALLEST and b == -1):
        raise OverflowError(BEYOND)
    return np.int64(a) // np.int64(b)


def whole_remainder(a, b):
    if b == 0:
        raise OverflowError(BEYOND)
    # The processor divides, and what it can't divide ends the process.
    return np.int64(0) if b == -1 else np.int64(a) % np.int64(b)


def whole_shifted(a, b):
    if b < 0 or b >= BITS or (np.int64(a) << b) >> b != a:
        raise OverflowError(BEYOND)
    return np.int64(a) << b


def whole_power(a, b):
    if b < 0:
        raise OverflowError(BEYOND)
    found, factor, left, is_beyond = np.int64(1), np.int64(a), np.int64(b), False
    while left > 0 and not is_beyond:
        if left & 1 == 1:
            found, is_beyond = _multiply(found, factor)
        left >>= 1
        if left > 0 and not is_beyond:
            factor, is_beyond = _multiply(factor, factor)
    if is_beyond:
        raise OverflowError(BEYOND)
    return found


def whole_negative(a):
    if a == SMALLEST:
        raise OverflowError(BEYOND)
    return -np.int64(a)


def whole_magnitude(a):
    if a == SMALLEST:
        raise OverflowError(BEYOND)
    return abs(np.int64(a))


def whole_of_float(a):
    if not -9.223372036854775808e18 <= a < 9.223372036854775808e18:  # nor is NaN
        raise OverflowError(BEYOND)
    return int(a)


def _binary(plain_one: Callable, whole: Callable) -> Callable:
    """What stands in for an operator: checked on integers, itself on all else."""

    def stand_in(a, b):
        return plain_one(a, b)

    def on_others(a, b):
        return plain_one(a, b)

    on_others.__qualname__ = f"{whole.__name__}_of_others"  # Numba's cache links by name
    overload(stand_in, strict=False)(lambda a, b: whole if _are_integers(a, b) else on_others)
    return stand_in


def _unary(plain_one: Callable, whole: Callable, is_checked: Callable) -> Callable:
    def stand_in(a):
        return plain_one(a)

    def on_others(a):
        return plain_one(a)

    on_others.__qualname__ = f"{whole.__name__}_of_others"
    overload(stand_in, strict=False)(lambda a: whole if is_checked(a) else on_others)
    return stand_in


def _is_float(given) -> bool:
    return isinstance(given, types.Float)


CHECKED = {
    operator.add: _binary(operator.add, whole_sum),
    operator.sub: _binary(operator.sub, whole_difference),
    operator.mul: _binary(operator.mul, whole_product),
    operator.floordiv: _binary(operator.floordiv, whole_quotient),
    operator.mod: _binary(operator.mod, whole_remainder),
    operator.lshift: _binary(operator.lshift, whole_shifted),
    operator.pow: _binary(operator.pow, whole_power),
    operator.neg: _unary(operator.neg, whole_negative, _are_integers),
    abs: _unary(abs, whole_magnitude, _are_integers),
    int: _unary(int, whole_of_float, _is_float),
}
