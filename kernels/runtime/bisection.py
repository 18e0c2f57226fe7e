"""Places in words that ascend, by bisection: O(log(end − first)).

words   3  5  5  9        place_from(5) = 1, the first that is 5 or more; place_above(5) = 3, the first beyond 5
"""

from kernels.runtime.memory import inner


@inner
def place_from(words, first, end, value):
    """First place of [first, end) with that value or one beyond it, or end."""
    while first < end:
        middle = (first + end) >> 1
        if words[middle] < value:
            first = middle + 1
        else:
            end = middle
    return first


@inner
def place_above(words, first, end, value):
    """First place of [first, end) with a value beyond that one, or end."""
    while first < end:
        middle = (first + end) >> 1
        if words[middle] <= value:
            first = middle + 1
        else:
            end = middle
    return first
