"""The page of lateness curves: of every query the curve of the newest days, or the one that `windrow whatif` made,
until events of a newer day have arrived."""

from pathlib import Path
from typing import Any

import altair as alt

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.report import figure as f
from windrow.pipelines.report import words
from windrow.pipelines.report.newest_curves import EVERY, MOST_DAYS, MOST_EVENTS, NewestCurves
from windrow.pipelines.report.page import PageFigure, PageTable, Remark, ReportPage, Section
from windrow.pipelines.report.streams.page import is_ingested
from windrow.schemas import registry
from windrow.schemas.errors import WindrowError
from windrow.schemas.query import WINDOW_NAME, Query
from windrow.schemas.side_tables import lateness_name

PAGE = "lateness.html"
_LATENESS = alt.X("lateness_seconds:Q", title="lateness", **f.length_axis())
_SHARES = {"complete_share": f.BLUE, "on_time_share": f.ORANGE}


def lateness_page(lake: Lake, folder: Path, making: Path) -> ReportPage:
    """folder: of an earlier report, whose curves are taken where nothing has changed; making: of this one."""
    lead = "How complete the on-time results would have been with each lateness, and how long one would have waited."
    curves = NewestCurves(lake, folder)
    ingested = [query for query in registry.queries().values() if is_ingested(lake, registry.stream(query.stream))]
    sections = [each for query in ingested if query.context_free for each in _sections(lake, query, curves)]
    curves.keep(making)
    if others := [query.name for query in ingested if not query.context_free]:
        why = "have no curve, since their windows depend on their key's other events"
        text = f"These queries {why}: {', '.join(others)}."
        sections.append(Section("Other queries", (Remark(text),)))
    nothing = Section("", (Remark("Nothing was ingested yet. Begin with:", command="windrow ingest STREAM"),))
    return ReportPage(PAGE, "Lateness curves", "Lateness", lead, tuple(sections) or (nothing,))


def _sections(lake: Lake, query: Query, curves: NewestCurves) -> list[Section]:
    """One for each window."""
    try:
        rows, asked = curves.rows(query), _asked(lake, query)
    except WindrowError as error:
        return [Section(query.name, (Remark(str(error), "bad"),))]
    if asked and (not rows or asked[0]["last_arrival_day"] >= rows[0]["last_arrival_day"]):
        rows = asked
    if not rows:
        many = f"The newest day has more than {MOST_EVENTS:,} events, or none: no curve was made. To make one:"
        return [Section(query.name, (Remark(many, command=f"windrow whatif {query.name}"),))]
    by_window = {name: [row for row in rows if row.get(WINDOW_NAME) == name] for name in query.parts}
    return [_section(query, ", ".join(filter(None, (query.name, name))), each) for name, each in by_window.items()]


def _section(query: Query, title: str, rows: list[dict[str, Any]]) -> Section:
    shown = [words.lateness_row(row) for row in rows]
    listing = PageTable("", tuple(shown[0]), [tuple(each.values()) for each in shown], _made_from(query, rows))
    figures = _curve(title.replace(", ", "-"), rows), _delay(title.replace(", ", "-"), rows)
    return Section(title, (Remark(words.recommendation(rows)), *figures, listing))


def _asked(lake: Lake, query: Query) -> list[dict[str, Any]]:
    """What `windrow whatif` kept."""
    table = lateness_name(query.name)
    return [] if lake.version(table) is None else lake.read(table).sort_by("lateness_seconds").to_pylist()


def _made_from(query: Query, rows: list[dict[str, Any]]) -> str:
    every = rows[0].get(EVERY)
    if every is None:
        return f"The table {lateness_name(query.name)}, made by `windrow whatif {query.name}`."
    keys = "all keys" if every == 1 else f"every {every}th key"
    return (
        f"The curve covers {keys}, at most {MOST_DAYS} arrival days, and at most {MOST_EVENTS:,} events. "
        f"`windrow whatif {query.name}` makes one of all keys and any days."
    )


def _curve(name: str, rows: list[dict[str, Any]]) -> PageFigure:
    shown = [
        {"lateness_seconds": row["lateness_seconds"], "of": each, "share": row[each]}
        for row in rows
        for each in _SHARES
    ]
    marks = f.chart(shown).mark_line(point=True)
    chart = marks.encode(
        x=_LATENESS,
        y=alt.Y("share:Q", title=None, axis=alt.Axis(format="%"), scale=alt.Scale(zero=False)),
        color=f.colours("of", _SHARES),
        tooltip=["of:N", f.tip("lateness_seconds"), f.tip("share", format=".3%")],
    )
    caption = (
        "`complete_share` is the share of windows whose row on time had all of their events, `on_time_share` the share "
        "of events that came in time. Where a curve is flat, more lateness only costs time."
    )
    return f.figure(f"curve-{name}", "Completeness", caption, chart)


def _delay(name: str, rows: list[dict[str, Any]]) -> PageFigure:
    shown = [{name: row[name] for name in ("lateness_seconds", "delay_median_seconds")} for row in rows]
    marks = f.chart(shown).mark_line(point=True, color=f.ORANGE)
    chart = marks.encode(
        x=_LATENESS,
        y=alt.Y("delay_median_seconds:Q", title="delay_median_seconds", **f.length_axis()),
        tooltip=[f.tip("lateness_seconds"), f.tip("delay_median_seconds", format=",.3~f")],
    )
    caption = "The median time from the end of a window to its row on time."
    return f.figure(f"delay-{name}", "Delay", caption, chart)
