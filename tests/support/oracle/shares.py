"""The aggregates of windows that count an event by its share of them: plain Python, exact."""

from fractions import Fraction

from windrow.pipelines.gate.recount.plain.expressions import evaluate
from windrow.schemas.query import AggregatedValue


def aggregate_shares(each, rows: list[dict], shares: list[Fraction]) -> float | None:
    """One aggregate over parts of rows, exactly; null values are skipped."""
    [value] = each.values or (None,)
    values = [1 if value is None else _of_event(value, row) for row in rows]
    pairs = [(value, share) for value, share in zip(values, shares, strict=True) if value is not None]
    much = sum((share for _, share in pairs), Fraction(0))
    if each.function == "count":
        return float(much)
    total = sum((Fraction(value) * share for value, share in pairs), Fraction(0))
    return {"sum": float(total), "mean": float(total / much)}[each.function] if pairs else None


def _of_event(value: AggregatedValue, row: dict) -> float | None:
    return evaluate(value.expression, row) if evaluate(value.condition, row) else None
