"""What the final value of a row will be, by the earlier rows of its kind and what became of those.

    expected = value + b · value + c · usual       usual: by how much rows of its key and hour have grown

The earlier rows of one pane and about one age, a cell, say b and c: least squares, weighted by what the variance is
taken to be proportional to, as in the chain ladder (Mack 1993). With c = 0 it is the chain ladder, with b = 0 what
Bornhuetter and Ferguson (1972) do. The interval has quantiles of how far the earlier rows' finals were from what was
expected of them, in units of the root of that variance (split conformal; Romano et al. 2019). NumPy only.
"""

from typing import NamedTuple

import numpy as np

LEAST_ROWS = 19
"""Of a cell: of fewer no interval holds the next of their kind nine times in ten."""
ROWS_A_CELL, MOST_CELLS = 100, 16
PRIOR_ROWS = 4.0
"""What is usual of all keys counts for a key as so many rows of its own, and what is usual of a key for its hours."""
BOUNDS = (0.05, 0.95)
"""How many of the residuals lie below `low` and below `high`."""


RIDGE = 1e-9
"""For values that are all 0, or in step with what is usual."""


class RowKinds(NamedTuple):
    """Of what kind rows are, an element a row. pane: number of its pane, and of its window's name; age_us: from the
    window's end; key, hour: numbers of the key, and of the key and the hour together,
    which at weekends is another than on other days."""

    pane: np.ndarray
    age_us: np.ndarray
    key: np.ndarray
    hour: np.ndarray

    def of(self, chosen: np.ndarray) -> "RowKinds":
        """Those of some rows."""
        return RowKinds(*(each[chosen] for each in self))


class Estimates(NamedTuple):
    """An element a row: the expected final value and the bounds of its interval, NaN with too little history, and how
    many earlier rows they rest on."""

    expected: np.ndarray
    low: np.ndarray
    high: np.ndarray
    history_rows: np.ndarray


class Cells(NamedTuple):
    """The kinds of earlier rows and of the asked ones; and by cell the places of both. No cell has the asked rows of a
    pane without history."""

    history: RowKinds
    asked: RowKinds
    each: list[tuple[np.ndarray, np.ndarray]]

    @classmethod
    def of(cls, history: RowKinds, asked: RowKinds) -> "Cells":
        """Each pane is cut by age into parts of as many earlier rows. O(rows log rows)."""
        found = []
        for pane in np.unique(history.pane):
            places = [np.flatnonzero(each.pane == pane) for each in (history, asked)]
            ages_us = [each.age_us[of] for each, of in zip((history, asked), places, strict=True)]
            count = len(places[0])
            parts = min(max(count // ROWS_A_CELL, 1), MOST_CELLS)
            bounds_us = np.sort(ages_us[0])[np.arange(1, parts) * count // parts]
            numbers = [np.searchsorted(bounds_us, each, "right") for each in ages_us]
            found += [
                tuple(of[number == part] for of, number in zip(places, numbers, strict=True)) for part in range(parts)
            ]
        return cls(history, asked, found)


def estimates(cells: Cells, value: np.ndarray, final: np.ndarray, value_now: np.ndarray) -> Estimates:
    """Of one aggregate. value, final: float64 of the earlier rows, value_now: of the asked ones. O(rows · cells)."""
    count = len(value_now)
    expected, low, high = (np.full(count, np.nan) for _ in range(3))
    found = Estimates(expected, low, high, np.zeros(count, np.int64))
    usual, usual_now = _usual(cells.history, final - value, cells.asked)
    for rows, asked_rows in cells.each:
        found.history_rows[asked_rows] = len(rows)
        if len(rows) < LEAST_ROWS or not len(asked_rows):
            continue
        known = np.stack([value[rows], usual[rows]]), final[rows] - value[rows]
        grown = _growth(*known, np.stack([value_now[asked_rows], usual_now[asked_rows]]))
        for column, more in zip(found, grown, strict=False):
            column[asked_rows] = value_now[asked_rows] + more
    return found


def _usual(history: RowKinds, more: np.ndarray, asked: RowKinds) -> tuple[np.ndarray, np.ndarray]:
    """By how much rows of their pane, key and hour grow: means of earlier rows, in which what is usual of the pane's
    key, and of the pane, counts as a few rows. Of an earlier row without itself, as it is to be foretold by it."""
    stride = 1 + max(int(each.hour.max(initial=0)) for each in (history, asked))
    usual, usual_now = (np.full(len(each.pane), more.mean() if len(more) else 0.0) for each in (history, asked))
    for name in (None, "key", "hour"):
        of_history, of_asked = (each.pane * stride + (getattr(each, name) if name else 0) for each in (history, asked))
        size = 1 + max(int(each.max(initial=0)) for each in (of_history, of_asked))
        total, rows = np.bincount(of_history, more, size), np.bincount(of_history, minlength=size)
        usual = (total[of_history] - more + PRIOR_ROWS * usual) / (rows[of_history] - 1 + PRIOR_ROWS)
        usual_now = (total[of_asked] + PRIOR_ROWS * usual_now) / (rows[of_asked] + PRIOR_ROWS)
    return usual, usual_now


def _growth(known: np.ndarray, more: np.ndarray, known_now: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By how much rows of a cell grow: expected, at least, at most. known: float64[2, rows], their value and usual."""
    never_falls, spread = more.min() >= 0, np.abs(more).mean()
    if not spread:
        return (np.zeros(known_now.shape[1]),) * 3
    weights = _weights(known, more, spread)
    expected, expected_now = weights @ known, weights @ known_now
    if never_falls:
        expected, expected_now = np.maximum(expected, 0), np.maximum(expected_now, 0)
    residuals = (more - expected) / np.sqrt(np.abs(expected) + spread)
    # Of n the next one lies below the k-th with a chance of k / (n + 1): "weibull" is named after that.
    below, above = np.quantile(residuals, BOUNDS, method="weibull")
    unit = np.sqrt(np.abs(expected_now) + spread)
    low, high = expected_now + below * unit, expected_now + above * unit
    if never_falls:
        low, high = np.maximum(low, 0), np.maximum(high, 0)
    return expected_now, low, high


def _weights(known: np.ndarray, more: np.ndarray, spread: float) -> np.ndarray:
    """b and c of least squares."""
    weighted = known / (np.abs(known[1]) + spread)
    # Not by BLAS, which may sum in another order on other cores.
    squares = np.einsum("ir,jr->ij", weighted, known)
    squares += np.eye(2) * RIDGE * np.trace(squares)
    return np.linalg.solve(squares, np.einsum("ir,r->i", weighted, more))
