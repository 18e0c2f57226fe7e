"""What a heavy function is to the farm: each file of this folder has one as `FUNCTION`."""

from collections.abc import Callable
from typing import NamedTuple

from windrow.kernels.monoid import Parameter

Values = tuple[float, ...]


class Parameters(NamedTuple):
    """As last parameter of a function: several numbers, such as the probabilities of quantiles; each within
    [least, most]."""

    name: str
    default: Values
    least: float
    most: float


class HeavyFunction(NamedTuple):
    """A function over the content of a window, called by address on any thread.

    columns: names of the value columns that it reads, in their order; those in `optional` may be left out at the end
    outputs(values of the parameters) → names of what it writes
    compute(content, result) → status: plain Python that Numba can compile, over the fields of kernels/farm/content.py;
        it reads nothing else, so that a window's result follows from its content, whichever thread computes it. What it
        raises has constant arguments: Numba never frees others, some 70 bytes each time
    scratch(values of the parameters) → (floats for each tuple, floats more) that it may write to
    """

    columns: tuple[str, ...]
    outputs: Callable[[Values], tuple[str, ...]]
    compute: Callable
    scratch: Callable[[Values], tuple[int, int]] = lambda values: (0, 0)
    parameters: tuple[Parameter | Parameters, ...] = ()
    optional: tuple[str, ...] = ()
