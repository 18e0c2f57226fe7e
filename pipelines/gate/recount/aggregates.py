"""A query's aggregates in plain NumPy, of all stretches of windows, and when a row's value differs from them."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pyarrow as pa

from pipelines.gate.recount import in_order, sql
from pipelines.gate.recount.order_statistics import Coded, means
from pipelines.gate.recount.query_days import QueryDays, value_name
from pipelines.gate.recount.stretches import StretchesOfWindows
from pipelines.gate.recount.values import TOLERANCE, Recounted, Values
from schemas.query import Aggregate, Query

# By this power of two values are made smaller that add up beyond float64: more than events can be counted.
SCALE = 64
TEXT = "VARCHAR"
# Values as numbers, by their type in DuckDB: of other types nothing but their number is asked. Strings: strings.py.
AS_NUMBERS = {
    TEXT: "(SELECT s.place FROM strings s WHERE s.string = {0})",
    "DOUBLE": "{0}",
    "BIGINT": "{0}",
    "BOOLEAN": "CAST({0} AS BIGINT)",
    "TIMESTAMP WITH TIME ZONE": "epoch_us({0})",
    "DATE": "CAST({0} - DATE '1970-01-01' AS BIGINT)",
}


def counts(found: StretchesOfWindows, values: Values, _: Aggregate) -> Recounted:
    """How many values are not null."""
    return Recounted(values.counted, np.zeros(len(values.counted), bool))


def least(found: StretchesOfWindows, values: Values, _: Aggregate) -> Recounted:
    """The least value."""
    return _extreme(found, values, True)


def greatest(found: StretchesOfWindows, values: Values, _: Aggregate) -> Recounted:
    """The greatest value."""
    return _extreme(found, values, False)


def spread(found: StretchesOfWindows, values: Values, _: Aggregate) -> Recounted:
    """The greatest value less the least."""
    high, low = _extreme(found, values, False), _extreme(found, values, True)
    return Recounted(np.where(high.null, 0, high.value) - np.where(low.null, 0, low.value), high.null)


def some(found: StretchesOfWindows, values: Values, _: Aggregate) -> Recounted:
    """Whether a value is true."""
    return _extreme(found, _truths(values), False)


def each_one(found: StretchesOfWindows, values: Values, _: Aggregate) -> Recounted:
    """Whether all values are true."""
    return _extreme(found, _truths(values), True)


def total(found: StretchesOfWindows, values: Values, _: Aggregate) -> Recounted:
    """The sum. Of integers it is exact, and null where it is beyond int64, which no row can say."""
    null = values.counted == 0
    if values.numbers.dtype == np.float64:
        return Recounted(_float_sums(found, values.numbers), null, _tolerances(found, values.numbers))
    high, low = found.whole_sums(values.numbers)
    return Recounted((high << 32) + low, null | (high != high.astype(np.int32)))


def mean(found: StretchesOfWindows, values: Values, _: Aggregate) -> Recounted:
    """The sum by the number of values."""
    numbers, many = values.numbers.astype(np.float64), np.maximum(values.counted, 1)
    return Recounted(_float_sums(found, numbers, many), values.counted == 0, _tolerances(found, numbers) / many)


def variance(found: StretchesOfWindows, values: Values, asked: Aggregate) -> Recounted:
    """From the sums of values and of squares, relative to the squares that it is the difference of."""
    numbers, many = values.numbers.astype(np.float64), np.maximum(values.counted, 1)
    sums, squares = (_float_sums(found, each) for each in (numbers, numbers * numbers))
    free = values.counted - dict(asked.parameters).get("ddof", 1)
    furthest = found.extremes(np.abs(numbers), least=False)
    spread_squared = np.maximum(squares - sums * sums / many, 0) / np.maximum(free, 1)
    return Recounted(spread_squared, free <= 0, TOLERANCE * np.maximum(furthest, 0) ** 2)


def deviation(found: StretchesOfWindows, values: Values, asked: Aggregate) -> Recounted:
    """The root of the variance, relative to 1,000 times the values: a root makes a small error near zero larger."""
    squared = variance(found, values, asked)
    assert squared.tolerance is not None, "a variance is rounded"
    return Recounted(np.sqrt(squared.value), squared.null, 1e3 * np.sqrt(TOLERANCE * squared.tolerance))


def shares(found: StretchesOfWindows, values: Values, _: Aggregate) -> Recounted:
    """How much of the events whose values are not null."""
    assert values.shares is not None, "the window counts shares"
    return Recounted(values.shares, np.zeros(len(values.shares), bool), TOLERANCE * np.maximum(values.shares, 1.0))


def mean_by_shares(found: StretchesOfWindows, values: Values, _: Aggregate) -> Recounted:
    """The sum of the shares of values by the sum of shares."""
    assert values.shares is not None, "the window counts shares"
    much = np.where(values.counted == 0, 1.0, values.shares)
    return Recounted(
        _float_sums(found, values.numbers, much), values.counted == 0, _tolerances(found, values.numbers) / much
    )


def median(found: StretchesOfWindows, values: Values, _: Aggregate) -> Recounted:
    """The middle one, or the mean of the two in the middle."""
    coded = Coded.of(found, values.numbers, values.present)
    low, high = (coded.kth_least(each) for each in ((values.counted + 1) // 2, values.counted // 2 + 1))
    return Recounted(means(low, high), values.counted == 0)


def quantile(found: StretchesOfWindows, values: Values, asked: Aggregate) -> Recounted:
    """The least value that enough values are not above."""
    rank = np.ceil(dict(asked.parameters).get("q", 0.5) * values.counted).astype(np.int64)
    coded = Coded.of(found, values.numbers, values.present)
    return Recounted(coded.kth_least(np.maximum(rank, 1)), values.counted == 0)


def mode(found: StretchesOfWindows, values: Values, _: Aggregate) -> Recounted:
    """The value that occurs most often."""
    return Recounted(*Coded.of(found, values.numbers, values.present).kth_most_frequent(found, 1))


def top(found: StretchesOfWindows, values: Values, asked: Aggregate) -> Recounted:
    """The value that is k-th by how often it occurs."""
    k = int(dict(asked.parameters).get("k", 1))
    return Recounted(*Coded.of(found, values.numbers, values.present).kth_most_frequent(found, k))


def distinct(found: StretchesOfWindows, values: Values, _: Aggregate) -> Recounted:
    """How many different values there are."""
    coded = Coded.of(found, values.numbers, values.present)
    return Recounted(coded.distinct(found), np.zeros(len(values.counted), bool))


RECOUNTED: dict[str, Callable[[StretchesOfWindows, Values, Aggregate], Recounted]] = {
    "count": counts,
    "min": least,
    "max": greatest,
    "range": spread,
    "any": some,
    "all": each_one,
    "sum": total,
    "fast_sum": total,
    "mean": mean,
    "variance": variance,
    "std": deviation,
    "median": median,
    "quantile": quantile,
    "mode": mode,
    "top_k": top,
    "count_distinct": distinct,
    **in_order.RECOUNTED,
}
_STRING_OF = "(SELECT s.string FROM strings s WHERE s.place = {0})"
OF_SHARES = {"count": shares, "sum": total, "mean": mean_by_shares}


def recounted(query: Query) -> dict[str, Aggregate]:
    """The aggregates that are counted again."""
    return {name: each for name, each in query.aggregates.items() if each.function in RECOUNTED}


def compared_columns(query: Query) -> set[str]:
    """Those of which more is counted again than how many values there are."""
    return {column for each in recounted(query).values() if each.function != "count" for column in each.columns}


def depends_on_order(query: Query) -> bool:
    """Whether some aggregate that is counted again takes events in their order."""
    return any(each.function in in_order.RECOUNTED for each in recounted(query).values())


def values_of(query: Query, types: dict[str, str]) -> str:
    """SQL: the value columns as numbers, and the share that counts; of a type that is only counted, whether it is null.
    types: by column."""
    values = "".join(
        f", {_number(query, column, types).format(name)} AS {name}"
        for column in query.value_columns
        for name in [value_name(query, column)]
    )
    in_their_order = f", {in_order.PLACE}, start_us AS {in_order.STARTED_US}" if depends_on_order(query) else ""
    return values + in_their_order + (", share" if query.window.counts_shares else "")


def _number(query: Query, column: str, types: dict[str, str]) -> str:
    kind = types[value_name(query, column)]
    is_known = kind in AS_NUMBERS and (kind != TEXT or column in compared_columns(query))
    return AS_NUMBERS[kind] if is_known else "nullif({0} IS NULL, TRUE)"


def columns(query: Query, found: StretchesOfWindows, events: dict[str, np.ndarray]) -> Iterator[tuple[str, np.ndarray]]:
    """For the aggregate number i the columns `recounted_i`, masked, and `tolerance_i` where it is rounded."""
    functions = OF_SHARES if query.window.counts_shares else RECOUNTED
    every_event = np.ones(len(found.begins), np.int64)
    exact = np.zeros(len(found.first))
    for number, each in enumerate(recounted(query).values()):
        column = events[value_name(query, each.columns[0])] if each.columns else every_event
        values = _values(found, column, events.get("share"))
        if each.function in in_order.RECOUNTED:
            values = in_order.with_order(
                found, values, events, [value_name(query, other) for other in each.columns[1:]]
            )
        made = functions[each.function](found, values, each)
        yield f"recounted_{number}", np.ma.masked_array(made.value, made.null)
        yield f"tolerance_{number}", exact if made.tolerance is None else made.tolerance


def as_arrow(column: np.ndarray) -> pa.Array:
    """A column, null where it is masked."""
    return pa.array(np.ma.getdata(column), mask=np.ma.getmaskarray(column))


def differs(query: Query, row: str, again: str, types: dict[str, str]) -> str:
    """SQL: whether an aggregate differs; a float, by more than 1e-9 of the magnitudes (semantics §4)."""
    found = (
        _differs(AS_NUMBERS.get(types[name], "{0}").format(f"{row}.{sql.name(name)}"), number, again)
        for number, name in enumerate(recounted(query))
    )
    return " OR ".join(found) or "FALSE"


def expected(query: Query, again: str, types: dict[str, str]) -> str:
    """SQL: what was counted again, strings as such. types: of the rows' columns."""
    return "".join(
        f", {_STRING_OF if types[name] == TEXT else '{0}'} AS recounted_{number}".format(f"{again}.recounted_{number}")
        for number, name in enumerate(recounted(query))
    )


