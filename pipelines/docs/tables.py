"""docs/tables.md: every table. What all tables of a kind have in common stands once, under the name of the kind."""

from collections.abc import Iterable
from typing import NamedTuple

from windrow.pipelines.docs.markdown import columns_grid, joined, page
from windrow.pipelines.report import dag_text
from windrow.pipelines.tables.pane_tables import pane_table, why_no_panes
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas.erased import erased_table
from windrow.schemas.ledger_tables import LEDGER
from windrow.schemas.query import Query
from windrow.schemas.registry import queries, queries_of, streams
from windrow.schemas.side_tables import lateness_table, nowcast_table
from windrow.schemas.stream import Column, Stream
from windrow.schemas.tables import Table, ingest_tables

STREAM, QUERY = "<stream>", "<query>"
BESIDE_PANES = (
    "The columns of the query's key come first. Aggregate number i has also `recounted_i`, `values_i` and "
    "`magnitude_i`: its plain recount, the number of values in it, and their magnitude. You may remove the table."
)
BESIDE_NOWCASTS = (
    "Queries with `nowcast` have it. The columns of the query's key come first. A count or sum `n` has also "
    "`n_expected`, `n_low` and `n_high`: its expected final value, and the interval of 90 %."
)


class TableKind(NamedTuple):
    """Tables of which each stream, or query, has one."""

    like: Table
    shared: tuple[Column, ...]

    @classmethod
    def of(cls, tables: Iterable[tuple[str, Table]], placeholder: str) -> "TableKind":
        """What these tables of (owner, table) have in common; `like` is the first, named after no owner."""
        all_tables = list(tables)
        owner, first = all_tables[0]
        shared = tuple(each for each in first.columns if all(each in table.columns for _, table in all_tables))
        name, comment = (text.replace(owner, placeholder) for text in (first.name, first.comment))
        return cls(Table(name, comment, shared, first.partition_by, (), first.constraints), shared)

    def own(self, table: Table) -> tuple[Column, ...]:
        """The columns that not every table of the kind has."""
        return tuple(each for each in table.columns if each not in self.shared)


def tables_page() -> str:
    """Every table with its columns."""
    of_streams, of_queries = _stream_kinds(), _query_kinds()
    own: list[str] = []
    for stream in streams().values():
        own += [f"## Stream {stream.name}", *_own_of_stream(stream, of_streams)]
        own += [part for query in queries_of(stream.name) for part in _own_of_query(query, of_queries)]
    keyed = [_table(kind.like, "The columns of the query's key come first, then:") for kind in of_queries]
    keyed.append(_table(_of_panes().like, BESIDE_PANES))
    keyed += [_table(kind.like, BESIDE_NOWCASTS) for kind in _of_nowcasts()]
    return page(
        "tables",
        of_streams=joined(_table(kind.like) for kind in (*of_streams, _of_erased())),
        of_queries=joined([*keyed, _table(lateness_table(QUERY), "The table has no columns of the query's key.")]),
        own=joined(own),
        ledger=joined(map(_table, LEDGER.values())),
    )


def _stream_kinds() -> list[TableKind]:
    each = [[(stream.name, table) for table in ingest_tables(stream)] for stream in streams().values()]
    return [TableKind.of(tables, STREAM) for tables in zip(*each, strict=True)]


def _query_kinds() -> list[TableKind]:
    made = [QueryTables.of(query) for query in queries().values()]
    with_state = [(each.query.name, each.state) for each in made if each.state]
    kinds = [
        [(each.query.name, each.results) for each in made],
        [(each.query.name, each.late) for each in made],
        with_state,
    ]
    return [TableKind.of(tables, QUERY) for tables in kinds if tables]


def _of_erased() -> TableKind:
    return TableKind.of([(stream.name, erased_table(stream)) for stream in streams().values()], STREAM)


def _of_panes() -> TableKind:
    every = [QueryTables.of(query) for query in queries().values()]
    kept = [(each.query.name, pane_table(each)) for each in every if why_no_panes(each) is None]
    return TableKind.of(kept, QUERY)


def _of_nowcasts() -> list[TableKind]:
    """What all have in common that there are, or could be."""
    could = [query for query in queries().values() if query.context_free and query.additive]
    made = [(query.name, nowcast_table(query, streams()[query.stream])) for query in could]
    return [TableKind.of(made, QUERY)] if made else []


def _own_of_stream(stream: Stream, kinds: list[TableKind]) -> list[str]:
    own = [(table, kind.own(table)) for table, kind in zip(ingest_tables(stream), kinds, strict=True)]
    listed = ", ".join(f"`{table.name}`" for table, columns in own if not columns)
    named = [_own(table, columns) for table, columns in own if columns]
    return [*named, f"Tables without further columns: {listed}."] if listed else named


def _own_of_query(query: Query, kinds: list[TableKind]) -> list[str]:
    results = QueryTables.of(query).results
    return [f"### Query {query.name}", dag_text.describe(query), _own(results, kinds[0].own(results))]


def _own(table: Table, columns: tuple[Column, ...]) -> str:
    notes = f"Sorted by {', '.join(table.sort_by)}." if table.sort_by else ""
    return joined([f"#### `{table.name}`", columns_grid(columns), notes])


def _table(table: Table, before: str = "") -> str:
    notes = [f"Partitioned by {', '.join(table.partition_by)}."] if table.partition_by else []
    notes += [f"Sorted by {', '.join(table.sort_by)}."] if table.sort_by else []
    notes += [f"Every row: {_code(condition)}." for _, condition in table.constraints]
    return joined([f"#### `{table.name}`", f"{table.comment}.", before, columns_grid(table.columns), " ".join(notes)])


def _code(condition: str) -> str:
    """As code, also where names in it are quoted by backticks."""
    return f"`` {condition} ``" if "`" in condition else f"`{condition}`"
