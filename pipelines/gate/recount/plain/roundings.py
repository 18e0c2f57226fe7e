"""Whether a value is the exact one: to the last bit, or as near as its kernels' roundings leave it (semantics §4)."""

import struct
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from pipelines.gate.recount.plain.aggregates import Row
from schemas.query import Aggregate

TOLERANCE = 1e-9
"""Relative to the magnitudes that a value is made of."""


def is_same(each: Aggregate, rows: Sequence[Row], found: Any, exact: Any) -> bool:
    """Of an aggregate of rows."""
    if each.function in TOLERANCES and isinstance(found, float) and isinstance(exact, float):
        [column] = each.columns
        known = [row for row in rows if row[column] is not None]
        return found == exact or abs(found - exact) <= TOLERANCE * TOLERANCES[each.function](known, column)
    return bool(_bits(found) == _bits(exact))


def _bits(value: Any) -> Any:
    return struct.pack("d", value) if isinstance(value, float) else value


def _largest(rows: Sequence[Row], column: str) -> float:
    return max(abs(row[column]) for row in rows)


def _of_rate(rows: Sequence[Row], column: str) -> float:
    first, last = rows[0], rows[-1]
    return (abs(first[column]) + abs(last[column])) / ((last["start"] - first["start"]) / timedelta(seconds=1))


TOLERANCES: dict[str, Callable[[Sequence[Row], str], float]] = {
    "fast_sum": lambda rows, column: sum(abs(row[column]) for row in rows),
    "rate": _of_rate,
    "variance": lambda rows, column: _largest(rows, column) ** 2,
    # A root makes a small error near zero larger.
    "std": lambda rows, column: 1e3 * _largest(rows, column),
}
"""Of functions whose values are rounded more than once, the magnitude that the error is relative to."""
