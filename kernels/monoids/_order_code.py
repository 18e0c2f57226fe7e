"""An int64 code whose order is that of float64 (−0.0 before 0.0), so that min and max compare integers only.
No float's code is LARGEST or SMALLEST: these would be the bits of a NaN."""

from collections.abc import Callable

from numba.extending import register_jitable

from windrow.kernels.runtime.fields import LARGEST
from windrow.kernels.runtime.memory import as_float, as_word


@register_jitable
def order_code(word):
    """Code of a float's bits, and the bits of a code: the same function undoes itself."""
    return word if word >= 0 else word ^ LARGEST  # the sign stays


@register_jitable
def value_bits(word):
    """A float's bits where −0.0 is 0.0."""
    return as_word(as_float(word) + 0.0)


@register_jitable
def value_code(word):
    """The same where −0.0 and 0.0 are equal, as their values are."""
    return order_code(value_bits(word))


@register_jitable
def float_bits(word):
    """An integer as a float's bits."""
    return as_word(float(word))


def coded(function: Callable, code: Callable = value_code, is_second: bool = False) -> Callable:
    """`lift` or `add` of a word's code, such as that of a float's bits; the word is its first or second argument."""
    function = register_jitable(function)

    def of_first(word, *others):
        return function(code(word), *others)

    def of_second(first, word, *others):
        return function(first, code(word), *others)

    return of_second if is_second else of_first


def decoded(lower: Callable) -> Callable:
    """`lower` for floats, of an aggregate that answers with a code."""
    lower = register_jitable(lower)

    def lower_float(*arguments):
        code, is_null, failed = lower(*arguments)
        return (order_code(code), is_null, failed)

    return lower_float
