"""A query's tables: the rows that wait for the gate, what readers read, and what a day leaves for the next."""

from typing import NamedTuple

from pipelines.tables.aggregates import aggregate_columns
from pipelines.tables.model_columns import function_columns
from pipelines.tables.stream_tables import StreamTables
from schemas import registry
from schemas.model import Model
from schemas.query import Query
from schemas.state_table import state_table
from schemas.tables import Table, query_tables


class QueryTables(NamedTuple):
    """Definitions of `<query>`, `<query>_late` and of the audit tables behind them.

    source: the tables of the stream that the query reads; state: where days leave what the next one goes on from, None
    of queries whose days depend on no other's
    """

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
