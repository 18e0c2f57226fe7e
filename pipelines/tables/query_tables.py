"""A query's tables: the rows that wait for the gate, what readers read, and what a day leaves for the next; and its
aggregates over columns of known types: which value columns they read, what type each result has. Which aggregates there
are, on which types, and what they give, is known to kernels/monoids alone.
"""

from typing import NamedTuple

import pyarrow as pa

from windrow.kernels.api import AggregatePlan
from windrow.kernels.farm.content import STATUSES
from windrow.kernels.farm.functions import function, output_names, parameter_values
from windrow.kernels.monoid import AnyAggregate
from windrow.kernels.monoids import SECOND, AggregateSpec, find_monoid, functions, keeps_nulls, named_elsewhere
from windrow.kernels.replay.numbered.spans import by_shares
from windrow.pipelines.rows.arrays import ARROW_TYPES, KERNEL_TYPES, TIME, expression_types
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas import registry
from windrow.schemas.errors import NotServed, WrongParameter
from windrow.schemas.expressions import ColumnValue
from windrow.schemas.model import MODEL_COLUMNS, Model
from windrow.schemas.query import WINDOW_COLUMNS, Aggregate, AggregatedValue, Query
from windrow.schemas.side_tables import nowcast_table, state_table
from windrow.schemas.stream import Column
from windrow.schemas.tables import Table, query_tables, required
from windrow.schemas.validation import TIMES, require_value
from windrow.schemas.windows import require, require_cutting_type

OF_ANY_COLUMN = {"count"}
"""Aggregates that look at no value."""
OF_HASHES = {"approx_distinct", "count_distinct"}
"""Aggregates that ask of strings only whether they are equal, and give none."""
_RESULTS: dict[str | None, pa.DataType] = {
    "int64": pa.int64(),
    "float64": pa.float64(),
    "bool": pa.bool_(),
    "timestamp": TIME,
}
TUPLES, STATUS = MODEL_COLUMNS
_NO_FILTER = "no filter, or an aggregate to which a null value is nothing: to this one it is an event's value"


class ValueColumn(NamedTuple):
    """One array of words: of a column or an expression, where `ordered` in the form in which min and max of uint64 are
    right; where `hashed`, strings as words that are the same in every replay, whatever others there are."""

    value: AggregatedValue
    ordered: bool
    hashed: bool = False


class Output(NamedTuple):
    """One aggregate of a query: its specification for the kernel, the values that it reads, its result's type, and of
    which of them its result is one, if of any."""

    name: str
    spec: AggregateSpec
    reads: tuple[ValueColumn, ...]
    result: pa.DataType
    kept: int | None


class WindowReads(NamedTuple):
    """column, column_type: place and type of the column whose values cut windows, if any; aggregates: a policy's."""

    column: int | None
    column_type: str
    aggregates: tuple[AggregateSpec, ...]


class Aggregates(NamedTuple):
    """A query's aggregates over columns of known types, and the arrays of words that they and the windows share."""

    outputs: tuple[Output, ...]
    value_columns: tuple[ValueColumn, ...]
    window: WindowReads

    @property
    def plan(self) -> AggregatePlan:
        """The specification for the kernel."""
        return AggregatePlan(tuple(output.spec for output in self.outputs))


def plan_aggregates(query: Query, column_types: dict[str, pa.DataType]) -> Aggregates:
    """Look every aggregate up. NotServed for an unknown function, WrongParameter for an unknown or unfit column."""
    numbers: dict[ValueColumn, int] = {}
    column_types = dict.fromkeys(TIMES, TIME) | column_types
    outputs = tuple(_output(name, aggregate, column_types, numbers) for name, aggregate in query.aggregates.items())
    if query.window.counts_shares:
        by_share = ((output, by_shares(output.spec, len(numbers))) for output in outputs)
        outputs = tuple(
            output._replace(spec=spec, result=_RESULTS[find_monoid(spec)[1].output_type]) for output, spec in by_share
        )
    window = _plan_window(query, column_types, numbers)
    return Aggregates(outputs, tuple(numbers), window)


def _plan_window(query: Query, column_types: dict[str, pa.DataType], numbers: dict[ValueColumn, int]) -> WindowReads:
    reads = tuple(_output(name, each, column_types, numbers).spec for name, each in query.window.reads.items())
    for name, spec in zip(query.window.reads, reads, strict=True):
        require(spec.column_type != "string", f"reads[{name!r}]", spec.function, "an aggregate that gives a number")
    column = getattr(query.window, "column", None)
    if column is None:
        return WindowReads(None, "int64", reads)
    if column not in column_types:
        raise WrongParameter("column", column, "a column of " + ", ".join(column_types), column_types)
    read, kind = ValueColumn(AggregatedValue.of_column(column), ordered=False), _kernel_type(column_types[column])
    require_cutting_type(query.window, column, kind)
    return WindowReads(numbers.setdefault(read, len(numbers)), kind, reads)


