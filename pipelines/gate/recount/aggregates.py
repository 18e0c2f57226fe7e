"""A query's aggregates in DuckDB's own words, and when a row's value differs from them."""

from pipelines.gate.recount import sql
from pipelines.gate.recount.recount import Recount
from pipelines.gate.recount.sources import value_name
from schemas.query import Aggregate, Query

# fsum and favg carry the rounding error along, so that the recount is the exacter of the two.
EXACT = {
    "count": "count({0})",
    "min": "min({0})",
    "max": "max({0})",
    "range": "max({0}) - min({0})",
    "any": "bool_or(CAST({0} AS DOUBLE) <> 0)",
    "all": "bool_and(CAST({0} AS DOUBLE) <> 0)",
}
TOLERANCE = 1e-9


def _scaled(function: str) -> str:
    """The function, of values scaled down where they are finite and add up beyond float64 on the way: DuckDB's NaN."""
    return f"coalesce(nullif({function}({{0}}), 'NaN'), {function}({{0}} * {2.0**-64}) * {2.0**64})"


# With TOLERANCE times the magnitude that a rounding error is relative to, multiplied before that can overflow: of a
# variance the squares that it is the difference of; of a standard deviation 1,000 times the values, since a root makes
# a small error near zero larger.
ROUNDED = {
    "sum": (_scaled("fsum"), f"fsum(abs({{0}}) * {TOLERANCE})"),
    "mean": (_scaled("favg"), f"favg(abs({{0}}) * {TOLERANCE})"),
    "variance": ("var_{1}({0})", f"pow(max(abs({{0}})), 2) * {TOLERANCE}"),
    "std": ("stddev_{1}({0})", f"1e3 * max(abs({{0}})) * {TOLERANCE}"),
}


def recounted(query: Query) -> dict[str, Aggregate]:
    """The aggregates that plain grouping can recount."""
    return {name: each for name, each in query.aggregates.items() if each.function in EXACT | ROUNDED}


def columns(recount: Recount) -> str:
    """SQL: for the aggregate number i the columns `value_i` and, where it is rounded, `tolerance_i`."""
    return "".join(
        f", {_column(recount, number, each)}" for number, each in enumerate(recounted(recount.query).values())
    )


def differs(recount: Recount, row: str, again: str) -> str:
    """SQL: whether an aggregate differs; a float, by more than 1e-9 of the magnitudes (semantics §4)."""
    found = (
        _differs(recount, each, f"{row}.{sql.name(name)}", number, again)
        for number, (name, each) in enumerate(recounted(recount.query).items())
    )
    return " OR ".join(found) or "FALSE"


def _column(recount: Recount, number: int, each: Aggregate) -> str:
    if not each.columns:
        return f"count(*) AS recounted_{number}"
    column = value_name(recount.query, each.columns[0])
    if not _rounded(recount, each):
        return f"{(EXACT | {'sum': 'sum({0})'})[each.function].format(column)} AS recounted_{number}"
    over = "pop" if dict(each.parameters).get("ddof") == 0 else "samp"
    value, tolerance = (form.format(column, over) for form in ROUNDED[each.function])
    return f"{value} AS recounted_{number}, {tolerance} AS tolerance_{number}"


def _differs(recount: Recount, each: Aggregate, value: str, number: int, again: str) -> str:
    expected = f"{again}.recounted_{number}"
    if not _rounded(recount, each):
        return f"{value} IS DISTINCT FROM {expected}"
    near = f"coalesce(abs({value} - {expected}) <= {again}.tolerance_{number}, FALSE)"
    return f"({value} IS DISTINCT FROM {expected} AND NOT {near})"


def _rounded(recount: Recount, each: Aggregate) -> bool:
    """Sums of integers are exact; other sums, means and deviations are rounded."""
    if each.function == "sum":
        return recount.stream.column(each.columns[0]).type == "float64"
    return each.function in ROUNDED
