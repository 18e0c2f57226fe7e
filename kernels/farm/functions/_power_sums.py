"""The sums over a window's tuples that a fit needs: Σ weight · u^k, and Σ weight · (value − fitted) · u^k.

A pass adds up eight of the first kind, or four of the second, in registers; more coefficients take more passes, each of
which begins at the power where the one before ended.
"""

from kernels.farm.functions._groups import begin, next_run, times_of, values_of, weights_of
from kernels.runtime.lanes import floats_at, integers_at, spread, total_of
from kernels.runtime.memory import inner

SUMS = 4


@inner
def scale_of(fit):
    """u per µs; all times equal make u 0."""
    return 1.0 / fit.half_us if fit.half_us > 0.0 else 0.0


@inner
def sum_moments(fit, content):
    """moments: of all powers below 2n. O(tuples · n)."""
    for first in range(0, 2 * fit.n, 2 * SUMS):
        add_up_moments(fit, content, first)


@inner
def add_up_moments(fit, content, first):
    """Eight of them, from a power on."""
    groups, start, middle, scale = fit.groups, content.start, spread(fit.middle_us), spread(scale_of(fit))
    a = b = c = d = e = f = g = h = spread(0.0)
    begin(groups, content)
    run = next_run(groups, content)
    while run > 0:
        for place in range(run):
            u = (integers_at(times_of(groups, place), start) - middle) * scale
            power = times_power(floats_at(weights_of(groups, place)), u, first)
            a, b, c, d, power = add_powers(a, b, c, d, power, u)
            e, f, g, h, power = add_powers(e, f, g, h, power, u)
        run = next_run(groups, content)
    write_sums(fit.moments[first:], a, b, c, d)
    write_sums(fit.moments[first + SUMS :], e, f, g, h)


@inner
def sum_residuals(fit, content, terms):
    """cost and gradient, where only the first `terms` coefficients aren't 0. O(tuples · n)."""
    for first in range(0, fit.n, SUMS):
        add_up_residuals(fit, content, first, terms)


@inner
def add_up_residuals(fit, content, first, terms):
    """The cost, and four elements of the gradient, from a power on."""
    groups, start, middle, scale = fit.groups, content.start, spread(fit.middle_us), spread(scale_of(fit))
    offset = spread(fit.offset)
    cost = a = b = c = d = spread(0.0)
    begin(groups, content)
    run = next_run(groups, content)
    while run > 0:
        for place in range(run):
            u = (integers_at(times_of(groups, place), start) - middle) * scale
            residual = floats_at(values_of(groups, place)) - offset - fitted(fit, u, terms)
            power = residual * floats_at(weights_of(groups, place))
            cost += power * residual
            a, b, c, d, power = add_powers(a, b, c, d, times_power(power, u, first), u)
        run = next_run(groups, content)
    fit.cost = total_of(cost)
    write_sums(fit.gradient[first:], a, b, c, d)


@inner
def fitted(fit, u, terms):
    """The polynomial of the first `terms` coefficients."""
    value = spread(0.0)
    for k in range(terms - 1, -1, -1):
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
    """The totals of four sums."""
    target[0], target[1], target[2], target[3] = total_of(a), total_of(b), total_of(c), total_of(d)
