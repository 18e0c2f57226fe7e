"""A query's aggregates on Arrow columns: which value arrays the kernel gets, and what type each result has.

Which aggregates there are, on which types, and what they give, is known to kernels/monoids alone. `count` of a column
takes any type, since it looks at no value.
"""

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from kernels.monoids import AggregateSpec, find_monoid, functions
from kernels.replay import AggregatePlan
from pipelines.arrays import decoded, from_words, kernel_type, refuse_beyond_int64, valid, words
from pipelines.arrow_schemas import ARROW_TYPES
from schemas.errors import NotServed, WrongParameter
from schemas.query import Aggregate, Query
from schemas.stream import Column
from schemas.windows import require

_RESULTS = {"int64": pa.int64(), "float64": pa.float64(), "bool": pa.bool_()}


class Lane(NamedTuple):
    """One array of words: a column, where `ordered` in the form in which min and max of uint64 are right."""

    column: str
    ordered: bool


class Output(NamedTuple):
    """One aggregate of a query: what the kernel is told, the lane that it reads (None: no column), its result's type.
    """

    name: str
    spec: AggregateSpec
    lane: Lane | None
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
            if not lane.ordered and any(o.lane == lane and o.spec.function != "count" for o in self.outputs):
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
    if not aggregate.columns:
        spec = AggregateSpec(aggregate.function)
        return Output(name, spec, None, _RESULTS[_result_type(name, aggregate, spec, "no column")])
    column = aggregate.columns[0]
    arrow_type = _plain(column_types[column])
    word_type = kernel_type(arrow_type) or ("int64" if aggregate.function == "count" else str(arrow_type))
    spec = AggregateSpec(aggregate.function, 0, word_type)
    result = _result_type(name, aggregate, spec, f"{column} of type {arrow_type}")
    lane = Lane(column, ordered=result is None and arrow_type == pa.uint64())
    spec = spec._replace(column=lanes.setdefault(lane, len(lanes)))
    return Output(name, spec, lane, arrow_type if result is None else _RESULTS[result])


def _check(name: str, aggregate: Aggregate, column_types: dict[str, pa.DataType]) -> None:
    if aggregate.function not in functions():
        raise NotServed(f"aggregates[{name!r}]", aggregate.function, functions())
    require(not aggregate.parameters, f"aggregates[{name!r}]", dict(aggregate.parameters),
            f"no parameters for {aggregate.function}")
    require(len(aggregate.columns) <= 1, f"aggregates[{name!r}]", aggregate.columns, "at most one column")
    for column in aggregate.columns:
        require(column in column_types, f"aggregates[{name!r}]", column, "a column of " + ", ".join(column_types))


def _result_type(name: str, aggregate: Aggregate, spec: AggregateSpec, column: str) -> str | None:
    """The kernel type of the result, None where it is the column's own."""
    try:
        return find_monoid(spec)[1].output_type
    except WrongParameter as unfit:
        raise WrongParameter(f"aggregates[{name!r}]", f"{aggregate.function} over {column}", unfit.allowed) from None


def _plain(type_: pa.DataType) -> pa.DataType:
    return type_.value_type if pa.types.is_dictionary(type_) else type_


def aggregate_columns(query: Query, column_types: dict[str, str]) -> tuple[Column, ...]:
    """The columns that a query's aggregates add to its tables; `column_types` are those of schemas.stream.Column."""
    arrow_types = {name: ARROW_TYPES[type_] for name, type_ in column_types.items()}
    names = {type_: name for name, type_ in ARROW_TYPES.items()}
    return tuple(_column(output, names[output.result], query.aggregates[output.name])
                 for output in plan_aggregates(query, arrow_types).outputs)


def _column(output: Output, type_: str, aggregate: Aggregate) -> Column:
    of = f" of {output.lane.column}; null values are skipped" if output.lane else " of events"
    return Column(output.name, type_, aggregate.function + of)
