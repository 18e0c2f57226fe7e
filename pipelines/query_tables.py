"""A query's four tables: the rows that wait for the gate, and what readers read."""

from typing import NamedTuple

from pipelines.replaying import aggregate_columns
from schemas.query import Query
from schemas.registry import stream as stream_named
from schemas.tables import Table, late_table, window_table


class QueryTables(NamedTuple):
    """Definitions of `<query>`, `<query>_late` and of the audit tables behind them."""

    results: Table
    late: Table
    audit: Table
    late_audit: Table

    @classmethod
    def of(cls, query: Query) -> "QueryTables":
        """From the query and its stream; the aggregates' columns come from the kernels."""
        stream = stream_named(query.stream)
        types = {column.name: column.type for column in stream.columns}
        aggregates = aggregate_columns(query, types)
        return cls(
            window_table(query, stream, aggregates),
            late_table(query, stream),
            window_table(query, stream, aggregates, "_audit"),
            late_table(query, stream, "_audit"),
        )
