"""A forecast of a column by autoregression: each value from the `order` values before it, by ordinary least squares.

    value[t] = intercept + phi_1 · value[t − 1] + … + phi_p · value[t − p] + residual

Conditional on the first p values (Hamilton, Time Series Analysis, 1994, §5.3). Tuples count as evenly spaced: of their
times only the order matters. Inside, values are scaled to [-1, 1] around their mean: normal equations square them, and
an offset of 1e9 would leave no digit. What forming the equations costs in precision, a second solution, for the
residuals of the first, gives back (Björck, Linear Algebra Appl. 88/89, 1987).

Outputs: forecast: of the value `ahead` tuples after the last; residual_std: by tuples − 2 · order − 1 degrees of
freedom; intercept, phi_1 …. Statuses: too few tuples, fewer than 2 · order + 2; singular, as of equal values, or of a
line for two lags or more; not finite, as of infinite values, or of a forecast that grows beyond a float, which is null
while the others are written.
"""

from math import isfinite, nan, sqrt

from windrow.kernels.farm.content import (
    NOT_FINITE,
    OK,
    SINGULAR,
    TOO_FEW,
    Real,
    Result,
    WindowContent,
    gather,
    must_stop,
)
from windrow.kernels.farm.functions._function import HeavyFunction
from windrow.kernels.farm.functions._linear import factor, solve
from windrow.kernels.monoid import Parameter
from windrow.kernels.runtime.fields import Count, Pointer
from windrow.kernels.runtime.memory import inner, move
from windrow.kernels.runtime.struct import Struct

ORDER, AHEAD = range(2)
FORECAST, RESIDUAL_STD, INTERCEPT = range(3)
FIRST_PHI = 3
SOLUTIONS = 2
BLOCK = 512  # rounding grows with the terms of a sum: here with those of a block, and then with the blocks


class LagFit(Struct):
    """A fit at work, in scratch memory: `n` coefficients, the intercept and one of each lag; a matrix is n · n floats.

    rows: values that have all their lags before them; series: (value − middle) / half, then the forecasts
    """

    n: Count
    rows: Count
    middle: Real
    half: Real
    coefficients: Pointer(Real)
    gradient: Pointer(Real)
    step: Pointer(Real)
    matrix: Pointer(Real)
    lower: Pointer(Real)
    series: Pointer(Real)
    residuals: Pointer(Real)
    ones: Pointer(Real)


MODEL_FLOATS = LagFit.size_bytes // 8


def outputs(values):
    return ("forecast", "residual_std", "intercept", *(f"phi_{k}" for k in range(1, int(values[ORDER]) + 1)))


def scratch(values):
    """The series, its residuals and ones; what the model and the forecasts take."""
    n = int(values[ORDER]) + 1
    return 3, MODEL_FLOATS + 3 * n + 2 * n * n + int(values[AHEAD])


def compute(content: WindowContent, result: Result):
    """O(tuples · order² + ahead · order)."""
    model = LagFit(content.scratch.address)
    lay_out(model, content)
    if model.rows < model.n + 1:
        return TOO_FEW
    gather(content, 0, model.series)
    status = scale_series(model, content.count)
    status = fit(model, content) if status == OK else status
    return write(model, content, result) if status == OK else status


@inner
def lay_out(model, content):
    n, count, room = int(content.parameters[ORDER]) + 1, content.count, content.scratch[MODEL_FLOATS:]
    model.n, model.rows = n, count - n + 1
    model.coefficients, model.gradient, model.step = room[0:], room[n:], room[2 * n :]
    model.matrix, model.lower, room = room[3 * n :], room[3 * n + n * n :], room[3 * n + 2 * n * n :]
    model.residuals, model.ones, model.series = room[0:], room[count:], room[2 * count :]
    for row in range(model.rows):
        model.ones[row] = 1.0


@inner
def scale_series(model, count):
    """Subtract the mean, divide by the greatest distance from it; returns the status. O(count)."""
    series, share, middle, half = model.series, 1.0 / count, 0.0, 0.0
    for i in range(count):
        middle += share * series[i]  # not the sum, which may be beyond the greatest float
    for i in range(count):
        series[i] -= middle
        half = max(half, abs(series[i]))
    if not (isfinite(middle) and isfinite(half)):
        return NOT_FINITE
    for i in range(count):
        series[i] /= half if half > 0.0 else 1.0
    model.middle, model.half = middle, half
    return OK


@inner
def column(model, k):
    """What coefficient k is multiplied with, one float of each row: 1, or the value k tuples before."""
    return model.ones if k == 0 else model.series[model.n - 1 - k :]


@inner
def fit(model, content):
    """The coefficients and the residuals that they leave; returns the status. O(rows · n²)."""
    for i in range(model.n):
        model.coefficients[i] = 0.0
        for j in range(i + 1):  # the lower triangle is all that `factor` reads
            model.matrix[i * model.n + j] = sum_of_products(content, column(model, i), column(model, j), model.rows)
    if not factor(model.matrix, model.n, 0.0, model.lower):
        return must_stop(content) or SINGULAR
    for _ in range(SOLUTIONS):  # each adds to the coefficients what the residuals still hold
        find_residuals(model, content)
        for k in range(model.n):
            model.gradient[k] = sum_of_products(content, column(model, k), model.residuals, model.rows)
        solve(model.lower, model.n, model.gradient, model.step)
        for k in range(model.n):
            model.coefficients[k] += model.step[k]
    find_residuals(model, content)
    return must_stop(content)


@inner
def find_residuals(model, content):
    """What the coefficients leave of each row. O(rows · n)."""
    move(model.residuals.address, model.series[model.n - 1 :].address, model.rows)
    for k in range(model.n):
        values, coefficient = column(model, k), model.coefficients[k]
        if must_stop(content) == 0:
            for row in range(model.rows):
                model.residuals[row] -= coefficient * values[row]


@inner
def sum_of_products(content, one, other, count):
    """Σ one · other, by blocks; 0 once the function must end: the caller of the sum must look for that itself."""
    total = 0.0
    if must_stop(content) == 0:
        for first in range(0, count, BLOCK):
            part = 0.0
            for i in range(first, min(first + BLOCK, count)):
                part += one[i] * other[i]
            total += part
    return total


@inner
def write(model, content, result):
    """In the column's unit."""
    squares = sum_of_products(content, model.residuals, model.residuals, model.rows)
    forecast, share = model.middle + model.half * forecast_of(model, content), 1.0
    for k in range(1, model.n):
        share -= model.coefficients[k]
        result.values[FIRST_PHI + k - 1] = model.coefficients[k]
    intercept = model.half * model.coefficients[0] + model.middle * share
    result.values[FORECAST] = forecast if isfinite(forecast) else nan
    result.values[INTERCEPT] = intercept if isfinite(intercept) else nan
    result.values[RESIDUAL_STD] = model.half * sqrt(squares / (model.rows - model.n))
    return OK if isfinite(forecast) and isfinite(intercept) else NOT_FINITE


@inner
def forecast_of(model, content):
    """The scaled value `ahead` tuples after the last, from forecasts of those between. O(ahead · n)."""
    end = content.count + int(content.parameters[AHEAD])
    for place in range(content.count, end):
        value = model.coefficients[0]
        for k in range(1, model.n):
            value += model.coefficients[k] * model.series[place - k]
        model.series[place] = value
    return model.series[end - 1]


PARAMETERS = (Parameter("order", 2, 1, 20), Parameter("ahead", 1, 1, 1000))
FUNCTION = HeavyFunction(("value",), outputs, compute, scratch, PARAMETERS)
