"""A polynomial through a column's values over time, by least squares (Levenberg-Marquardt), with its covariance.

The function of FARM §6.1. Its x is seconds since the window's start: c0 + c1·x + c2·x² + … Inside, times are scaled to
[-1, 1], where the powers of a degree 15 still differ; coefficients and covariance are put back to seconds at the end,
by one matrix:

    u = (x − middle) / half        b0 + b1·u + b2·u²  ─▶  c0 + c1·x + c2·x²
    c = back · b        covariance of c = back · covariance of b · backᵀ

A polynomial's Jacobian is the same at every step, so JᵀWJ is made once, and what a step does to the cost and to the
gradient follows from it. A pass over the tuples measures both where a step is small: what follows from others has their
rounding, and the residuals of a polynomial through all values would be nothing else.

    (JᵀWJ + damping · diagonal) · step = Jᵀ W (value − fitted)      damping ÷ 10 after a better fit, × 10 after a worse

Levenberg, Q. Appl. Math. 2 (1944); Marquardt, J. SIAM 11 (1963). Statuses: too few tuples for the degree; singular, as
of fewer times than coefficients; not converged within the iterations; not finite, as of values near 1e308.
"""

from math import isfinite, nan, sqrt

from windrow.kernels.farm.content import (
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    SINGULAR,
    TOO_FEW,
    Real,
    Result,
    WindowContent,
    must_stop,
)
from windrow.kernels.farm.functions._function import HeavyFunction
from windrow.kernels.farm.functions._linear import factor, invert, solve
from windrow.kernels.farm.functions._power_sums import SUMS, LaneGroups, add_up_first, add_up_residuals, prepare
from windrow.kernels.monoid import Parameter
from windrow.kernels.runtime.fields import Count, Flag, Inline, Pointer
from windrow.kernels.runtime.memory import inner
from windrow.kernels.runtime.struct import Struct

DEGREE, TOLERANCE, ITERATIONS = range(3)
US_A_SECOND = 1e6
FIRST_DAMPING = 1e-6
"""Marquardt begins with 1e-2, far from the optimum of a curve; of a polynomial the undamped step is the answer, and
damping is there for matrices that are nearly singular. 1e-3 took an iteration more."""
ROUNDING = 1e-16
"""A step that lessens the cost by less than so much of itself can't be seen in it."""
ROUNDING_OF_FIRST = 1e-30
"""The same, of the cost before the first step: residuals have the rounding of values, and the cost has their squares.
Without it a tolerance of 1e-15 was never met where a polynomial goes through all values."""


class Fit(Struct):
    """A fit at work, in scratch memory: `n` coefficients, a matrix is n · n floats.

    offset: the first value, subtracted from all, so that a large one costs no digits of the others
    moments: Σ weight · u^k for k < 2n; gradient: Jᵀ W (value − fitted); is_measured: whether cost and gradient are
    sums over the tuples, or follow from those of earlier coefficients
    """

    n: Count
    middle_us: Real
    half_us: Real
    offset: Real
    cost: Real
    least_cost: Real
    is_measured: Flag()
    iterations: Count
    groups: Inline(LaneGroups)
    coefficients: Pointer(Real)
    step: Pointer(Real)
    gradient: Pointer(Real)
    moments: Pointer(Real)
    matrix: Pointer(Real)
    lower: Pointer(Real)
    inverse: Pointer(Real)
    back: Pointer(Real)


FIT_FLOATS = Fit.size_bytes // 8


def outputs(values):
    names = range(int(values[DEGREE]) + 1)
    covariance = [f"covariance_{i}_{j}" for i in names for j in names if i <= j]
    return (*(f"c{i}" for i in names), "residual_std", "iterations", *covariance)


def scratch(values):
    """Of the vectors two are filled four and eight floats at a time."""
    n = int(values[DEGREE]) + 1
    return 0, FIT_FLOATS + 5 * n + 3 * SUMS + 4 * n * n


def compute(content: WindowContent, result: Result):
    """O(tuples · degree + iterations · degree³)."""
    fit = Fit(content.scratch.address)
    lay_out(fit, int(content.parameters[DEGREE]) + 1, content.scratch[FIT_FLOATS:])
    if content.count < fit.n:
        return TOO_FEW
    # From the first to the last tuple's time is [-1, 1].
    first, last = content.stretches[0], content.stretches[content.stretch_count - 1]
    first_us, last_us = first.times[0] - content.start, last.times[last.count - 1] - content.start
    fit.middle_us, fit.half_us, fit.offset = 0.5 * (first_us + last_us), 0.5 * (last_us - first_us), first.values[0]
    if fit.n > 1 and fit.half_us == 0.0:
        return SINGULAR
    begin(fit, content)
    status = descend(fit, content)
    stopped = must_stop(content)
    if stopped != 0:  # then a pass may have ended early
        return stopped
    if status in (OK, NOT_CONVERGED):
        write(fit, content, result)
    return status


@inner
def lay_out(fit, n, room):
    """`room` is the scratch memory behind the fit itself."""
    fit.n = n
    fit.coefficients, fit.step, fit.gradient = room[0:], room[n:], room[2 * n :]
    fit.moments = fit.gradient[n + SUMS :]
    squares = fit.moments[2 * n + 2 * SUMS :]
    fit.matrix, fit.lower = squares[0:], squares[n * n :]
    fit.inverse, fit.back = squares[2 * n * n :], squares[3 * n * n :]


