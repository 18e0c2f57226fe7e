"""A window's tuples in groups of LANES, for sums over all of them.

    stretches    │ 0 1 2 │ 3 4 5 … 49 │        groups of 8: 0 … 7, copied together; 8 … 47 where they lie; 48 and 49,
                                                 copied, with 49 six times more, without weight

    prepare(groups)
    begin(groups, content)
    run = next_run(groups, content)
    while run > 0:
        for g in range(run):
            … integers_at(times_of(groups, g), …), floats_at(values_of(groups, g)), floats_at(weights_of(groups, g))
        run = next_run(groups, content)

Groups follow from the tuples' ordinals within the window, so a sum has the same bits however the window is cut.
"""

from kernels.farm.content import Real, column_of, must_stop
from kernels.runtime.fields import Array, Count, Flag, Microseconds, Place, Pointer, Times
from kernels.runtime.lanes import LANES
from kernels.runtime.memory import inner
from kernels.runtime.struct import Struct

MOST_A_RUN = 1 << 12
"""Groups between two questions whether the call must end: some 10 µs."""
LONG = 4 * LANES
"""Tuples that are worth a run of their own; fewer are copied, with those of the stretches behind them.
Copying those below 256, by memmove, took half as long again where stretches have 60 or 100."""
ROOM = 128 * LANES
"""Tuples that are copied at a time, a short window once for all passes. With one group at a time the loop waited for
what had just been copied."""


class LaneGroups(Struct):
    """Where a pass over the tuples is.

    left: tuples that aren't in a run yet; the next is number `place` of stretch number `stretch`
    times, values, weights: of the run; a group's weights are `weight_step` floats behind those of the group before
    holds_all: whether the copies are of the whole window
    """

    left: Count
    stretch: Place
    place: Place
    times: Times
    values: Pointer(Real)
    weights: Pointer(Real)
    weight_step: Count
    holds_all: Flag()
    gathered_times: Array(Microseconds, ROOM)
    gathered_values: Array(Real, ROOM)
    gathered_weights: Array(Real, ROOM)
    ones: Array(Real, LANES)


@inner
def prepare(groups):
    """Before the first pass."""
    groups.holds_all = False
    for lane in range(LANES):
        groups.ones[lane] = 1.0


@inner
def begin(groups, content):
    """Before the first tuple of a pass."""
    groups.left, groups.stretch, groups.place = content.count, 0, 0


@inner
def next_run(groups, content):
    """The number of groups in the next run; 0 behind the last tuple, or where the call must end. O(1)."""
    if groups.left == 0 or must_stop(content) != 0:
        return 0
    if groups.holds_all:
        groups.left = 0
        return -(-content.count // LANES)
    stretch, place, has_weights = content.stretches[groups.stretch], groups.place, content.columns > 1
    if stretch.count - place < LONG:
        return gather(groups, content)
    groups.times, groups.values = stretch.times[place:], column_of(stretch, 0)[place:]
    groups.weights = column_of(stretch, 1)[place:] if has_weights else groups.ones
    groups.weight_step = LANES if has_weights else 0
    run = min((stretch.count - place) // LANES, MOST_A_RUN)
    go_on(groups, stretch, run * LANES)
    return run


@inner
def go_on(groups, stretch, tuples):
    """So many tuples of the stretch are in a run."""
    groups.place, groups.left = groups.place + tuples, groups.left - tuples
    if groups.place == stretch.count:
        groups.stretch, groups.place = groups.stretch + 1, 0


@inner
def gather(groups, content):
    """A run of copies, up to where a long stretch can have its own. Behind the last tuple of the window the same again,
    without weight, fills the group."""
    groups.times, groups.values = groups.gathered_times, groups.gathered_values
    groups.weights, groups.weight_step = groups.gathered_weights, LANES
    count = 0
    while groups.left > 0 and count < ROOM and not (count > 0 and count % LANES == 0 and is_long(groups, content)):
        count += copy_some(groups, content, count)
    groups.holds_all, whole = count == content.count, -(-count // LANES)
    for more in range(count, whole * LANES):
        groups.times[more], groups.values[more] = groups.times[count - 1], groups.values[count - 1]
        groups.weights[more] = 0.0
    return whole


@inner
def is_long(groups, content):
    """Whether what is left of a stretch is worth a run."""
    return content.stretches[groups.stretch].count - groups.place >= LONG


@inner
def copy_some(groups, content, filled):
    """Copy what a stretch has left behind `filled` copies, of a long one as much as completes a group; returns how
    many."""
    stretch, first, has_weights = content.stretches[groups.stretch], groups.place, content.columns > 1
    times, values, weights = stretch.times, stretch.values, column_of(stretch, 1)
    to_times, to_values, to_weights = groups.gathered_times, groups.gathered_values, groups.gathered_weights
    room = LANES - filled % LANES if is_long(groups, content) else ROOM - filled
    count = min(stretch.count - first, room)
    for i in range(count):
        to_times[filled + i], to_values[filled + i] = times[first + i], values[first + i]
        to_weights[filled + i] = weights[first + i] if has_weights else 1.0
    go_on(groups, stretch, count)
    return count


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
