"""top_k: the value that is k-th by how often it occurs, with the column's type; among values that occur as often, the
least comes first. For a list of the most frequent values, use one aggregate for each k; k = 1 is the `mode`. Null over
fewer than k different values.

The winners before the k-th step out of the tournament (mode.py) one by one, their counts negative, and come
back:

    memory            1: 2                   of counts 2 0 3 1 with k = 2: place 6 has stepped out, which stands
                 2: 2      3: 1              behind the counts; the winner is now at place 4
    counts     4: 2  5: 0  6: −3  7: 1
"""

from windrow.kernels.monoid import FLOAT, WHOLE, OrderStatistic, Parameter
from windrow.kernels.monoids import mode
from windrow.kernels.monoids._order_code import decoded
from windrow.kernels.monoids.mode import add, play_again, remove, winner
from windrow.kernels.runtime.memory import inner

MEMORY_WORDS = mode.MEMORY_WORDS + 1  # for the places that have stepped out
NOWHERE = 0


@inner
def _step(held, place):
    """Out, or back in."""
    held.memory[place] = -held.memory[place]
    play_again(held, place)


@inner
def _kth_place(held):
    """NOWHERE if there are fewer values. O(k log values)."""
    first_out = 2 * held.height
    out = 0
    while out < held.parameters[0] - 1 and held.memory[1] > 0:
        place = winner(held)
        held.memory[first_out + out] = place
        _step(held, place)
        out += 1
    found = winner(held) if held.memory[1] > 0 else NOWHERE
    while out > 0:
        out -= 1
        _step(held, held.memory[first_out + out])
    return found


def lower(held):
    place = _kth_place(held)
    if place == NOWHERE:
        return (0, True, False)
    return (held.values[place - held.height], False, False)


PARAMETERS = (Parameter("k", 1, 1, 100),)
MONOIDS = (
    OrderStatistic(WHOLE, MEMORY_WORDS, add, remove, lower, parameters=PARAMETERS),
    OrderStatistic(FLOAT, MEMORY_WORDS, add, remove, decoded(lower), parameters=PARAMETERS),
)
