"""An int64 code whose order is that of float64 (−0.0 before 0.0), so that min and max compare integers only."""

from numba.extending import register_jitable

SIGN_CLEARED = (1 << 63) - 1


@register_jitable
def order_code(word):
    """Code of a float's bits, and the bits of a code: the same function undoes itself."""
    return word if word >= 0 else word ^ SIGN_CLEARED
