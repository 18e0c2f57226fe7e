"""docs/aggregates.md: every aggregate, what it takes and what it gives."""

from kernels.monoid import SECOND, SHARE, Parameter
from kernels.monoids import describe, every_monoid, functions
from pipelines.tables.query_tables import OF_ANY_COLUMN
from tools.docs.markdown import MADE, grid, page


def aggregates_page() -> str:
    """Every aggregate, what it takes and what it gives."""
    rows = [["aggregate", "columns", "parameters", "gives"], *(_aggregate(name) for name in functions())]
    return page(
        [
            "# Aggregates",
            MADE,
            'In a query: `agg("std", "trip_duration_s", ddof=0)`, `agg("argmin", "price", "shop")`. Null values are '
            "skipped; an aggregate of an event's own order takes events by (start, arrival, seq). A value without an "
            "answer, such as a sum of integers beyond int64, fails the run: nothing wraps and nothing is NaN. "
            "int64 stands for every type of integers, timestamp for times of day and durations too. Strings are in the "
            "order of their UTF-8 bytes. Exact medians, quantiles, modes, frequent values and numbers of different "
            "values are served in tumbling, sliding, rolling and spanning windows, prorated ones apart. "
            "[How to add one](add-an-aggregate.md).",
            grid(rows),
            "\n".join(f"- {describe(name)}" for name in functions()),
        ]
    )


def _aggregate(name: str) -> list[str]:
    monoids = [monoid for function, monoid in every_monoid() if function == name]
    columns = dict.fromkeys(each or "none" for monoid in monoids for each in monoid.column_types)
    by_shares = any(SHARE in monoid.second_types for monoid in monoids)
    monoids = [monoid for monoid in monoids if SHARE not in monoid.second_types]
    seconds = dict.fromkeys(each for monoid in monoids for each in monoid.second_types)
    parameters = {each.name: _parameter(each) for monoid in reversed(monoids) for each in monoid.parameters}
    gives = dict.fromkeys(
        {None: "the column's type", SECOND: "the second column's type"}.get(monoid.output_type, monoid.output_type)
        for monoid in monoids
    )
    second = f"; or with a second column: {', '.join(seconds)}" if seconds else ""
    prorated = "; float64 of prorated events" if by_shares else ""
    listed = "none, or any" if name in OF_ANY_COLUMN else ", ".join(columns)
    return [f"`{name}`", listed + second, "<br>".join(parameters.values()), ", ".join(gives) + prorated]


def _parameter(parameter: Parameter) -> str:
    if isinstance(parameter.default, bool):
        other = "" if parameter.least == parameter.most else f" or {not parameter.default}"
        return f"`{parameter.name}` {parameter.default}{other}"
    step = f", a multiple of {parameter.step}" if parameter.step else ""
    return (
        f"`{parameter.name}` {parameter.least:,} to {parameter.most:,}{step}; {parameter.default:,} unless given"
        if abs(parameter.most) < 1 << 62
        else f"`{parameter.name}` any; {parameter.default} unless given"
    )
