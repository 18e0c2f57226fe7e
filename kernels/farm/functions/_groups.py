"""A window's tuples in groups of LANES, for sums over all of them.

    stretches    │ 0 1 2 │ 3 4 5 6 7 8 9 … 20 │        groups of 8: 0 … 7, gathered; 8 … 15 where they lie; 16 … 20,
                                                         and three times tuple 20 with a weight of 0

    begin(groups, content)
    run = next_run(groups, content)
    while run > 0:
        for g in range(run):
            … integers_at(times_of(groups, g), …), floats_at(values_of(groups, g)), floats_at(weights_of(groups, g))
        run = next_run(groups, content)

Groups follow from the tuples' ordinals within the window, so a sum has the same bits however the window is cut.
"""

from kernels.farm.content import Real, column_of, must_stop
from kernels.runtime.fields import Array, Count, Microseconds, Place, Pointer, Times
from kernels.runtime.lanes import LANES
from kernels.runtime.memory import inner
from kernels.runtime.struct import Struct

MOST_A_RUN = 1 << 12
"""Groups between two questions whether the call must end: some 30 µs."""


class Groups(Struct):
    """Where a pass over the tuples is.

    left: tuples that aren't in a run yet; the next is number `place` of stretch number `stretch`
    times, values, weights: of the run; a group's weights are `weight_step` floats behind those of the group before
    """

    left: Count
    stretch: Place
    place: Place
    times: Times
    values: Pointer(Real)
    weights: Pointer(Real)
    weight_step: Count
    gathered_times: Array(Microseconds, LANES)
    gathered_values: Array(Real, LANES)
    gathered_weights: Array(Real, LANES)
    ones: Array(Real, LANES)


@inner
def begin(groups, content):
    """Before the first tuple."""
    groups.left, groups.stretch, groups.place = content.count, 0, 0
    for lane in range(LANES):
        groups.ones[lane] = 1.0


@inner
def next_run(groups, content):
    """The number of groups in the next run; 0 behind the last tuple, or where the call must end. O(1)."""
    if groups.left == 0 or must_stop(content) != 0:
        return 0
    stretch = content.stretches[groups.stretch]
    whole = min((stretch.count - groups.place) // LANES, MOST_A_RUN)
    if whole == 0:
        gather_group(groups, content)
        return 1
    place, has_weights = groups.place, content.columns > 1
    groups.times, groups.values = stretch.times[place:], column_of(stretch, 0)[place:]
    groups.weights = column_of(stretch, 1)[place:] if has_weights else groups.ones
    groups.weight_step = LANES if has_weights else 0
    groups.place, groups.left = place + whole * LANES, groups.left - whole * LANES
    return whole


@inner
def gather_group(groups, content):
    """A run of one group, of neighbouring stretches' tuples; behind the last one the same again, without weight."""
    groups.times, groups.values = groups.gathered_times, groups.gathered_values
    groups.weights, groups.weight_step = groups.gathered_weights, 0
    for lane in range(LANES):
        if groups.left > 0:
            gather_tuple(groups, content, lane)
        else:
            groups.times[lane], groups.values[lane] = groups.times[lane - 1], groups.values[lane - 1]
            groups.weights[lane] = 0.0


@inner
def gather_tuple(groups, content, lane):
    """Copy the next tuple."""
    while groups.place == content.stretches[groups.stretch].count:
        groups.stretch, groups.place = groups.stretch + 1, 0
    stretch, place = content.stretches[groups.stretch], groups.place
    groups.times[lane], groups.values[lane] = stretch.times[place], column_of(stretch, 0)[place]
    groups.weights[lane] = column_of(stretch, 1)[place] if content.columns > 1 else 1.0
    groups.place, groups.left = place + 1, groups.left - 1


@inner
def times_of(groups, g):
    """Times of a group of the run."""
    return groups.times[g * LANES :]


@inner
def values_of(groups, g):
    """Values of a group of the run."""
    return groups.values[g * LANES :]


@inner
def weights_of(groups, g):
    """Weights of a group of the run."""
    return groups.weights[g * groups.weight_step :]
