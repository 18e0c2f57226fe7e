"""A polynomial through a column's values over time, by least squares (Levenberg-Marquardt), with its covariance.

The function of FARM §6.1. Its x is seconds since the window's start: c0 + c1·x + c2·x² + … Inside, times are scaled to
[-1, 1], where the powers of a degree 15 still differ; coefficients and covariance are put back to seconds at the end.
A polynomial's Jacobian is the same at every step, so JᵀWJ is made once, and a step costs one pass over the tuples:

    (JᵀWJ + damping · diagonal) · step = Jᵀ W (value − fitted)      damping ÷ 10 after a better fit, × 10 after a worse

Levenberg, Q. Appl. Math. 2 (1944); Marquardt, J. SIAM 11 (1963). Statuses: too few tuples for the degree; singular, as
of fewer times than coefficients; not converged within the iterations; not finite, as of values near 1e308.
"""

from math import isfinite, nan, sqrt

from kernels.farm.content import (
    NOT_CONVERGED,
    NOT_FINITE,
    OK,
    SINGULAR,
    TOO_FEW,
    Real,
    Result,
    WindowContent,
    column_of,
    must_stop,
)
from kernels.farm.functions._function import HeavyFunction
from kernels.farm.functions._linear import factor, invert, solve
from kernels.farm.functions._scaled_polynomial import covariance, fill_back, sum_of_row
from kernels.monoid import Parameter
from kernels.runtime.fields import Count, Pointer
from kernels.runtime.memory import inner
from kernels.runtime.struct import Struct

DEGREE, TOLERANCE, ITERATIONS = range(3)
FIRST_DAMPING = 1e-6
"""Marquardt begins with 1e-2, far from the optimum of a curve; of a polynomial the undamped step is the answer, and
damping is there for matrices that are nearly singular. 1e-3 took an iteration more."""
ROUNDING = 1e-14
"""A cost that is greater by so much of itself is no worse: near the optimum two costs differ by rounding only, and each
step that was refused for that would be an iteration more."""


class Fit(Struct):
    """A fit at work, in scratch memory: `n` coefficients, a matrix is n · n floats.

    offset: the first value, subtracted from all, so that a large one costs no digits of the others
    moments: Σ weight · u^k for k < 2n; gradient: Jᵀ W (value − fitted)
    """

    n: Count
    middle_us: Real
    half_us: Real
    offset: Real
    cost: Real
    iterations: Count
    coefficients: Pointer(Real)
    trial: Pointer(Real)
    step: Pointer(Real)
    gradient: Pointer(Real)
    moments: Pointer(Real)
    matrix: Pointer(Real)
    lower: Pointer(Real)
    inverse: Pointer(Real)
    back: Pointer(Real)


FIT_FLOATS = Fit.size_bytes // 8


def outputs(values):
    """Coefficients, the residuals' standard deviation, the iterations, the upper triangle of the covariance."""
    names = range(int(values[DEGREE]) + 1)
    covariance = [f"covariance_{i}_{j}" for i in names for j in names if i <= j]
    return (*(f"c{i}" for i in names), "residual_std", "iterations", *covariance)


def scratch(values):
    """The fit, its vectors and its matrices."""
    n = int(values[DEGREE]) + 1
    return 0, FIT_FLOATS + 6 * n + 4 * n * n


def compute(content: WindowContent, result: Result):
    """O(iterations · tuples · degree)."""
    fit = Fit(content.scratch.address)
    lay_out(fit, int(content.parameters[DEGREE]) + 1, content.scratch[FIT_FLOATS:])
    if content.count < fit.n:
        return TOO_FEW
    scale_times(fit, content)
    if fit.n > 1 and fit.half_us == 0.0:
        return SINGULAR
    begin(fit, content)
    status = descend(fit, content)
    if status in (OK, NOT_CONVERGED):
        write(fit, content, result)
    return status


@inner
def lay_out(fit, n, room):
    """Give the fit its scratch memory: `room` begins behind the fit itself."""
    fit.n = n
    fit.coefficients, fit.trial, fit.step = room[0:], room[n:], room[2 * n :]
    fit.gradient, fit.moments = room[3 * n :], room[4 * n :]
    squares = room[6 * n :]
    fit.matrix, fit.lower = squares[0:], squares[n * n :]
    fit.inverse, fit.back = squares[2 * n * n :], squares[3 * n * n :]


@inner
def scale_times(fit, content):
    """From the first to the last tuple's time is [-1, 1]."""
    last = content.stretches[content.stretch_count - 1]
    first_us = content.stretches[0].times[0] - content.start
    last_us = last.times[last.count - 1] - content.start
    fit.middle_us, fit.half_us = 0.5 * (first_us + last_us), 0.5 * (last_us - first_us)
    fit.offset = column_of(content.stretches[0], 0)[0]


