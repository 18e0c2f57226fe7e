"""The sums over a window's tuples that a fit needs: Σ weight · u^k, and Σ weight · (value − fitted) · u^k.

A pass adds up eight of the first kind and four of the second in registers; more coefficients take more passes, each of
which begins at the powers where the one before ended.
"""

from kernels.farm.functions._groups import begin, next_run, times_of, values_of, weights_of
from kernels.runtime.lanes import floats_at, integers_at, spread, total_of
from kernels.runtime.memory import inner

SUMS = 4


@inner
def sum_first(fit, content):
    """moments, of all powers below 2n; cost and gradient of coefficients that are 0. O(tuples · n)."""
    for first in range(0, fit.n, SUMS):
        add_up_first(fit, content, first)


@inner
def add_up_first(fit, content, first):
    """Four elements of the gradient from a power on, eight moments from twice that power on."""
    groups, offset = fit.groups, spread(fit.offset)
    cost = a = b = c = d = e = f = g = h = k = m = n = o = spread(0.0)
    begin(groups, content)
    run = next_run(groups, content)
    while run > 0:
        for place in range(run):
            u, value = scaled_times(fit, content, place), floats_at(values_of(groups, place)) - offset
            weight = times_power(floats_at(weights_of(groups, place)), u, first)
            weighted = weight * value
            cost += weighted * value
            a, b, c, d, _ = add_powers(a, b, c, d, weighted, u)
            e, f, g, h, weight = add_powers(e, f, g, h, times_power(weight, u, first), u)
            k, m, n, o, _ = add_powers(k, m, n, o, weight, u)
        run = next_run(groups, content)
    if first == 0:
        fit.cost = total_of(cost)
    write_sums(fit.gradient[first:], a, b, c, d)
    write_sums(fit.moments[2 * first :], e, f, g, h)
    write_sums(fit.moments[2 * first + SUMS :], k, m, n, o)


@inner
def sum_residuals(fit, content):
    """cost and gradient of the coefficients. O(tuples · n)."""
    for first in range(0, fit.n, SUMS):
        add_up_residuals(fit, content, first)


@inner
def add_up_residuals(fit, content, first):
    """The cost, and four elements of the gradient from a power on."""
    groups, offset = fit.groups, spread(fit.offset)
    cost = a = b = c = d = spread(0.0)
    begin(groups, content)
    run = next_run(groups, content)
    while run > 0:
        for place in range(run):
            u = scaled_times(fit, content, place)
            residual = floats_at(values_of(groups, place)) - offset - fitted(fit, u)
            weighted = residual * floats_at(weights_of(groups, place))
            cost += weighted * residual
            a, b, c, d, _ = add_powers(a, b, c, d, times_power(weighted, u, first), u)
        run = next_run(groups, content)
    fit.cost = total_of(cost)
    write_sums(fit.gradient[first:], a, b, c, d)


@inner
def scaled_times(fit, content, place):
    """u of a group; all times equal make it 0."""
    scale = 1.0 / fit.half_us if fit.half_us > 0.0 else 0.0
    return (integers_at(times_of(fit.groups, place), content.start) - spread(fit.middle_us)) * spread(scale)


@inner
def fitted(fit, u):
    """The polynomial."""
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
    """The totals of four sums."""
    target[0], target[1], target[2], target[3] = total_of(a), total_of(b), total_of(c), total_of(d)
