"""A query's aggregates in plain NumPy, of all stretches of windows, and when a row's value differs from them.

Strings are whole numbers: table `strings`, (string, place), in order of their UTF-8 bytes, so that a place is compared
as its string is.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from windrow.pipelines.gate.recount import in_order, kept, order_statistics, sql
from windrow.pipelines.gate.recount.query_days import Recount, value_name
from windrow.pipelines.gate.recount.stretches import TOLERANCE, Recounted, StretchesOfWindows, Values
from windrow.schemas.query import Aggregate, AggregatedValue, Query

TEXT = "VARCHAR"
# Values as numbers, by their type in DuckDB: of other types nothing but their number is asked.
AS_NUMBERS = {
    TEXT: "(SELECT s.place FROM strings s WHERE s.string = {0})",
    "DOUBLE": "{0}",
    "BIGINT": "{0}",
    "BOOLEAN": "CAST({0} AS BIGINT)",
    "TIMESTAMP WITH TIME ZONE": "epoch_us({0})",
    "DATE": "CAST({0} - DATE '1970-01-01' AS BIGINT)",
}
_STRING_OF = "(SELECT s.string FROM strings s WHERE s.place = {0})"


def count(values: Values) -> Recounted:
    """How many values are not null; of events by shares, how much of those."""
    tolerance = 0.0 if values.share is None else TOLERANCE * np.maximum(values.shares, 1.0)
    return Recounted(values.shares, tolerance=tolerance)


def spread(values: Values) -> Recounted:
    """The greatest value less the least."""
    high, low = (np.where(values.none, 0, values.extreme(least).value) for least in (False, True))
    return Recounted(high - low, values.none)


def of_truths(values: Values, least: bool) -> Recounted:
    """Whether all values are true, or any."""
    return replace(values, numbers=(values.numbers != 0).astype(np.int64)).extreme(least)


def total(values: Values) -> Recounted:
    """The sum. Of integers it is exact, and null where it is beyond int64, which no row can say."""
    if values.numbers.dtype == np.float64:
        return Recounted(values.float_sums(values.numbers), values.none, values.tolerances(values.numbers))
    high, low = values.stretches.whole_sums(values.numbers)
    return Recounted((high << 32) + low, values.none | (high != high.astype(np.int32)))


def mean(values: Values) -> Recounted:
    """The sum by the number of values, or by the sum of their shares."""
    numbers, many = values.numbers.astype(np.float64), values.many
    return Recounted(values.float_sums(numbers, many), values.none, values.tolerances(numbers) / many)


def variance(values: Values) -> Recounted:
    """From the sums of values and of squares, relative to the squares that it is the difference of."""
    numbers, many = values.numbers.astype(np.float64), values.many
    sums, squares = (values.float_sums(each) for each in (numbers, numbers * numbers))
    free = values.counted - values.parameters.get("ddof", 1)
    furthest = values.stretches.extremes(np.abs(numbers), least=False)
    spread_squared = np.maximum(squares - sums * sums / many, 0) / np.maximum(free, 1)
    return Recounted(spread_squared, free <= 0, TOLERANCE * np.maximum(furthest, 0) ** 2)


def deviation(values: Values) -> Recounted:
    """The root of the variance, relative to 1,000 times the values: a root makes a small error near zero larger."""
    squared = variance(values)
    return Recounted(np.sqrt(squared.value), squared.null, 1e3 * np.sqrt(TOLERANCE * squared.tolerance))


RECOUNTED: dict[str, Callable[[Values], Recounted]] = {
    "count": count,
    "min": lambda values: values.extreme(least=True),
    "max": lambda values: values.extreme(least=False),
    "range": spread,
    "any": lambda values: of_truths(values, least=False),
    "all": lambda values: of_truths(values, least=True),
    "sum": total,
    "fast_sum": total,
    "mean": mean,
    "variance": variance,
    "std": deviation,
    **order_statistics.RECOUNTED,
    **in_order.RECOUNTED,
}


def recounted(query: Query) -> dict[str, Aggregate]:
    return {name: each for name, each in query.aggregates.items() if each.function in RECOUNTED}


def depends_on_order(query: Query) -> bool:
    """Whether some aggregate that is counted again takes events in their order."""
    return any(each.function in in_order.RECOUNTED for each in recounted(query).values())


def values_of(recount: Recount, events: str) -> str:
    """SQL: the values of a relation of events as numbers, and the share that counts; of a type that is only counted,
    whether it is null."""
    query, types, values = recount.query, recount.types_of(events), ""
    for value in query.values:
        name = value_name(query, value)
        is_known = types[name] in AS_NUMBERS and (types[name] != TEXT or value in _compared_values(query))
        number = AS_NUMBERS[types[name]] if is_known else "nullif({0} IS NULL, TRUE)"
        values += f", {number.format(name)} AS {name}"
    in_their_order = f", {in_order.PLACE}, start_us AS {in_order.STARTED_US}" if depends_on_order(query) else ""
    return values + in_their_order + (", share" if query.window.counts_shares else "")


def _compared_values(query: Query) -> set[AggregatedValue]:
    """Those of which more is counted again than how many there are."""
    return {value for each in recounted(query).values() if each.function != "count" for value in each.values}


def columns(query: Query, found: StretchesOfWindows, events: dict[str, np.ndarray]) -> Iterator[tuple[str, np.ndarray]]:
    """For the aggregate number i the columns `recounted_i`, masked, and `tolerance_i` where it is rounded."""
    share = np.ma.getdata(events["share"]) if query.window.counts_shares else None
    every_event = np.ones(len(found.begins), np.int64)
    # Where order counts for no aggregate, there is none.
    places, starts_us = (np.ma.getdata(events.get(each, every_event)) for each in (in_order.PLACE, in_order.STARTED_US))
    for number, (name, each) in enumerate(recounted(query).items()):
        column, *others = [events[value_name(query, value)] for value in each.values] or [every_event]
        along = others[0] if others else starts_us
        present = ~(np.ma.getmaskarray(column) | np.ma.getmaskarray(along))
        numbers = np.where(present, np.ma.getdata(column), 0)
        numbers = numbers.astype(np.float64 if numbers.dtype == np.float64 else np.int64)
        numbers = numbers if share is None else numbers * share
        parameters, along = dict(each.parameters), np.ma.getdata(along)
        values = Values(found, numbers, present, parameters, share, places, starts_us, along)
        if (parts := kept.parts(query, events, name, numbers, present)) is not None:
            values = values.of_parts(*parts)
        made = RECOUNTED[each.function](values)
        yield f"recounted_{number}", np.ma.masked_array(made.value, made.null)
        yield f"tolerance_{number}", np.zeros(len(found.first)) + made.tolerance


def as_arrow(column: np.ndarray) -> pa.Array:
    return pa.array(np.ma.getdata(column), mask=np.ma.getmaskarray(column))


def as_numbers(recount: Recount) -> list[str]:
    """SQL: the aggregates of a row `n` of the run, as they are counted again."""
    types = recount.types_of("audit")
    return [AS_NUMBERS.get(types[name], "{0}").format(f"n.{sql.name(name)}") for name in recounted(recount.query)]


def differs(recount: Recount) -> str:
    """SQL: whether an aggregate of a row `n` of the run differs from what was counted again, `f`; a float, by more than
    1e-9 of the magnitudes (semantics §4)."""
    found = []
    for number, value in enumerate(as_numbers(recount)):
        again, tolerance = f"f.recounted_{number}", f"f.tolerance_{number}"
        near = f"coalesce(abs({value} - {again}) <= {tolerance}, FALSE)"
        found.append(f"({value} IS DISTINCT FROM {again} AND NOT ({tolerance} > 0 AND {near}))")
    return " OR ".join(found) or "FALSE"


def expected(recount: Recount) -> str:
    """SQL: what was counted again, `f`, strings as such."""
    types = recount.types_of("audit")
    return "".join(
        f", {_STRING_OF if types[name] == TEXT else '{0}'} AS recounted_{number}".format(f"f.recounted_{number}")
        for number, name in enumerate(recounted(recount.query))
    )


def add_strings(recount: Recount) -> None:
    """Of all events and rows whose strings are compared: O(strings log strings)."""
    events, rows = recount.types_of("candidates"), recount.types_of("audit")
    values = [value_name(recount.query, value) for value in _compared_values(recount.query)]
    found = [f"SELECT {name} AS string FROM candidates" for name in values if events[name] == TEXT]
    found += [f"SELECT {sql.name(name)} FROM audit" for name in recounted(recount.query) if rows[name] == TEXT]
    if found:
        recount.connection.execute(f"""
            CREATE TEMP TABLE strings AS
            SELECT string, row_number() OVER (ORDER BY string) AS place
            FROM ({" UNION ".join(found)}) WHERE string IS NOT NULL""")