@inner
def begin(fit, content):
    """JᵀWJ, whose element (i, j) is moment i + j; with coefficients of 0 the gradient is Jᵀ W value. O(tuples · n)."""
    fit.iterations, n = 0, fit.n
    for k in range(n):
        fit.coefficients[k] = 0.0
    prepare(fit.groups)
    for first in range(0, n, SUMS):
        add_up_first(fit, content, first)
    fit.least_cost, fit.is_measured = ROUNDING_OF_FIRST * fit.cost, True
    for i in range(n):
        for j in range(n):
            fit.matrix[i * n + j] = fit.moments[i + j]


@inner
def measure(fit, content):
    for first in range(0, fit.n, SUMS):
        add_up_residuals(fit, content, first)
    fit.is_measured = True


@inner
def descend(fit, content):
    """Steps until one would change no coefficient by more than the tolerance; returns the status. Cost and gradient of
    a step near the optimum are measured, of those before they follow from the step. O(iterations · n³)."""
    damping, tolerance = FIRST_DAMPING, content.parameters[TOLERANCE]
    if not isfinite(fit.cost):
        return NOT_FINITE
    if not factor(fit.matrix, fit.n, 0.0, fit.lower):  # damping makes every matrix one that can be solved
        return SINGULAR
    while fit.iterations < int(content.parameters[ITERATIONS]) and must_stop(content) == 0:
        less = solve_for_step(fit, damping)
        is_last = fit.is_measured and is_small(fit, less, tolerance, ROUNDING)
        is_near = is_small(fit, less, sqrt(tolerance), sqrt(ROUNDING))
        damping *= 0.1 if take_step(fit, less) else 10.0
        if is_last:
            return OK
        if is_near:
            measure(fit, content)
        if not isfinite(fit.cost):
            return NOT_FINITE
    if not fit.is_measured:
        measure(fit, content)
    return NOT_CONVERGED


@inner
def solve_for_step(fit, damping):
    """The next step; returns by how much it lessens the cost: step · (gradient + damping · diagonal · step), exactly so
    for a model that is linear in its coefficients. O(n³)."""
    fit.iterations += 1
    factor(fit.matrix, fit.n, damping, fit.lower)
    solve(fit.lower, fit.n, fit.gradient, fit.step)
    less = 0.0
    for k in range(fit.n):
        less += fit.step[k] * (fit.gradient[k] + damping * fit.matrix[k * fit.n + k] * fit.step[k])
    return less


@inner
def take_step(fit, less):
    """Whether the step makes the fit no worse, as each does but for rounding; cost and gradient follow. O(n²)."""
    if not less >= 0.0:
        return False
    n = fit.n
    fit.cost, fit.is_measured = max(fit.cost - less, 0.0), False
    for i in range(n):
        fit.coefficients[i] += fit.step[i]
        for j in range(n):
            fit.gradient[i] -= fit.matrix[i * n + j] * fit.step[j]
    return True


@inner
def is_small(fit, less, share, rounding):
    """Whether the step is small next to the coefficients, or lessens the cost by no more than rounding: coefficients
    that are 0 but for rounding have no size to compare with. O(n)."""
    step = size = 0.0
    for k in range(fit.n):
        step, size = max(step, abs(fit.step[k])), max(size, abs(fit.coefficients[k]))
    return step <= share * size or less <= rounding * fit.cost + fit.least_cost


@inner
def write(fit, content, result):
    """Coefficients, and (JᵀWJ)⁻¹ times the residuals' variance, in seconds since the window's start."""
    n = fit.n
    factor(fit.matrix, n, 0.0, fit.lower)
    invert(fit.lower, n, fit.step, fit.inverse)
    fill_back(fit)
    for k in range(n):
        total = 0.0
        for j in range(k, n):
            total += fit.back[k * n + j] * fit.coefficients[j]
        result.values[k] = total + (fit.offset if k == 0 else 0.0)
    variance = fit.cost / (content.count - n) if content.count > n else nan
    result.values[n], result.values[n + 1] = sqrt(variance), fit.iterations
    place = n + 2
    for i in range(n):
        for j in range(i, n):
            result.values[place] = covariance(fit, i, j) * variance
            place += 1


@inner
def fill_back(fit):
    """back: coefficients of u = (x − middle) / half into those of x, row k: C(j, k) (−middle)^(j − k) / half^j."""
    n, middle_s = fit.n, fit.middle_us / US_A_SECOND
    half_s = fit.half_us / US_A_SECOND if fit.half_us > 0.0 else 1.0
    for k in range(n):
        term = 1.0 / half_s**k
        for j in range(n):
            fit.back[k * n + j] = 0.0
        for j in range(k, n):
            fit.back[k * n + j] = term
            term *= (j + 1) / (j + 1 - k) * -middle_s / half_s


@inner
def covariance(fit, i, j):
    """back · inverse · backᵀ, one element."""
    n, total = fit.n, 0.0
    for a in range(i, n):
        for b in range(j, n):
            total += fit.back[i * n + a] * fit.inverse[a * n + b] * fit.back[j * n + b]
    return total


PARAMETERS = (
    Parameter("degree", 2, 0, 15),
    Parameter("tolerance", 1e-10, 1e-15, 1e-1),
    Parameter("iterations", 50, 1, 10_000),
)
FUNCTION = HeavyFunction(("value", "weight"), outputs, compute, scratch, PARAMETERS, optional=("weight",))