def _output(
    name: str, aggregate: Aggregate, column_types: dict[str, pa.DataType], numbers: dict[ValueColumn, int]
) -> Output:
    _check(name, aggregate, column_types)
    types = tuple(_type_of(name, value, column_types) for value in aggregate.values)
    spec, monoid = _found(name, aggregate, types)
    kept = {None: 0, SECOND: 1}.get(monoid.output_type)  # which column's type the result has
    reads = tuple(
        ValueColumn(value, place == kept and types[place] == pa.uint64(), aggregate.function in OF_HASHES)
        for place, value in enumerate(aggregate.values)
    )
    places = [numbers.setdefault(column, len(numbers)) for column in reads]
    first, second, *_ = (*places, None, None)
    spec = spec._replace(column=first, second=second)
    return Output(name, spec, reads, types[kept] if kept is not None else _RESULTS[monoid.output_type], kept)


def _found(name: str, aggregate: Aggregate, types: tuple[pa.DataType, ...]) -> tuple[AggregateSpec, AnyAggregate]:
    """With the values' places among the aggregate's own."""
    words = ["int64" if aggregate.function in OF_ANY_COLUMN else _kernel_type(each) for each in types]
    first_type, second_type = (*words, *("int64", "")[len(words) :])
    first, second, *_ = (*range(len(words)), None, None)
    spec = AggregateSpec(aggregate.function, first, first_type, second, second_type, aggregate.parameters)
    try:
        monoid = find_monoid(spec)[1]
    except WrongParameter as wrong:
        raise WrongParameter(f"aggregates[{name!r}]", _what_is_wrong(wrong, aggregate, types), wrong.allowed) from None
    if aggregate.where is not None and keeps_nulls(spec, monoid):
        given = ", ".join(f"{parameter}={value}" for parameter, value in aggregate.parameters)
        raise WrongParameter(f"aggregates[{name!r}]", f"{aggregate.function} with {given} and a filter", _NO_FILTER)
    return spec, monoid


def _check(name: str, aggregate: Aggregate, column_types: dict[str, pa.DataType]) -> None:
    where = f"aggregates[{name!r}]"
    if aggregate.function not in functions():
        raise NotServed(where, aggregate.function, functions(), named_elsewhere(aggregate.function))
    require(len(aggregate.columns) <= 2, where, aggregate.columns, "at most two columns")
    for column in aggregate.read_columns:
        if column not in column_types:
            raise WrongParameter(where, column, "a column of " + ", ".join(column_types), column_types)


def _type_of(name: str, value: AggregatedValue, column_types: dict[str, pa.DataType]) -> pa.DataType:
    """Arrow's type of what an aggregate reads: a column's own, or an expression's."""
    found = require_value(f"aggregates[{name!r}]", value, expression_types(pa.schema([*column_types.items()])))
    of = value.expression
    return _plain(column_types[of.name]) if isinstance(of, ColumnValue) else ARROW_TYPES[found]


def _what_is_wrong(wrong: WrongParameter, aggregate: Aggregate, types: tuple[pa.DataType, ...]) -> str:
    """In the query's words: the columns with their types, or the parameter."""
    function = aggregate.function
    if wrong.parameter == f"parameters of {function}":
        return f"{function} with a parameter {wrong.value}"
    if wrong.parameter.partition(" of ")[0] in dict(aggregate.parameters):
        return f"{function} with {wrong.parameter.partition(' of ')[0]}={wrong.value!r}"
    columns = [f"{value} of type {type_}" for value, type_ in zip(aggregate.values, types, strict=True)]
    if wrong.parameter == f"second column of {function}":
        return f"{function} with second column {columns[1] if len(columns) > 1 else 'none'}"
    return f"{function} over {columns[0] if columns else 'no column'}"


def _plain(type_: pa.DataType) -> pa.DataType:
    return type_.value_type if pa.types.is_dictionary(type_) else type_


def _kernel_type(type_: pa.DataType) -> str:
    """As what the kernel reads a column."""
    plain = _plain(type_)
    return KERNEL_TYPES.get(plain.id, str(plain))


