"""The sums over a window's tuples that a fit needs: Σ weight · u^k, and Σ weight · (value − fitted) · u^k.

A pass adds up eight of the first kind and four of the second in registers; more coefficients take more passes, each of
which begins at the powers where the one before ended. Tuples are added up in groups of LANES, by runs of groups:

    stretches    │ 0 1 2 │ 3 4 5 … 49 │        groups of 8: 0 … 7, copied together; 8 … 47 where they lie; 48 and 49,
                                                 copied, with 49 six times more, without weight

Groups follow from the tuples' ordinals within the window, so a sum has the same bits however the window is cut.
"""

from windrow.kernels.farm.content import Real, column_of, must_stop
from windrow.kernels.runtime.fields import Array, Count, Flag, Microseconds, Place, Pointer, Times
from windrow.kernels.runtime.lanes import LANES, floats_at, integers_at, spread, total_of
from windrow.kernels.runtime.memory import inner
from windrow.kernels.runtime.struct import Struct

SUMS = 4
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
    groups.holds_all = False
    for lane in range(LANES):
        groups.ones[lane] = 1.0


@inner
def begin_pass(groups, content):
    """Returns the number of groups in the first run."""
    groups.left, groups.stretch, groups.place = content.count, 0, 0
    return next_run(groups, content)


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
    groups.place, groups.left = groups.place + tuples, groups.left - tuples
    if groups.place == stretch.count:
        groups.stretch, groups.place = groups.stretch + 1, 0


@inner
def gather(groups, content):
    """A run of copies, up to where a long stretch can have its own; the last tuple, without weight, fills the group."""
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
    return content.stretches[groups.stretch].count - groups.place >= LONG


@inner
def copy_some(groups, content, filled):
    """Copy what a stretch has left behind `filled` copies, of a long one as much as completes a group."""
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
def lanes_of(fit, content, place):
    """Scaled times u, values and weights of a group of the run; all times equal make u 0."""
    groups, scale = fit.groups, 1.0 / fit.half_us if fit.half_us > 0.0 else 0.0
    u = (integers_at(groups.times[place * LANES :], content.start) - spread(fit.middle_us)) * spread(scale)
    value = floats_at(groups.values[place * LANES :]) - spread(fit.offset)
    return u, value, floats_at(groups.weights[place * groups.weight_step :])


@inner
def add_up_first(fit, content, first):
    """Cost and four elements of the gradient of coefficients that are 0, and eight moments. O(tuples)."""
    cost = a = b = c = d = e = f = g = h = k = m = n = o = spread(0.0)
    run = begin_pass(fit.groups, content)
    while run > 0:
        for place in range(run):
            u, value, weight = lanes_of(fit, content, place)
            weight = times_power(weight, u, first)
            weighted = weight * value
            cost += weighted * value
            a, b, c, d, _ = add_powers(a, b, c, d, weighted, u)
            e, f, g, h, weight = add_powers(e, f, g, h, times_power(weight, u, first), u)
            k, m, n, o, _ = add_powers(k, m, n, o, weight, u)
        run = next_run(fit.groups, content)
    if first == 0:
        fit.cost = total_of(cost)
    write_sums(fit.gradient[first:], a, b, c, d)
    write_sums(fit.moments[2 * first :], e, f, g, h)
    write_sums(fit.moments[2 * first + SUMS :], k, m, n, o)


@inner
def add_up_residuals(fit, content, first):
    """The cost of the coefficients, and four elements of its gradient. O(tuples)."""
    cost = a = b = c = d = spread(0.0)
    run = begin_pass(fit.groups, content)
    while run > 0:
        for place in range(run):
            u, value, weight = lanes_of(fit, content, place)
            residual = value - fitted(fit, u)
            weighted = residual * weight
            cost += weighted * residual
            a, b, c, d, _ = add_powers(a, b, c, d, times_power(weighted, u, first), u)
        run = next_run(fit.groups, content)
    fit.cost = total_of(cost)
    write_sums(fit.gradient[first:], a, b, c, d)


@inner
def fitted(fit, u):
    value = spread(0.0)
    for k in range(fit.n - 1, -1, -1):
        value = value * u + spread(fit.coefficients[k])
    return value


@inner
def times_power(value, u, k):
    """value · u^k."""
    for _ in range(k):
        value = value * u
    return value


@inner
def add_powers(a, b, c, d, power, u):
    """Four sums with power, power · u, …; and the power that follows."""
    square = power * u
    cube = square * u
    fourth = cube * u
    return a + power, b + square, c + cube, d + fourth, fourth * u


@inner
def write_sums(target, a, b, c, d):
    target[0], target[1], target[2], target[3] = total_of(a), total_of(b), total_of(c), total_of(d)
