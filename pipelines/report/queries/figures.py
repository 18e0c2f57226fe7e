"""The figures of a query, from the table that results.py keeps."""

import altair as alt
import pyarrow as pa

from windrow.pipelines.gate.recount import sql
from windrow.pipelines.report import figure as f
from windrow.pipelines.report.page import PageFigure
from windrow.pipelines.report.queries.results import KeptResults, key_columns, titled
from windrow.pipelines.report.reader import Reader

PANES = {"early": f.PURPLE, "on_time": f.BLUE, "late": f.ORANGE, "final": f.GREEN}
_OF_WINDOWS = {
    **{"on_time": f.BLUE, "on_time, late": f.ORANGE, "late": f.RED, "final": f.GREEN},
    **{"early": f.PURPLE, "early, late": f.GREY},
}
_KEYS, _POINTS, _WINDOWS, _COMPARED = 5, 220, 14, 250
WINDOW = "key, window_start, window_end, window_number"


def unit_of_length(longest_s: float) -> tuple[str, int]:
    """That of a figure's lengths of time: its name, and how many seconds it has."""
    return ("hours", 3_600) if longest_s >= 7_200 else ("minutes", 60) if longest_s >= 600 else ("seconds", 1)


def chosen(results: KeptResults, parameter: str) -> tuple[alt.Parameter, str]:
    """The choice among the measures, and the expression of its value."""
    return f.choice(parameter, "shows", list(results.measures), results.titles), f"datum[{parameter}]"


def pane_colours(rows: pa.Table, **others: str) -> alt.Scale:
    """Of the panes of these rows, and of what is drawn besides."""
    there = set(rows["pane"].to_pylist())
    shown = {pane: colour for pane, colour in PANES.items() if pane in there} | others
    return alt.Scale(domain=list(shown), range=list(shown.values()))


def measure_axis(results: KeptResults, parameter: str, format: str = "~s") -> alt.Axis:
    """Of the measure that is chosen: whole numbers have whole ticks."""
    step = f"indexof({list(results.whole)}, {parameter}) < 0 ? 0 : {f.WHOLE_STEP}"
    return alt.Axis(format=format, tickMinStep=alt.ExprRef(step))


def listed(results: KeptResults) -> str:
    return ", ".join(map(sql.name, results.measures))


def measured_tips(results: KeptResults) -> list[alt.Tooltip]:
    """Every measure of a row, for the reader who points at it."""
    return [f.tip(measure, titled(measure, unit), ",.6~g") for measure, unit in results.measures.items()]


def over_time(reader: Reader, results: KeptResults) -> PageFigure:
    """What turned out to be true, for the keys with the most events."""
    rows = reader.table(f"""
        WITH largest AS (SELECT key, sum(events) AS most FROM results WHERE is_final GROUP BY key
            ORDER BY most DESC, key LIMIT {_KEYS}),
        placed AS (SELECT *, row_number() OVER (PARTITION BY key ORDER BY window_start, window_number) AS place,
            count(*) OVER (PARTITION BY key) AS windows FROM results SEMI JOIN largest USING (key)
            WHERE is_final AND events > 0)
        SELECT key, window_start, {listed(results)} FROM placed
        WHERE place % (windows // {_POINTS} + 1) = 0 OR windows <= {_POINTS} ORDER BY key, window_start""")
    shown, value = chosen(results, "result_measure")
    key = alt.Color("key:N", title=", ".join(key_columns(results.query)) or None)
    chart = (
        f.chart(rows)
        .transform_calculate(shown=value)
        .mark_line(point={"size": 14}, strokeWidth=1.4)
        .encode(
            x=f.time_axis("window_start", "start of the window"),
            y=alt.Y("shown:Q", title=None, axis=measure_axis(results, "result_measure")),
            color=key,
            tooltip=["key:N", f.time_tip("window_start", "window from"), *measured_tips(results)],
        )
        .add_params(shown)
    )
    caption = (
        f"The newest revision of each window, for the {_KEYS} keys with the most events. A key with many windows shows "
        f"every n-th, at most {_POINTS}. `{results.query.name}_final` has all."
    )
    return f.figure("over-time", "Result over time", caption, chart, 300)


