"""A query's aggregates on Arrow columns: which value arrays the kernel gets, and what type each result has.

Which aggregates there are, on which types, and what they give, is known to kernels/monoids alone. `count` of a column
takes any type, since it looks at no value.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from kernels.monoids import SECOND, AggregateSpec, find_monoid, functions
from kernels.replay import AggregatePlan
from pipelines.arrays import TIME, decoded, from_words, kernel_type, refuse_beyond_int64, valid, words
from pipelines.arrow_schemas import ARROW_TYPES
from schemas.errors import NotServed, WrongParameter
from schemas.query import Aggregate, Query
from schemas.stream import Column
from schemas.windows import require

_RESULTS = {"int64": pa.int64(), "float64": pa.float64(), "bool": pa.bool_(), "timestamp": TIME}


class Lane(NamedTuple):
    """One array of words: a column, where `ordered` in the form in which min and max of uint64 are right."""

    column: str
    ordered: bool


class Output(NamedTuple):
    """One aggregate of a query: what the kernel is told, the lanes that it reads, its result's type."""

    name: str
    spec: AggregateSpec
    lanes: tuple[Lane, ...]
    result: pa.DataType


class Aggregates(NamedTuple):
    """The aggregates of a query over columns of known types, and the arrays of words that they share."""

    outputs: tuple[Output, ...]
    lanes: tuple[Lane, ...]

    @property
    def plan(self) -> AggregatePlan:
        """What the kernel is told."""
        return AggregatePlan(tuple(output.spec for output in self.outputs))

    def values(self, events: pa.Table, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(int64[lanes, events], bool[lanes, events]): words and whether they aren't null, in the given order of rows.
        """
        found = np.zeros((len(self.lanes), len(order)), dtype=np.int64)
        present = np.ones((len(self.lanes), len(order)), dtype=bool)
        for place, lane in enumerate(self.lanes):
            column = decoded(events[lane.column])
            if not lane.ordered and any(lane in o.lanes and o.spec.function != "count" for o in self.outputs):
                refuse_beyond_int64(column, lane.column)
            if kernel_type(column.type) is not None:
                found[place] = words(column, lane.ordered)[order]
            present[place] = valid(column)[order]
        return found, present

    def arrays(self, outputs: np.ndarray, null: np.ndarray) -> dict[str, pa.Array]:
        """The result columns by name."""
        return {output.name: from_words(outputs[place], null[place], output.result)
                for place, output in enumerate(self.outputs)}


def plan_aggregates(query: Query, column_types: dict[str, pa.DataType]) -> Aggregates:
    """Look every aggregate up. NotServed for an unknown function, WrongParameter for an unknown or unfit column."""
    lanes: dict[Lane, int] = {}
    outputs = tuple(_output(name, aggregate, column_types, lanes) for name, aggregate in query.aggregates.items())
    return Aggregates(outputs, tuple(lanes))


def _output(name: str, aggregate: Aggregate, column_types: dict[str, pa.DataType], lanes: dict[Lane, int]) -> Output:
    _check(name, aggregate, column_types)
    types = tuple(_plain(column_types[column]) for column in aggregate.columns)
    words = [kernel_type(each) or ("int64" if aggregate.function == "count" else str(each)) for each in types]
    placed = [part for place, word in enumerate(words) for part in (place, word)]
    spec = AggregateSpec(aggregate.function, *placed, *(None, "int64", None, "")[len(placed):], aggregate.parameters)
    kept = _kept_column(name, aggregate, spec, types)
    read = tuple(Lane(column, ordered=place == kept and types[place] == pa.uint64())
                 for place, column in enumerate(aggregate.columns))
    numbers = [lanes.setdefault(lane, len(lanes)) for lane in read]
    spec = spec._replace(**dict(zip(("column", "second"), numbers, strict=False)))
    result = types[kept] if kept is not None else _RESULTS[find_monoid(spec)[1].output_type]
    return Output(name, spec, read, result)


def _check(name: str, aggregate: Aggregate, column_types: dict[str, pa.DataType]) -> None:
    where = f"aggregates[{name!r}]"
    if aggregate.function not in functions():
        raise NotServed(where, aggregate.function, functions())
    require(len(aggregate.columns) <= 2, where, aggregate.columns, "at most two columns")
    for column in aggregate.columns:
        require(column in column_types, where, column, "a column of " + ", ".join(column_types))


def _kept_column(name: str, aggregate: Aggregate, spec: AggregateSpec, types: tuple[pa.DataType, ...]) -> int | None:
    """Which column's type the result has; None where it has one of its own."""
    try:
        output_type = find_monoid(spec)[1].output_type
    except WrongParameter as wrong:
        raise WrongParameter(f"aggregates[{name!r}]", _what_is_wrong(wrong, aggregate, types), wrong.allowed) from None
    return {None: 0, SECOND: 1}.get(output_type)


def _what_is_wrong(wrong: WrongParameter, aggregate: Aggregate, types: tuple[pa.DataType, ...]) -> str:
    """In the query's words: the columns with their types, or the parameter."""
    function = aggregate.function
    if wrong.parameter == f"parameters of {function}":
        return f"{function} with a parameter {wrong.value}"
    if wrong.parameter.partition(" of ")[0] in dict(aggregate.parameters):
        return f"{function} with {wrong.parameter.partition(' of ')[0]}={wrong.value!r}"
    columns = [f"{column} of type {type_}" for column, type_ in zip(aggregate.columns, types, strict=True)]
    if wrong.parameter == f"second column of {function}":
        return f"{function} with second column {columns[1] if len(columns) > 1 else 'none'}"
    return f"{function} over {columns[0] if columns else 'no column'}"


def _plain(type_: pa.DataType) -> pa.DataType:
    return type_.value_type if pa.types.is_dictionary(type_) else type_


def aggregate_columns(query: Query, column_types: dict[str, str]) -> tuple[Column, ...]:
    """The columns that a query's aggregates add to its tables; `column_types` are those of schemas.stream.Column."""
    arrow_types = {name: ARROW_TYPES[type_] for name, type_ in column_types.items()}
    names = {type_: name for name, type_ in ARROW_TYPES.items()}
    return tuple(_column(output, names[output.result], query.aggregates[output.name])
                 for output in plan_aggregates(query, arrow_types).outputs)


def _column(output: Output, type_: str, aggregate: Aggregate) -> Column:
    of = " and ".join(lane.column for lane in output.lanes)
    given = "".join(f", {name} {value}" for name, value in aggregate.parameters)
    return Column(output.name, type_, aggregate.function
                  + (f" of {of}{given}; null values are skipped" if of else " of events"))
