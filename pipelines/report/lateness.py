"""The page of lateness curves: every table `lateness_<query>` of the lake, where there is one."""

import altair as alt

from pipelines.lake.lake import Lake
from pipelines.report import figure as f
from pipelines.report.figure import PageFigure
from pipelines.report.lengths import length
from pipelines.report.page import PageTable, Remark, ReportPage, Section
from pipelines.report.reader import Reader, name, reading
from schemas.registry import queries

PAGE, PREFIX = "lateness.html", "lateness_"
COLUMNS = (
    "query",
    "lateness_seconds",
    "windows",
    "complete_share",
    "on_time_share",
    "late_events",
    "delay_mean_seconds",
)


def lateness_page(lake: Lake) -> ReportPage:
    """A curve and its table per query."""
    lead = "How complete the on-time results would have been with each lateness, and how long one would have waited."
    found = [table for table in lake.names() if table.startswith(PREFIX) and table.removeprefix(PREFIX) in queries()]
    sections = tuple(_section(lake, table) for table in found)
    nothing = Section("", (Remark("No table lateness_<query> is in this lake yet: no lateness curve was made."),))
    return ReportPage(PAGE, "Lateness curves", "Lateness", lead, sections or (nothing,))


def _section(lake: Lake, table: str) -> Section:
    with reading(lake, table) as reader:
        return Section(
            table.removeprefix(PREFIX), (curve(reader, table), delay(reader, table), _listing(reader, table))
        )


def _lateness() -> alt.X:
    return alt.X("lateness_seconds:Q", title="lateness", **f.length_axis())


def curve(reader: Reader, table: str) -> PageFigure:
    """Shares by lateness."""
    rows = reader.table(f"""
        SELECT lateness_seconds, unnest(['windows complete on time', 'events on time']) AS share_of,
            unnest([complete_share, on_time_share]) AS share FROM {name(table)} ORDER BY ALL""")
    chart = (
        alt.Chart(f.data(rows))
        .mark_line(point=True)
        .encode(
            x=_lateness(),
            y=alt.Y("share:Q", title=None, axis=alt.Axis(format="%")),
            color=alt.Color("share_of:N", title=None),
            tooltip=["share_of:N", alt.Tooltip("lateness_seconds:Q", format=","), alt.Tooltip("share:Q", format=".3%")],
        )
    )
    caption = "More lateness makes on-time results more complete; where the curve is flat, it only costs time."
    return f.figure(f"curve-{table}", "Completeness", caption, f.sized(chart))


def delay(reader: Reader, table: str) -> PageFigure:
    """What the completeness costs."""
    rows = reader.table(f"SELECT lateness_seconds, delay_mean_seconds FROM {name(table)} ORDER BY ALL")
    chart = (
        alt.Chart(f.data(rows))
        .mark_line(point=True, color=f.ORANGE)
        .encode(
            x=_lateness(),
            y=alt.Y("delay_mean_seconds:Q", title="mean delay", **f.length_axis()),
            tooltip=[
                alt.Tooltip("lateness_seconds:Q", format=","),
                alt.Tooltip("delay_mean_seconds:Q", format=",.3~f"),
            ],
        )
    )
    caption = "From the end of a window to its on-time row, on average."
    return f.figure(f"delay-{table}", "Delay", caption, f.sized(chart))


def _listing(reader: Reader, table: str) -> PageTable:
    rows = reader.rows(f"SELECT {', '.join(map(name, COLUMNS[1:]))} FROM {name(table)} ORDER BY lateness_seconds")
    shown = [
        (
            length(row["lateness_seconds"]),
            row["windows"],
            f"{row['complete_share']:.2%}",
            f"{row['on_time_share']:.2%}",
            row["late_events"],
            length(row["delay_mean_seconds"]),
        )
        for row in rows
    ]
    columns = ("lateness", "windows", "complete on time", "events on time", "late events", "mean delay")
    return PageTable("", columns, shown, f"The table {table}.")
