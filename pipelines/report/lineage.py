"""The page of lineage: streams, their tables, the queries that read them, and every column: its unit, its meaning, what
it is made from, and what is made from it."""

from collections.abc import Iterable

from deltalake import DeltaTable, Field
from rich import filesize

from windrow.pipelines import storage
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.report.lineage_drawing import drawing
from windrow.pipelines.report.page import Anchor, Link, PageTable, Remark, ReportPage, Section
from windrow.pipelines.report.queries.results import unit_of
from windrow.pipelines.tables.column_lineage import ColumnPlace, Sources, sources, users
from windrow.schemas import registry, tables
from windrow.schemas.ledger_tables import LEDGER
from windrow.schemas.query import Query

PAGE = "lineage.html"
_COLUMNS = ("column", "type", "unit", "meaning", "made from", "makes")


def lineage_page(lake: Lake) -> ReportPage:
    lead = "From the landing folder to results: which table and which column is made from which, and what each means."
    found = {
        name: storage.delta_table(lake.folder(name)) for name in sorted(lake.names()) if not name.endswith("_audit")
    }
    drawings = Section("", tuple(drawing(stream, found) for stream in registry.streams().values()))
    return ReportPage(PAGE, "Lineage", "Lineage", lead, (drawings, Section("Columns", tuple(_columns(lake, found)))))


def _columns(lake: Lake, found: dict[str, DeltaTable]) -> list[PageTable | Remark]:
    if not found:
        return [Remark("The lake holds no table yet. Begin with:", command="windrow ingest STREAM")]
    made_from = sources({name: [field.name for field in table.schema().fields] for name, table in found.items()})
    makes = users(made_from)
    return [_listing(lake, name, table, made_from, makes) for name, table in found.items()]


def _listing(lake: Lake, name: str, table: DeltaTable, made_from: Sources, makes: Sources) -> PageTable:
    actions = lake.add_actions(name)
    rows, bytes_ = (sum(actions.column(column).to_pylist()) for column in ("num_records", "size_bytes"))
    units = _units(name)
    shown = [
        (
            Anchor(field.name, str(place), (field.metadata or {}).get("comment", "")),
            _type(field),
            units.get(field.name) or "",
            (field.metadata or {}).get("comment", ""),
            _links(made_from.get(place, ())),
            _links(makes.get(place, ())),
        )
        for field in table.schema().fields
        for place in [ColumnPlace(name, field.name)]
    ]
    title = f"{name}: {rows:,} rows, {filesize.decimal(bytes_)}"
    return PageTable(title, _COLUMNS, shown, table.metadata().description or "", "folded", name)


def _links(places: Iterable[ColumnPlace]) -> tuple[Link, ...]:
    return tuple(Link(str(place), f"#{place}") for place in places)


def _type(field: Field) -> str:
    return str(field.type.type if hasattr(field.type, "type") else field.type)


def _units(name: str) -> dict[str, str | None]:
    of_streams = [table for stream in registry.streams().values() for table in tables.ingest_tables(stream)]
    defined = {table.name: table for table in (*of_streams, *LEDGER.values())}
    if name in defined:
        return {column.name: column.unit for column in defined[name].columns}
    query = registry.queries().get(name.removesuffix("_late"))
    return {} if query is None else _units_of_query(query, name)


def _units_of_query(query: Query, name: str) -> dict[str, str | None]:
    stream = registry.stream(query.stream)
    keys = {column.name: column.unit for column in tables.key_columns(query, stream)}
    if name != query.name:
        return keys | {column.name: column.unit for column in tables.late_table(query, stream).columns}
    return keys | {column: unit_of(query, stream, column) for column in query.aggregates}
