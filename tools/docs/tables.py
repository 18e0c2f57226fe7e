"""docs/tables.md: every table with its columns."""

from pipelines.lake.query_tables import QueryTables
from pipelines.report import dag_text
from schemas.ledger_tables import LEDGER
from schemas.query import Query
from schemas.registry import queries_of, streams
from schemas.tables import Table, ingest_tables
from tools.docs.columns import columns_grid
from tools.docs.markdown import MADE, page


def tables_page() -> str:
    """Every table with its columns."""
    parts = [
        "# Tables",
        MADE,
        "One folder per table below `var/lake` (or `$WINDROW_HOME/lake`). Times are UTC. "
        "`windrow tables` lists those that exist; `windrow query` reads them.",
    ]
    for stream in streams().values():
        parts += [f"## Stream {stream.name}", *(_table(table) for table in ingest_tables(stream))]
        parts += [part for query in queries_of(stream.name) for part in _query_tables(query)]
    return page([*parts, "## Ledger", *map(_table, LEDGER.values())])


def _query_tables(query: Query) -> list[str]:
    tables = QueryTables.of(query)
    same = (
        f"`{tables.audit.name}` and `{tables.late_audit.name}` have the same columns: what a run made, "
        f"let through by the gate or not."
    )
    views = (
        f"`{query.name}_final` is every window's newest revision, `{query.name}_as_of(t)` what was known "
        "at `t` ([semantics](semantics.md))."
    )
    return [
        f"### Query {query.name}",
        dag_text.describe(query),
        _table(tables.results),
        views,
        _table(tables.late),
        same,
        *([_table(tables.state)] if tables.state else []),
    ]


def _table(table: Table) -> str:
    notes = [f"Partitioned by {', '.join(table.partition_by)}."] if table.partition_by else []
    notes += [f"Sorted by {', '.join(table.sort_by)}."] if table.sort_by else []
    notes += [f"Every row: `{condition}`." for _, condition in table.constraints]
    parts = [f"#### `{table.name}`", f"{table.comment}.", columns_grid(table.columns), " ".join(notes)]
    return "\n\n".join(part for part in parts if part)
