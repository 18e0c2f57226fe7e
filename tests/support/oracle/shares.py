"""The aggregates of windows that count an event by its share of them: plain Python, exact."""

from fractions import Fraction


def aggregate_shares(each, rows: list[dict], shares: list[Fraction]) -> float | None:
    """One aggregate over parts of rows, exactly; null values are skipped."""
    [column] = each.columns or (None,)
    pairs = [
        (1 if column is None else row[column], share)
        for row, share in zip(rows, shares, strict=True)
        if column is None or row[column] is not None
    ]
    much = sum((share for _, share in pairs), Fraction(0))
    if each.function == "count":
        return float(much)
    total = sum((Fraction(value) * share for value, share in pairs), Fraction(0))
    return {"sum": float(total), "mean": float(total / much)}[each.function] if pairs else None
