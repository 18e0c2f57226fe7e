"""Windows' contents made by hand, and what heavy functions find in them, by plain Python and NumPy."""

import math

import numpy as np

from windrow.kernels.farm.functions import function
from windrow.kernels.farm.once import Computed, compute_once


def compute_columns(name, *columns, times=None, **parameters) -> Computed:
    """As `compute_once`, of columns of values; tuples are a second apart if no times are given."""
    values = np.array(columns, np.float64)
    times = np.arange(values.shape[1]) * 1_000_000 if times is None else times
    return compute_once(name, times, values, parameters)


def are_null(outputs) -> bool:
    """Whether all of some outputs are null."""
    return all(math.isnan(value) for value in outputs)


def made_up_values(degree, count, seed=1):
    """Times in 2 s, values of a polynomial with noise, weights."""
    rng = np.random.default_rng(seed)
    times = np.sort(rng.integers(0, 2_000_000, count))
    seconds = (times - times[0]) / 1e6
    values = np.polynomial.polynomial.polyval(seconds, rng.normal(0, 3, degree + 1)) + rng.normal(0, 0.2, count)
    return times, seconds, values, rng.uniform(0.2, 5, count)


def made_up_series(count, seed=1):
    """Values that depend on the two before them, and on chance."""
    noise, values = np.random.default_rng(seed).normal(size=count), [0.0, 0.0]
    for each in noise:
        values.append(1.0 + 1.2 * values[-1] - 0.5 * values[-2] + each)
    return np.array(values[2:])


def any_window(name, count=100):
    """Times and columns from which every function finds something."""
    rng = np.random.default_rng(4)
    columns = np.abs(rng.normal(3, 1, (len(function(name).columns), count)))
    return np.cumsum(rng.integers(0, 9_000_000, count)), columns


def plain_skyline(pairs):
    """The pairs to which no other is preferable, each as often as it is there. O(n²)."""
    return [(x, y) for x, y in pairs if not any(a <= x and b <= y and (a, b) != (x, y) for a, b in pairs)]


def plain_area(pairs):
    """Squares of side 1 that lie right of and above some pair, up to the greatest x and y. O(n · x · y)."""
    squares = [(a, b) for a in range(max(x for x, _ in pairs)) for b in range(max(y for _, y in pairs))]
    return sum(any(x <= a and y <= b for x, y in pairs) for a, b in squares)


def plain_autoregression(values, order):
    """Intercept and coefficients, and the residuals' standard deviation."""
    lags = [values[order - k : len(values) - k] for k in range(1, order + 1)]
    rows = np.column_stack([np.ones(len(values) - order), *lags])
    found = np.linalg.lstsq(rows, values[order:], rcond=None)[0]
    return found, math.sqrt(np.sum((values[order:] - rows @ found) ** 2) / (len(values) - 2 * order - 1))