@inner
def begin(fit, content):
    """The first pass: JᵀWJ, whose element (i, j) is moment i + j; with coefficients of 0 the gradient is Jᵀ W value.
    O(tuples · n)."""
    n, start, middle, scale = fit.n, content.start, fit.middle_us, scale_of(fit)
    has_weights, offset = content.columns > 1, fit.offset
    clear(fit)
    for s in range(content.stretch_count):
        stretch = content.stretches[s]
        values, weights = column_of(stretch, 0), column_of(stretch, 1)
        for i in range(stretch.count):
            u, value = (stretch.times[i] - start - middle) * scale, values[i] - offset
            power = weights[i] if has_weights else 1.0
            fit.cost += power * value * value
            for k in range(n):
                fit.moments[k] += power
                fit.gradient[k] += power * value
                power *= u
            for k in range(n, 2 * n - 1):
                fit.moments[k] += power
                power *= u
    for i in range(n):
        for j in range(n):
            fit.matrix[i * n + j] = fit.moments[i + j]


@inner
def clear(fit):
    """Before the first pass."""
    fit.cost, fit.iterations = 0.0, 0
    for k in range(2 * fit.n - 1):
        fit.moments[k] = 0.0
    for k in range(fit.n):
        fit.coefficients[k] = fit.gradient[k] = 0.0


@inner
def scale_of(fit):
    """u per µs; all times equal make u 0."""
    return 1.0 / fit.half_us if fit.half_us > 0.0 else 0.0


@inner
def add_residuals(fit, content, coefficients, gradient):
    """The weighted sum of squared residuals of some coefficients, and its gradient. O(tuples · n)."""
    n, start, middle, scale = fit.n, content.start, fit.middle_us, scale_of(fit)
    has_weights, offset, cost = content.columns > 1, fit.offset, 0.0
    for k in range(n):
        gradient[k] = 0.0
    for s in range(content.stretch_count):
        stretch = content.stretches[s]
        values, weights = column_of(stretch, 0), column_of(stretch, 1)
        for i in range(stretch.count):
            u, fitted = (stretch.times[i] - start - middle) * scale, 0.0
            for k in range(n - 1, -1, -1):
                fitted = fitted * u + coefficients[k]
            residual = values[i] - offset - fitted
            power = residual * weights[i] if has_weights else residual
            cost += power * residual
            for k in range(n):
                gradient[k] += power
                power *= u
    return cost


@inner
def descend(fit, content):
    """Steps until one would change no coefficient by more than the tolerance; returns the status."""
    damping, n = FIRST_DAMPING, fit.n
    if not isfinite(fit.cost):
        return NOT_FINITE
    if not factor(fit.matrix, n, 0.0, fit.lower):  # damping makes every matrix one that can be solved
        return SINGULAR
    while fit.iterations < int(content.parameters[ITERATIONS]):
        stopped = must_stop(content)
        if stopped != 0:
            return stopped
        fit.iterations += 1
        factor(fit.matrix, n, damping, fit.lower)
        solve(fit.lower, n, fit.gradient, fit.step)
        if is_small(fit, content.parameters[TOLERANCE]):
            add_step(fit, fit.coefficients)
            return OK
        damping *= 0.1 if take_step(fit, content) else 10.0
    return NOT_CONVERGED


@inner
def take_step(fit, content):
    """Whether the step fits no worse; it is taken then. `inverse` is not in use yet: its first row has the trial's
    gradient."""
    add_step(fit, fit.trial)
    cost = add_residuals(fit, content, fit.trial, fit.inverse)
    if not cost <= fit.cost * (1.0 + ROUNDING):
        return False
    fit.cost = cost
    for k in range(fit.n):
        fit.coefficients[k], fit.gradient[k] = fit.trial[k], fit.inverse[k]
    return True


@inner
def add_step(fit, target):
    """target: the coefficients after the step."""
    for k in range(fit.n):
        target[k] = fit.coefficients[k] + fit.step[k]


@inner
def is_small(fit, tolerance):
    """Whether the last step is small next to the coefficients."""
    step = size = 0.0
    for k in range(fit.n):
        step, size = max(step, abs(fit.step[k])), max(size, abs(fit.coefficients[k]))
    return step <= tolerance * size


@inner
def write(fit, content, result):
    """Coefficients, and (JᵀWJ)⁻¹ times the residuals' variance, in seconds since the window's start."""
    n = fit.n
    factor(fit.matrix, n, 0.0, fit.lower)
    invert(fit.lower, n, fit.step, fit.inverse)
    fill_back(fit)
    for k in range(n):
        result.values[k] = sum_of_row(fit, k) + (fit.offset if k == 0 else 0.0)
    variance = fit.cost / (content.count - n) if content.count > n else nan
    result.values[n], result.values[n + 1] = sqrt(variance), fit.iterations
    place = n + 2
    for i in range(n):
        for j in range(i, n):
            result.values[place] = covariance(fit, i, j) * variance
            place += 1


FUNCTION = HeavyFunction(
    columns=("value", "weight"),
    optional=("weight",),
    parameters=(
        Parameter("degree", 2, 0, 15),
        Parameter("tolerance", 1e-10, 1e-15, 1e-1),
        Parameter("iterations", 50, 1, 10_000),
    ),
    outputs=outputs,
    scratch=scratch,
    compute=compute,
)
