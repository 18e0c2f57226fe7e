"""The page of lateness curves: every table `lateness_<query>` of the lake, where there is one."""

import altair as alt

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate.recount import sql
from windrow.pipelines.report import figure as f
from windrow.pipelines.report import words
from windrow.pipelines.report.page import PageFigure, PageTable, Remark, ReportPage, Section
from windrow.pipelines.report.reader import Reader, reading
from windrow.schemas.registry import queries
from windrow.schemas.side_tables import lateness_name

PAGE, PREFIX = "lateness.html", lateness_name("")
_LATENESS = alt.X("lateness_seconds:Q", title="lateness", **f.length_axis())


def lateness_page(lake: Lake) -> ReportPage:
    lead = "How complete the on-time results would have been with each lateness, and how long one would have waited."
    found = [table for table in lake.names() if table.startswith(PREFIX) and table.removeprefix(PREFIX) in queries()]
    sections = tuple(_section(lake, table) for table in found)
    nothing = Section("", (Remark("No lateness curve was made in this lake yet: windrow whatif QUERY makes one."),))
    return ReportPage(PAGE, "Lateness curves", "Lateness", lead, sections or (nothing,))


def _section(lake: Lake, table: str) -> Section:
    with reading(lake, table) as reader:
        rows = reader.rows(f"SELECT * FROM {sql.name(table)} ORDER BY lateness_seconds")
        shown = [words.lateness_row(row) for row in rows]
        made_by = f"The table {table}, made by windrow whatif {table.removeprefix(PREFIX)}."
        listing = PageTable("", tuple(shown[0]), [tuple(each.values()) for each in shown], made_by)
        parts = (Remark(words.recommendation(rows)), curve(reader, table), delay(reader, table), listing)
        return Section(table.removeprefix(PREFIX), parts)


def curve(reader: Reader, table: str) -> PageFigure:
    rows = reader.table(f"""
        SELECT lateness_seconds, unnest(['windows complete on time', 'events on time']) AS share_of,
            unnest([complete_share, on_time_share]) AS share FROM {sql.name(table)} ORDER BY ALL""")
    marks = f.chart(rows).mark_line(point=True)
    chart = marks.encode(
        x=_LATENESS,
        y=alt.Y("share:Q", title=None, axis=alt.Axis(format="%"), scale=alt.Scale(zero=False)),
        color=alt.Color("share_of:N", title=None),
        tooltip=["share_of:N", f.tip("lateness_seconds"), f.tip("share", format=".3%")],
    )
    caption = "More lateness makes on-time results more complete; where the curve is flat, it only costs time."
    return f.figure(f"curve-{table}", "Completeness", caption, chart)


def delay(reader: Reader, table: str) -> PageFigure:
    rows = reader.table(f"SELECT lateness_seconds, delay_median_seconds FROM {sql.name(table)} ORDER BY ALL")
    marks = f.chart(rows).mark_line(point=True, color=f.ORANGE)
    chart = marks.encode(
        x=_LATENESS,
        y=alt.Y("delay_median_seconds:Q", title="median delay", **f.length_axis()),
        tooltip=[f.tip("lateness_seconds"), f.tip("delay_median_seconds", format=",.3~f")],
    )
    caption = "From the end of a window to its row on time, of the window in the middle."
    return f.figure(f"delay-{table}", "Delay", caption, chart)