def aggregate_columns(query: Query, column_types: dict[str, str]) -> tuple[Column, ...]:
    """The columns that a query's aggregates add to its tables; `column_types` are those of a stream's Column.
    NotServed where days that go on from each other would carry a string."""
    arrow_types = {name: ARROW_TYPES[type_] for name, type_ in column_types.items()}
    names = {type_: name for name, type_ in ARROW_TYPES.items()}
    outputs = plan_aggregates(query, arrow_types).outputs
    for output in () if query.context_free else outputs:
        # What a day carries on are words; that of a string means something within its own replay only, unless hashed.
        types = (output.spec.column_type, output.spec.second_type)
        if "string" in types and not all(read.hashed for read in output.reads):
            where = f"aggregates[{output.name!r}] of strings, in windows whose days go on from each other,"
            raise NotServed(where, output.spec.function, sorted(OF_HASHES | {"count"}))
    return tuple(_column(output, names[output.result], query.aggregates[output.name]) for output in outputs)


def _column(output: Output, type_: str, aggregate: Aggregate) -> Column:
    of = " and ".join(aggregate.columns) or "events"
    where = "" if aggregate.where is None else f" where {aggregate.where}"
    given = "".join(f", {name} {value}" for name, value in aggregate.parameters)
    skips = aggregate.columns and not dict(aggregate.parameters).get("nulls")
    meaning = f"{aggregate.function} of {of}{where}{given}{'; null values are skipped' if skips else ''}"
    return Column(output.name, type_, meaning)


class QueryTables(NamedTuple):
    """Definitions of `<query>`, `<query>_late` and of the audit tables behind them. source: the tables of the query's
    stream; state: where days leave what the next goes on from, None of queries whose days depend on no other's;
    nowcast: None of queries that ask for none."""

    query: Query
    source: StreamTables
    results: Table
    late: Table
    audit: Table
    late_audit: Table
    state: Table | None = None
    nowcast: Table | None = None

    @property
    def all(self) -> list[Table]:
        """In the order in which a rebuild puts them into place: for a moment readers find results without late events
        rather than late events without results."""
        found = (self.state, self.late_audit, self.audit, self.nowcast, self.late, self.results)
        return [table for table in found if table is not None]

    @classmethod
    def of(cls, query: Query) -> "QueryTables":
        """From the query and its stream; the columns of aggregates and of a model's function come from the kernels."""
        stream = registry.stream(query.stream)
        of_one_window = next(iter(query.parts.values()))  # the columns of aggregates, all windows have in common
        aggregates = aggregate_columns(of_one_window, {column.name: column.type for column in stream.columns})
        of_function = function_columns(query) if isinstance(query, Model) else ()
        tables = query_tables(query, stream, (*aggregates, *of_function))
        state = None if query.context_free else state_table(query, stream)
        nowcast = None if query.nowcast is None else nowcast_table(query, stream)
        return cls(query, StreamTables.of(stream), *tables, state, nowcast)


def function_columns(model: Model) -> tuple[Column, ...]:
    """`tuples`, `status`, and the function's outputs. NotServed for a function that there is not, BrokenDefinition for
    a broken one, WrongParameter for its parameters, or an output whose name is taken."""
    call = model.function
    outputs = outputs_of(model)
    taken = {*model.key, *model.aggregates, *WINDOW_COLUMNS, *MODEL_COLUMNS, "emitted_date"}
    for name in outputs:
        if name in taken:
            raise WrongParameter(f"outputs of {call.function}", name, "a name that no other column of its table has")
    of = f"{call.function} of {', '.join(call.columns)}"
    return (
        required(
            TUPLES, "int64", f"events that the function was given: those with a value in {', '.join(call.columns)}"
        ),
        required(STATUS, "string", f"what {call.function} says: {', '.join(STATUSES)}, or a number of its own"),
        *(Column(name, "float64", f"{name} of {of}; null if the function gives none") for name in outputs),
    )


def outputs_of(model: Model) -> tuple[str, ...]:
    """Of the model's function with the model's parameters. Raises as function_columns."""
    call = model.function
    made = function(call.function)
    least, most = len(made.columns) - len(made.optional), len(made.columns)
    if not least <= len(call.columns) <= most:
        allowed = f"{least} to {most} columns" if least < most else f"{most} of them"
        raise WrongParameter(f"columns of {call.function}", call.columns, f"{allowed}, for {', '.join(made.columns)}")
    return output_names(call.function, parameter_values(call.function, call.named_parameters))
