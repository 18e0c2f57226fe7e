"""Of which queries panes can be kept, and in which table (schemas/side_tables.py)."""

from windrow.kernels.kinds import window_kind
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas.side_tables import panes_table, why_not_folded
from windrow.schemas.tables import Table


def why_no_panes(tables: QueryTables) -> str | None:
    """Why no panes of a query can be kept, by what it asks for; None where they can."""
    query = tables.query
    if query.windows is not None:
        return "only those of queries with one window are kept"
    if not query.window.context_free or not window_kind(query.window.kind).holds_panes:
        return f"{query.window.kind} windows aren't made of panes"
    return why_not_folded(query, tables.source.stream)


def pane_table(tables: QueryTables) -> Table:
    """Of a query whose panes can be kept."""
    return panes_table(tables.query, tables.source.stream)