def completeness(reader: Reader, results: KeptResults) -> PageFigure:
    """How many windows were right on time, by time of the window."""
    [span] = reader.rows("SELECT date_diff('day', min(window_start), max(window_start)) AS days FROM results")
    unit = "hour" if span["days"] <= 5 else "day" if span["days"] <= 200 else "month"
    rows = reader.table(f"""
        WITH windows AS (
            SELECT {WINDOW}, max(events) FILTER (is_final) AS final_events,
                coalesce(max(events) FILTER (pane = 'on_time'), 0) AS on_time_events,
                list_aggregate(list_sort(list_distinct(list(pane)), 'DESC'), 'string_agg', ', ') AS panes
            FROM results GROUP BY ALL)
        SELECT date_trunc('{unit}', window_start) AS begins, begins + INTERVAL 1 {unit} AS ends,
            panes, count(*) AS windows, sum(on_time_events)::BIGINT AS on_time, sum(final_events)::BIGINT AS final
        FROM windows GROUP BY ALL ORDER BY begins, panes""")
    there = set(rows["panes"].to_pylist())
    colours = {panes: colour for panes, colour in _OF_WINDOWS.items() if panes in there}
    events = f.tip("on_time", "events of their rows on_time"), f.tip("final", "events of their newest rows")
    chart = f.stacked(rows, "windows", "panes", "window_start", f"windows per {unit}").encode(
        color=f.colours("panes", colours, "panes of the window's rows"),
        tooltip=[f.time_tip("begins", f"{unit} from"), "panes:N", f.tip("windows"), *events],
    )
    caption = (
        "Windows by the panes of their rows. A window with `on_time` alone was right on time; `late` rows changed the "
        "others. More lateness makes more right."
    )
    return f.figure("completeness", "On time or changed later", caption, chart)


def on_time_against_final(reader: Reader, results: KeptResults) -> PageFigure | None:
    """The on-time value of windows against the final one: those that changed most, and some of the others."""
    firsts = ", ".join(f"first.{sql.name(each)} AS {sql.name('on_time_' + each)}" for each in results.measures)
    lasts = ", ".join(f"last.{sql.name(each)} AS {sql.name('final_' + each)}" for each in results.measures)
    rows = reader.table(f"""
        WITH pairs AS (SELECT first.key, first.window_start, {firsts}, {lasts},
                last.events - first.events AS more FROM results AS first JOIN results AS last USING ({WINDOW})
                WHERE first.pane = 'on_time' AND last.is_final),
            placed AS (SELECT *, count(*) OVER () AS n,
                row_number() OVER (ORDER BY more DESC, key, window_start) AS place FROM pairs)
        SELECT * EXCLUDE (place, n) FROM placed
        WHERE place <= {_COMPARED} OR place % (n // {_COMPARED} + 1) = 0 ORDER BY place""")
    if not len(rows):
        return None
    shown, _ = chosen(results, "compared_measure")
    base = f.chart(rows).transform_calculate(
        on_time="datum['on_time_' + compared_measure]", final="datum['final_' + compared_measure]"
    )
    compared = base.transform_calculate(change="datum.final - datum.on_time")
    points = compared.mark_circle(size=34, opacity=0.6).encode(
        x=alt.X("on_time:Q", title="on_time", axis=measure_axis(results, "compared_measure")),
        y=alt.Y("change:Q", title="newest row − on_time", axis=measure_axis(results, "compared_measure", "+~s")),
        color=alt.condition("datum.more > 0", alt.value(f.ORANGE), alt.value(f.BLUE)),
        tooltip=[
            "key:N",
            f.time_tip("window_start", "window from"),
            f.tip("on_time", format=",.6~g"),
            f.tip("final", "newest row", ",.6~g"),
            f.tip("more", "events more"),
        ],
    )
    caption = (
        "Each dot is a window. At 0 its row on time was right; late events changed the orange ones. The figure shows "
        f"the {_COMPARED} windows that gained most events, and every n-th of the others."
    )
    return f.figure("on-time-final", "On time against final", caption, points.add_params(shown), 320)


