"""Windows' contents made by hand, in stretches as a farm's buffers hold them; and what heavy functions find in them, by
plain Python and NumPy."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from kernels.farm.content import TupleStretch, WindowContent
from kernels.farm.functions import function, operations, parameter_values
from kernels.farm.once import Computed, compute_once, status_text
from kernels.runtime.memory import address_of

UNTOUCHED = -7.25
"""Behind what a function may write to; it must be there afterwards."""


def compute_columns(name, *columns, times=None, **parameters) -> Computed:
    """As `compute_once`, of columns of values; tuples are a second apart if no times are given."""
    values = np.array(columns, np.float64)
    times = np.arange(values.shape[1]) * 1_000_000 if times is None else times
    return compute_once(name, times, values, parameters)


def are_null(outputs) -> bool:
    """Whether all of some outputs are null."""
    return all(math.isnan(value) for value in outputs)


def compute_in_stretches(
    name: str,
    times_us: np.ndarray,
    values: np.ndarray,
    cuts: Sequence[int],
    parameters: Mapping[str, object] | None = None,
    stop: int = 0,
) -> Computed:
    """As `compute_once`; `cuts`: places within the tuples at which one stretch ends and the next begins; `stop`: the
    status with which the call must end."""
    given = np.array(parameter_values(name, parameters or {}), np.float64)
    made, times, columns = function(name), np.asarray(times_us, np.int64), np.asarray(values, np.float64)
    per_tuple, more = made.scratch(tuple(given))
    names = made.outputs(tuple(given))
    scratch, result = _room(per_tuple * len(times) + more), _room(len(names))
    ends = [0, *sorted(set(cuts)), len(times)]
    stretches, kept = _stretches([(times[a:b], columns[:, a:b]) for a, b in zip(ends, ends[1:], strict=False)])
    content = WindowContent.make(
        count=len(times),
        columns=len(columns),
        stretch_count=len(ends) - 1,
        stretches=stretches,
        start=int(times[0]),
        end=int(times[-1]) + 1,
        parameters=given,
        parameter_count=len(given),
        scratch=scratch,
        stop=np.array([stop], np.int64),
    )
    status = operations(name).compute(content.address, address_of(result))
    assert kept, "memory of the stretches lives until here"
    assert scratch[-1] == UNTOUCHED == result[-1], f"{name} writes behind its memory"
    return Computed(status_text(status), dict(zip(names, result[:-1].tolist(), strict=True)))


def _room(floats: int) -> np.ndarray:
    return np.array([np.nan] * floats + [UNTOUCHED])


def _stretches(pieces: list[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, list[np.ndarray]]:
    """A block of stretches, and what must live as long. Columns of each have room to spare behind them, of NaN."""
    block, kept = np.zeros(len(pieces) * TupleStretch.size_bytes // 8, np.int64), []
    for place, (times, columns) in enumerate(pieces):
        stretch, stride = TupleStretch(address_of(block) + place * TupleStretch.size_bytes), len(times) + place
        memory = np.full((len(columns), stride), np.nan)
        memory[:, : len(times)] = columns
        kept += [times.copy(), memory]
        stretch.count, stretch.stride = len(times), stride
        stretch.times, stretch.values = address_of(kept[-2]), address_of(memory)
    return block, kept


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
