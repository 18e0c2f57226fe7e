"""The drawing of a stream's tables: as SVG of the page itself, so that each name is a link."""

from collections.abc import Collection
from html import escape

from windrow.pipelines.report.page import Prose
from windrow.schemas import registry
from windrow.schemas.stream import Stream

_LAYERS = ("landing folder", "bronze, quarantine", "silver, pass ticks", "results", "late events")
_LAYER_PX, _LINE_PX, _LEFT_PX, _TOP_PX = 215, 38, 110, 30


def drawing(stream: Stream, names: Collection[str]) -> Prose:
    """Tables by layer, each layer around the middle line, joined by what is made from what. names: of the tables that
    the page lists: they are links."""
    layers, edges = layers_and_edges(stream)
    lines = max(map(len, layers))
    places = {
        table: (_LEFT_PX + _LAYER_PX * layer, _TOP_PX + _LINE_PX * (place + (lines - len(tables)) / 2))
        for layer, tables in enumerate(layers)
        for place, table in enumerate(tables)
    }
    joined = "".join(_curve(*places[before], *places[after]) for before, after in edges)
    drawn = "".join(_table(table, x, y, table in names) for table, (x, y) in places.items())
    width, height = 2 * _LEFT_PX + _LAYER_PX * (len(layers) - 1), _TOP_PX + _LINE_PX * lines
    title = escape(f"{stream.name}: {', '.join(_LAYERS)}")
    svg = f'<svg viewBox="0 0 {width} {height}" role="group" aria-label="{title}">{joined}{drawn}</svg>'
    caption = (
        f"{escape(stream.title)}. From left to right: {', '.join(_LAYERS)}. A blue table is in the lake: its name "
        "leads to its columns. A grey one is not made yet. Results have <code>_audit</code> tables before the gate."
    )
    scrolled = f'<div class="scroll lineage">{svg}</div>'
    return Prose(f'<h3>{escape(stream.name)}</h3>{scrolled}<p class="caption">{caption}</p>')


def layers_and_edges(stream: Stream) -> tuple[list[list[str]], list[tuple[str, str]]]:
    """The tables of a stream and of its queries, layer by layer, and which is made from which."""
    landing, kinds = f"landing/ ({stream.name})", ("bronze", "quarantine", "silver", "pass")
    bronze, quarantine, silver, passes = (f"{kind}_{stream.name}" for kind in kinds)
    queries = [query.name for query in registry.queries_of(stream.name)]
    late = [f"{query}_late" for query in queries]
    edges = [(landing, bronze), (bronze, silver), (bronze, quarantine), (silver, passes)]
    edges += [*((silver, query) for query in queries), *zip(queries, late, strict=True)]
    return [[landing], [bronze, quarantine], [silver, passes], queries, late], edges


def _curve(x: float, y: float, x2: float, y2: float) -> str:
    middle = (x + x2) / 2
    return f'<path d="M{x:g} {y:g} C{middle:g} {y:g} {middle:g} {y2:g} {x2:g} {y2:g}"/>'


def _table(table: str, x: float, y: float, is_listed: bool) -> str:
    shown = f'<circle cx="{x:g}" cy="{y:g}" r="5"/><text x="{x:g}" y="{y - 9:g}">{escape(table)}</text>'
    return f'<a href="#{escape(table)}">{shown}</a>' if is_listed else shown
