"""A query's tables: the rows that wait for the gate, what readers read, and what a day leaves for the next."""

from typing import NamedTuple

from kernels.farm.content import STATUSES
from kernels.farm.functions import function, output_names, parameter_values
from pipelines.tables.aggregates import aggregate_columns
from pipelines.tables.stream_tables import StreamTables
from schemas import registry
from schemas.errors import WrongParameter
from schemas.model import MODEL_COLUMNS, Model
from schemas.query import WINDOW_COLUMNS, Query
from schemas.side_tables import state_table
from schemas.stream import Column
from schemas.tables import Table, query_tables, required

TUPLES, STATUS = MODEL_COLUMNS


class QueryTables(NamedTuple):
    """Definitions of `<query>`, `<query>_late` and of the audit tables behind them. source: the tables of the query's
    stream; state: where days leave what the next goes on from, None of queries whose days depend on no other's."""

    query: Query
    source: StreamTables
    results: Table
    late: Table
    audit: Table
    late_audit: Table
    state: Table | None = None

    @classmethod
    def of(cls, query: Query) -> "QueryTables":
        """From the query and its stream; the columns of aggregates and of a model's function come from the kernels."""
        stream = registry.stream(query.stream)
        aggregates = aggregate_columns(query, {column.name: column.type for column in stream.columns})
        of_function = function_columns(query) if isinstance(query, Model) else ()
        tables = query_tables(query, stream, (*aggregates, *of_function))
        state = None if query.window.context_free else state_table(query, stream)
        return cls(query, StreamTables.of(stream), *tables, state)


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
        required(TUPLES, "int64", f"events of the row that have a value in {', '.join(call.columns)}: what was given"),
        required(STATUS, "string", f"what {call.function} says: {', '.join(STATUSES)}, or a number of its own"),
        *(Column(name, "float64", f"{name} of {of}; null where it has none") for name in outputs),
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
