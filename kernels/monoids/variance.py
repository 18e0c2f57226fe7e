"""variance: squared distances from the mean, by values − ddof: of a sample (ddof 1) unless told 0. Null over ddof
values or fewer."""

from kernels.memory import as_word
from kernels.monoids import _moments
from kernels.monoids._moments import variance


def lower(state, ddof):
    found, is_null, failed = variance(state, ddof)
    return (as_word(found), is_null, failed)


MONOIDS = _moments.monoids(lower)
