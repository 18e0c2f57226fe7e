"""The table of panes that runs of a query keep (schemas/side_tables.py), by the types of what its aggregates read."""

from windrow.kernels.kinds import window_kind
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas.query import Aggregate, Query
from windrow.schemas.side_tables import panes_table
from windrow.schemas.tables import Table
from windrow.schemas.validation import TIMES

FOLDED = {"count": "count", "sum": "sum", "mean": "sum", "min": "min", "max": "max"}
"""Aggregates whose recounts in panes can be put together, and the function of SQL that counts one."""
RECOUNTED_AS = {**dict.fromkeys(("int64", "bool", "timestamp", "date"), "int64"), "float64": "float64"}
"""Types of columns, and that of numbers by which the gate counts them again. Strings have none."""


def why_no_panes(tables: QueryTables) -> str | None:
    """Why no panes of a query can be kept, by what it asks for; None where they can."""
    query = tables.query
    if type(query) is not Query or query.windows is not None:
        return "only those of plain queries with one window are kept"
    if not query.window.context_free or not window_kind(query.window.kind).holds_panes:
        return f"{query.window.kind} windows aren't made of panes"
    if query.emit == "arrival":
        return "with emit 'arrival' a revision depends on each arrival"
    for name, each in query.aggregates.items():
        if each.function not in FOLDED or _recounted_as(tables, each) is None:
            return f"{name} can't be counted again by panes"
    return None


def pane_table(tables: QueryTables) -> Table:
    """Of a query whose panes can be kept."""
    types = {name: _recounted_as(tables, each) or "" for name, each in tables.query.aggregates.items()}
    return panes_table(tables.query, tables.source.stream, types)


def _recounted_as(tables: QueryTables, aggregate: Aggregate) -> str | None:
    if aggregate.function == "count":
        return "int64"
    types = {column.name: column.type for column in tables.source.stream.columns} | TIMES
    return RECOUNTED_AS.get(aggregate.values[0].expression.type_in(types) or "")
