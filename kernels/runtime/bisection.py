"""Places in what ascends: by bisection, O(log(end − first)), or galloping from a place that is near, O(log distance).

words   3  5  5  9        place_from(5) = 1, the first that is 5 or more; place_above(5) = 3, the first beyond 5

What is searched is anything that compiled code reads by number, in a ring, in fields of structures or by closed forms:
`searches` makes the functions from a comparison, which is compiled into them.
"""

from collections.abc import Callable
from typing import NamedTuple

from windrow.kernels.runtime.addresses import named_inner
from windrow.kernels.runtime.memory import inner


class Searches(NamedTuple):
    """Compiled functions, each → the first place of [first, end) that isn't below the value, or `end`.

    place_from(source, first, end, value)
    gallop(source, first, end, value): from `first` on, upwards
    gallop_back(source, first, end, value): from `end` on, downwards
    """

    place_from: Callable
    gallop: Callable
    gallop_back: Callable


def searches(owner: str, is_below: Callable) -> Searches:
    """is_below(source, place, value), compiled: true up to some place and false from there on. The name of the owner is
    no other's. Each search takes O(log(end − first)) comparisons, galloping O(log distance)."""

    def place_from(source, first, end, value):
        while first < end:
            middle = (first + end) >> 1
            if is_below(source, middle, value):
                first = middle + 1
            else:
                end = middle
        return first

    bisect = named_inner(owner, place_from)

    def gallop(source, first, end, value):
        stride = 1
        while first + stride <= end and is_below(source, first + stride - 1, value):
            first += stride
            stride *= 2
        return bisect(source, first, min(first + stride - 1, end), value)

    def gallop_back(source, first, end, value):
        stride = 1
        while first + stride <= end and not is_below(source, end - stride, value):
            end -= stride
            stride *= 2
        return bisect(source, max(first, end - stride + 1), end, value)

    return Searches(bisect, named_inner(owner, gallop), named_inner(owner, gallop_back))


@inner
def _is_below(words, place, value):
    return words[place] < value


@inner
def _is_until(words, place, value):
    return words[place] <= value


place_from, gallop, _ = searches("words", _is_below)
place_above = searches("words_until", _is_until).place_from
