"""The page of lateness curves: every table `lateness_<query>` of the lake, where there is one."""

from datetime import timedelta

import altair as alt

from pipelines.delta.lake import Lake
from pipelines.gate.recount import sql
from pipelines.report import figure as f
from pipelines.report.page import PageFigure, PageTable, Remark, ReportPage, Section
from pipelines.report.reader import Reader, reading
from pipelines.report.words import length
from schemas.registry import queries
from schemas.side_tables import lateness_name
from schemas.spelling import in_words

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
        parts = (_recommendation(reader, table), curve(reader, table), delay(reader, table), _listing(reader, table))
        return Section(table.removeprefix(PREFIX), parts)


def _recommendation(reader: Reader, table: str) -> Remark:
    [best] = reader.rows(f"SELECT * FROM {sql.name(table)} WHERE is_recommended")
    [own] = reader.rows(f"SELECT * FROM {sql.name(table)} WHERE is_own")
    best_length, own_length = _words(best["lateness_seconds"]), _words(own["lateness_seconds"])
    return Remark(
        f"Events that arrived {best['first_arrival_day']} to {best['last_arrival_day']}: a lateness of {best_length} "
        f"makes at least {100 * best['complete_asked']:g} % of the windows complete on time. The query's is "
        f"{own_length}: {own['complete_share']:.3%} of the windows. Made by windrow whatif {best['query']}."
    )


def _words(lateness_s: float) -> str:
    return in_words(timedelta(seconds=lateness_s))


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


def _listing(reader: Reader, table: str) -> PageTable:
    rows = reader.tuples(f"""
        SELECT lateness_seconds, windows, complete_share, on_time_share, late_events, delay_median_seconds,
            delay_mean_seconds FROM {sql.name(table)} ORDER BY lateness_seconds""")
    shown = [
        (_words(lateness_s), windows, f"{complete:.3%}", f"{on_time:.3%}", late, length(median_s), length(mean_s))
        for lateness_s, windows, complete, on_time, late, median_s, mean_s in rows
    ]
    columns = ("lateness", "windows", "complete on time", "events on time", "late events", "median delay", "mean delay")
    return PageTable("", columns, shown, f"The table {table}.")