def types_of(recount: QueryDays, relation: str) -> dict[str, str]:
    """The types of a table's columns."""
    return {column: kind for column, kind, *_ in recount.rows(f"DESCRIBE {relation}")}


def _differs(value: str, number: int, again: str) -> str:
    expected = f"{again}.recounted_{number}"
    near = f"coalesce(abs({value} - {expected}) <= {again}.tolerance_{number}, FALSE)"
    return f"({value} IS DISTINCT FROM {expected} AND NOT ({again}.tolerance_{number} > 0 AND {near}))"


def _values(found: StretchesOfWindows, column: np.ndarray, share: np.ndarray | None = None) -> Values:
    present = ~np.ma.getmaskarray(column)
    numbers = np.where(present, np.ma.getdata(column), 0)
    numbers = numbers.astype(np.float64 if numbers.dtype == np.float64 else np.int64)
    counted = found.sums(present.astype(np.int64))
    if share is None:
        return Values(numbers, present, counted)
    share = np.ma.getdata(share)
    return Values(numbers * share, present, counted, found.float_sums(share * present))


def _truths(values: Values) -> Values:
    return values._replace(numbers=(values.numbers != 0).astype(np.int64))


def _extreme(found: StretchesOfWindows, values: Values, least: bool) -> Recounted:
    # A null must win nowhere: its event takes no part.
    present = values.present
    chosen = replace(found, begins=found.begins[present], ends=found.ends[present])
    return Recounted(chosen.extremes(values.numbers[present], least), values.counted == 0)


def _float_sums(found: StretchesOfWindows, numbers: np.ndarray, many: np.ndarray | None = None) -> np.ndarray:
    """Sums, by `many` where it is given. Also of infinite numbers, which no whole number holds: they make their
    stretches' sums infinite; and of finite ones that add up beyond float64 on the way."""
    finite = np.where(np.isfinite(numbers), numbers, 0.0)
    divisor = np.ones(len(found.first)) if many is None else many
    with np.errstate(over="ignore", invalid="ignore"):
        plain = found.float_sums(finite)
        if not np.isfinite(plain).all():
            scaled = np.ldexp(found.float_sums(np.ldexp(finite, -SCALE)) / divisor, SCALE)
            plain = np.where(np.isfinite(plain), plain / divisor, scaled)
        else:
            plain = plain / divisor
    up, down = (found.sums((numbers == each).astype(np.int64)) > 0 for each in (np.inf, -np.inf))
    return plain + np.where(up, np.inf, 0.0) + np.where(down, -np.inf, 0.0)


def _tolerances(found: StretchesOfWindows, numbers: np.ndarray) -> np.ndarray:
    return _float_sums(found, np.abs(numbers) * TOLERANCE)
