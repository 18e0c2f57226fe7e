"""An int64 code whose order is that of float64 (−0.0 before 0.0), so that min and max compare integers only."""

from collections.abc import Callable

from numba.extending import register_jitable

from kernels.runtime.memory import as_float, as_word

SIGN_CLEARED = (1 << 63) - 1
LARGEST = (1 << 63) - 1  # no float's code: these would be the bits of a NaN


@register_jitable
def order_code(word):
    """Code of a float's bits, and the bits of a code: the same function undoes itself."""
    return word if word >= 0 else word ^ SIGN_CLEARED


def decoded(lower: Callable) -> Callable:
    """`lower` for floats, of an aggregate that answers with a code."""
    lower = register_jitable(lower)

    def lower_float(*arguments):
        code, is_null, failed = lower(*arguments)
        return (order_code(code), is_null, failed)

    return lower_float


@register_jitable
def value_code(word):
    """The same where −0.0 and 0.0 are equal, as their values are."""
    return order_code(as_word(as_float(word) + 0.0))