def revisions(reader: Reader, results: KeptResults) -> PageFigure:
    """The rows of the windows that were revised most, from each window's end on. Keeps these windows as `most`."""
    [longest] = reader.rows("SELECT (epoch_us(max(emitted_at)) - epoch_us(min(emitted_at))) / 1e6 AS s FROM results")
    unit, unit_s = unit_of_length(longest["s"])
    reader.keep(
        "most",
        f"""
        SELECT {WINDOW}, max(revision) AS revisions, max(events) AS most_events,
            row_number() OVER (ORDER BY max(revision) DESC, max(events) DESC, {WINDOW}) AS place
        FROM results GROUP BY {WINDOW} ORDER BY place LIMIT {_WINDOWS}""",
    )
    rows = reader.table(f"""
        SELECT left(key, 24) || ', ' || strftime(window_start, '%m-%d %H:%M:%S') || CASE WHEN window_number > 0
                THEN ' #' || window_number ELSE '' END AS "window",
            (epoch_us(emitted_at) - epoch_us(window_end)) / 1e6 / {unit_s} AS after, emitted_at, revision, pane,
            late_events, '#why-' || place || '-' || revision AS explained, {listed(results)}
        FROM results JOIN most USING ({WINDOW}) ORDER BY revisions DESC, "window", {WINDOW}, revision""")
    base = f.chart(rows)
    y = alt.Y("window:N", title=None, sort=None, axis=alt.Axis(grid=True, labelLimit=230))
    x = alt.X("after:Q", title=f"{unit} after window_end", scale=alt.Scale(zero=False))
    line = base.mark_line(color=f.GREY, strokeWidth=1).encode(x=x, y=y, detail="window:N")
    row = ["window:N", "revision:Q", "pane:N", f.time_tip("emitted_at", "known from")]
    tips = [*row, *measured_tips(results), f.tip("late_events")]
    colour = alt.Color("pane:N", scale=pane_colours(rows))
    dots = base.mark_circle(size=70).encode(x=x, y=y, color=colour, tooltip=tips, href="explained:N")
    caption = (
        f"The {_WINDOWS} windows with the most revisions, by key and start. Each dot is a row of the table, where it "
        "became known; point at it for its values, click on it for the events that made it."
    )
    return f.figure("revisions", "Revisions of windows", caption, alt.layer(line, dots), f.lines_px(rows, "window"))


def statuses(reader: Reader, results: KeptResults) -> PageFigure:
    rows = reader.table(f"""
        SELECT status, count(*) AS windows FROM {results.query.name} GROUP BY status ORDER BY windows DESC""")
    marks = f.chart(rows).mark_bar(color=f.BLUE)
    chart = marks.encode(
        y=alt.Y("status:N", title=None, sort="-x"),
        x=alt.X("windows:Q", title="rows", axis=f.count_axis()),
        tooltip=["status:N", f.tip("windows", "rows")],
    )
    caption = "Rows by the function's status: `ok`, or why the row has no outputs."
    return f.figure("statuses", "Status of the function", caption, chart, f.lines_px(rows, "status"))


def late_events(reader: Reader, late: str) -> PageFigure | None:
    """Events that some window could not take, by how late they were."""
    rows = reader.table(f"""
        WITH classed AS (SELECT reason, CASE WHEN late_by IS NULL OR late_by < 0 THEN -1
            ELSE floor(log2(late_by / 1e6 + 1))::INT END AS class FROM {late})
        SELECT reason, class, CASE class WHEN -1 THEN 0 ELSE (1 << class) - 1 END AS from_s,
            CASE class WHEN -1 THEN 0.3 ELSE (2 << class) - 1 END AS to_s, count(*) AS events
        FROM classed GROUP BY ALL ORDER BY class, reason""")
    if not len(rows):
        return None
    marks = f.chart(rows).mark_bar(stroke=None)
    chart = marks.encode(
        x=alt.X("from_s:Q", title="later than the window's end + allowed lateness by", **f.length_axis()),
        x2="to_s:Q",
        y=alt.Y("events:Q", title="events", axis=f.count_axis()),
        color=alt.Color("reason:N", title=None),
        tooltip=["reason:N", f.tip("from_s", "late by, from, s"), f.tip("to_s", "to, s"), f.tip("events")],
    )
    caption = f"Events of {late}, each once for a row, by how far the watermark was past its first missed window."
    return f.figure("late-events", "How late the late events were", caption, chart)
