"""Aggregates in plain Python over the rows of a window, exact; and whether a value is the exact one: to the last bit,
or as near as its kernels' roundings leave it (semantics §4)."""

import math
import struct
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Any

from windrow.pipelines.gate.recount.plain.expressions import evaluate
from windrow.schemas.expression_text import parse, value_of
from windrow.schemas.query import Aggregate

Row = dict[str, Any]
TOLERANCE = 1e-9
"""Relative to the magnitudes that a value is made of."""


def aggregate(each: Aggregate, rows: Sequence[Row]) -> Any:
    """One aggregate over rows, exactly; null values are skipped."""
    rows = read(each, rows)
    if not each.columns:
        return len(rows)
    parameters = dict(each.parameters)
    if not parameters.pop("nulls", False):
        rows = [row for row in rows if all(row[column] is not None for column in each.columns)]
    if each.function in OF_ROWS and rows:
        return OF_ROWS[each.function](rows, *each.columns)
    values = [row[each.columns[0]] for row in rows]
    if each.function in ("count", "count_distinct"):
        return len(values if each.function == "count" else set(values))
    return AGGREGATES[each.function](values, **parameters) if values else None


def read(each: Aggregate, rows: Sequence[Row]) -> list[Row]:
    """The rows that its filter leaves, with what it reads of them under the texts of its columns."""
    held = [row for row in rows if each.where is None or evaluate(parse(each.where), row)]
    return [{**row, **{text: evaluate(value_of(text), row) for text in each.columns}} for row in held]


def _sum(values: list) -> int | float:
    if all(isinstance(value, int) for value in values):
        if not -(2**63) <= sum(values) < 2**63:
            raise OverflowError(f"sum {sum(values)} is beyond int64")
        return sum(values)
    return _float_sum(values)


def _float_sum(values: list) -> float:
    if others := [value for value in values if not math.isfinite(value)]:
        return sum(others)  # NaN of infinities that are opposed
    sizes = [abs(value) for value in values if value]
    try:
        if not sizes or max(sizes) < min(sizes) * 2.0**44:  # quicker, and the same
            return math.fsum(values)
    except OverflowError:  # beyond float64, perhaps on the way only
        pass
    return _rounded(_exact(values))


def _exact(values: list) -> Fraction:
    """The sum of numbers; of float64 only of their bits down to 2**(32k - 1074), k being such that the highest of the
    greatest lies in the 32 bits from 2**(32(k + 3) - 1074) up: less is no part of a sum (docs/aggregates.md)."""
    fractions = [Fraction(value) for value in values]
    greatest = max(map(abs, values))
    if isinstance(greatest, float) and greatest:
        least = Fraction(2) ** (32 * ((math.frexp(greatest)[1] + 1073) // 32 - 3) - 1074)
        fractions = [math.trunc(value / least) * least for value in fractions]
    return Fraction(sum(fractions))


def _rounded(value: Fraction | int) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.copysign(math.inf, value)


def _mean(values: list) -> float:
    if not all(map(math.isfinite, values)):
        return _float_sum(values)
    return _rounded(_exact(values) / len(values))


def _total_order(value: object) -> tuple:
    return (value, math.copysign(1, value)) if isinstance(value, float) else (value, 1)


def _median(values: list) -> float:
    values = sorted(map(Fraction, values))
    return float((values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2)


def _quantile(values: list, q: float = 0.5, exact: bool = True) -> object:
    return _one_zero(sorted(values)[max(math.ceil(q * len(values)), 1) - 1])


def _top_k(values: list, k: int = 1) -> object:
    many = Counter(values)
    by_count = sorted(many, key=lambda value: (-many[value], value))
    return _one_zero(by_count[k - 1]) if k <= len(by_count) else None


def _one_zero(value: object) -> object:
    return value + 0.0 if isinstance(value, float) else value


def _deviation(values: list, ddof: int = 1) -> float | None:
    squared = _variance(values, ddof)
    return None if squared is None else math.sqrt(squared)


def _variance(values: list, ddof: int = 1) -> float | None:
    middle = sum(map(Fraction, values)) / len(values)
    squares = sum((value - middle) ** 2 for value in map(Fraction, values))
    return float(squares / (len(values) - ddof)) if len(values) > ddof else None


def _longest_run(rows: Sequence[Row], column: str) -> list[Row]:
    """The rows of the first of the longest runs of increasing values."""
    runs = [[rows[0]]]
    for before, row in pairwise(rows):
        if before[column] < row[column]:
            runs[-1].append(row)
        else:
            runs.append([row])
    return max(runs, key=len)


def _rate(rows: Sequence[Row], column: str) -> float | None:
    seconds = _seconds(rows)
    return (rows[-1][column] - rows[0][column]) / seconds if seconds else None


def _seconds(rows: Sequence[Row]) -> float:
    return (rows[-1]["start"] - rows[0]["start"]) / timedelta(seconds=1)


OF_ROWS: dict[str, Callable[..., Any]] = {
    "rate": _rate,
    "longest_run": lambda rows, column: len(_longest_run(rows, column)),
    "longest_run_start": lambda rows, column: _longest_run(rows, column)[0]["start"],
    "longest_run_end": lambda rows, column: _longest_run(rows, column)[-1]["start"],
    "argmin": lambda rows, column, other="start": min(rows, key=lambda row: row[column])[other],
    "argmax": lambda rows, column, other="start": max(rows, key=lambda row: row[column])[other],
}
"""Of rows in order, of which none lacks a value: of several least ones the first."""
AGGREGATES: dict[str, Callable[..., Any]] = {
    "median": _median,
    "quantile": _quantile,
    "mode": _top_k,
    "top_k": _top_k,
    "sum": _sum,
    "fast_sum": _sum,
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
    "variance": _variance,
    "std": _deviation,
    "range": lambda values: max(values) - min(values),
    "any": lambda values: any(value != 0 for value in values),
    "all": lambda values: all(value != 0 for value in values),
    "mean": _mean,
    "min": lambda values: min(values, key=_total_order),
    "max": lambda values: max(values, key=_total_order),
}


def is_same(each: Aggregate, rows: Sequence[Row], found: Any, exact: Any) -> bool:
    """Of an aggregate of rows."""
    if each.function in TOLERANCES and isinstance(found, float) and isinstance(exact, float):
        [column] = each.columns
        known = [row for row in read(each, rows) if row[column] is not None]
        return found == exact or abs(found - exact) <= TOLERANCE * TOLERANCES[each.function](known, column)
    return bool(_bits(found) == _bits(exact))


def _bits(value: Any) -> Any:
    return struct.pack("d", value) if isinstance(value, float) else value


def _largest(rows: Sequence[Row], column: str) -> float:
    return max(abs(row[column]) for row in rows)


TOLERANCES: dict[str, Callable[[Sequence[Row], str], float]] = {
    "fast_sum": lambda rows, column: sum(abs(row[column]) for row in rows),
    "rate": lambda rows, column: (abs(rows[0][column]) + abs(rows[-1][column])) / _seconds(rows),
    "variance": lambda rows, column: _largest(rows, column) ** 2,
    # A root makes a small error near zero larger.
    "std": lambda rows, column: 1e3 * _largest(rows, column),
}
"""Of functions whose values are rounded more than once, the magnitude that the error is relative to."""
EXACT = {"count", "count_distinct", *OF_ROWS, *AGGREGATES} - TOLERANCES.keys()
"""The other functions that are known here."""
