"""The page of lineage: streams, their tables, the queries that read them, and every column with its unit."""

import altair as alt
from deltalake import Field
from rich import filesize

from windrow.pipelines import storage
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.report import figure as f
from windrow.pipelines.report.page import PageFigure, PageTable, Remark, ReportPage, Section
from windrow.pipelines.report.queries.results import unit_of
from windrow.schemas import registry, tables
from windrow.schemas.ledger_tables import LEDGER
from windrow.schemas.query import Query
from windrow.schemas.stream import Stream

PAGE = "lineage.html"
_LAYERS = ("landing folder", "bronze, quarantine", "silver, pass ticks", "results", "late events")
_READ, _MISSING = "in the lake", "not made yet"


def lineage_page(lake: Lake) -> ReportPage:
    lead = "From the landing folder to results: which table is made from which, and what each column means."
    names = set(lake.names())
    drawings = [Section("", tuple(drawing(stream, names) for stream in registry.streams().values()))]
    sections = [*drawings, Section("Columns", tuple(_columns(lake, names)))]
    return ReportPage(PAGE, "Lineage", "Lineage", lead, tuple(sections))


def layers_and_edges(stream: Stream) -> tuple[list[list[str]], list[tuple[str, str]]]:
    """The tables of a stream and of its queries, layer by layer, and which is made from which."""
    landing, kinds = f"landing/ ({stream.name})", ("bronze", "quarantine", "silver", "pass")
    bronze, quarantine, silver, passes = (f"{kind}_{stream.name}" for kind in kinds)
    queries = [query.name for query in registry.queries_of(stream.name)]
    late = [f"{query}_late" for query in queries]
    edges = [(landing, bronze), (bronze, silver), (bronze, quarantine), (silver, passes)]
    edges += [*((silver, query) for query in queries), *zip(queries, late, strict=True)]
    return [[landing], [bronze, quarantine], [silver, passes], queries, late], edges


def drawing(stream: Stream, names: set[str]) -> PageFigure:
    """Tables as boxes by layer, each layer around the middle line, joined by lines. Grey: not in this lake yet."""
    layers, edges = layers_and_edges(stream)
    lines = max(map(len, layers))
    boxes = [
        {"table": table, "layer": layer, "line": place + (lines - len(tables)) / 2, "kind": _LAYERS[layer],
         "state": _READ if layer == 0 or table in names else _MISSING}
        for layer, tables in enumerate(layers) for place, table in enumerate(tables)
    ]  # fmt: skip
    places = {box["table"]: (box["layer"], box["line"]) for box in boxes}
    joined = [dict(zip(("x", "y", "x2", "y2"), places[before] + places[after], strict=True)) for before, after in edges]
    x = {"scale": alt.Scale(domain=[-0.45, 4.5]), "axis": None}
    y = {"scale": alt.Scale(domain=[lines - 0.4, -0.6]), "axis": None}
    rules = f.chart(joined).mark_rule(opacity=0.5)
    edges_drawn = rules.encode(x=alt.X("x:Q", **x), y=alt.Y("y:Q", **y), x2="x2:Q", y2="y2:Q")
    tips = ["table:N", alt.Tooltip("kind:N", title="layer"), "state:N"]
    base = f.chart(boxes).encode(x=alt.X("layer:Q", **x), y=alt.Y("line:Q", **y), tooltip=tips)
    dots = base.mark_circle(size=110, opacity=1).encode(color=f.colours("state", {_READ: f.BLUE, _MISSING: f.GREY}))
    labels = base.mark_text(align="center", dy=-11, fontSize=11, limit=210).encode(text="table:N")
    chart, height_px = alt.layer(edges_drawn, dots, labels), 70 + 34 * lines
    caption = (
        f"{stream.title}. From left to right: {', '.join(_LAYERS)}. Results also have `_audit` tables before the gate."
    )
    return f.figure(f"lineage-{stream.name}", stream.name, caption, chart, height_px, wide=True)


def _columns(lake: Lake, names: set[str]) -> list[PageTable | Remark]:
    if not names:
        return [Remark("The lake holds no table yet. Begin with:", command="windrow ingest STREAM")]
    return [_listing(lake, name) for name in sorted(names) if not name.endswith("_audit")]


def _listing(lake: Lake, name: str) -> PageTable:
    actions = lake.add_actions(name)
    rows, bytes_ = (sum(actions.column(column).to_pylist()) for column in ("num_records", "size_bytes"))
    table = storage.delta_table(lake.folder(name))
    units = _units(name)
    shown = [
        (field.name, _type(field), units.get(field.name) or "", (field.metadata or {}).get("comment", ""))
        for field in table.schema().fields
    ]
    title = f"{name}: {rows:,} rows, {filesize.decimal(bytes_)}"
    return PageTable(title, ("column", "type", "unit", "meaning"), shown, table.metadata().description or "", "folded")


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
