"""The figure of what was known at T: the answer that a streaming system had at a moment, against what is final."""

from datetime import datetime

import altair as alt
import pyarrow as pa
import pyarrow.compute as pc

from windrow.pipelines.report import figure as f
from windrow.pipelines.report.clock import axis_labels, clock_times
from windrow.pipelines.report.page import PageFigure
from windrow.pipelines.report.queries.figures import WINDOW, chosen, listed, measure_axis, measured_tips, pane_colours
from windrow.pipelines.report.queries.results import KeptResults, key_columns
from windrow.pipelines.report.reader import Reader

_KEYS, _WINDOWS, _MOMENTS, _TICKS = 3, 81, 200, 7


def known_at(reader: Reader, results: KeptResults, zone: str) -> PageFigure:
    """The windows around the most revised one, of the keys whose windows were revised most, by the clocks of a zone."""
    rows = reader.table(_select(results))
    moments = clock_times(*_span(rows, "emitted_at"), zone, _MOMENTS)
    earliest, newest = _span(rows, "window_start")
    labels = axis_labels([each for each in clock_times(earliest, newest, zone, _TICKS) if each.local >= earliest])
    shown, value = chosen(results, "known_measure")
    base = f.chart(rows).transform_filter("datum.key == known_key").transform_calculate(shown=value)
    keys = list(dict.fromkeys(rows["key"].to_pylist()))
    half_ms = sorted(rows["emitted_at"].to_pylist())[len(rows) // 2].timestamp() * 1_000
    begin = sum(each.at_ms <= half_ms for each in moments) - 1
    parameters = (
        f.choice("known_key", ", ".join(key_columns(results.query)) or "key", keys),
        shown,
        alt.param("known_at", begin, alt.binding_range(min=0, max=len(moments) - 1, step=1, name=f"known at, {zone} ")),
        alt.param("moments", [(each.at_ms, each.text) for each in moments]),
        alt.param("clock", labels),
    )
    axes, colours = _axes(results, labels, zone), pane_colours(rows, **{f"{results.query.name}_final": f.GREY})
    layers = alt.layer(_final(base, axes, colours, results), _known(base, axes, colours, results), _moment(base))
    caption = (
        f"Dots: the rows that were the newest at the slider's moment, by `pane`: {results.query.name}_as_of(t) has "
        f"them. Line: what turned out to be true, `{results.query.name}_final`. Times are in {zone}."
    )
    return f.figure("known-at", "Known at T", caption, layers.add_params(*parameters), 320)


def _span(rows: pa.Table, column: str) -> tuple[datetime, datetime]:
    found = pc.min_max(rows[column]).as_py()
    return found["min"], found["max"]


def _select(results: KeptResults) -> str:
    return f"""
        WITH windows AS (SELECT {WINDOW}, max(revision) AS revisions FROM results GROUP BY ALL),
        most AS (SELECT key, sum(revisions) AS total, count(*) AS windows FROM windows GROUP BY key
            ORDER BY total DESC, windows DESC, key LIMIT {_KEYS}),
        centre AS (SELECT epoch_us(window_start) AS centre_us FROM windows JOIN most USING (key)
            ORDER BY revisions DESC, total DESC, key, window_start LIMIT 1),
        near AS (SELECT {WINDOW}, total FROM windows JOIN most USING (key) CROSS JOIN centre
            QUALIFY row_number() OVER (PARTITION BY key ORDER BY abs(epoch_us(window_start) - centre_us), window_start,
                window_number) <= {_WINDOWS})
        SELECT key, window_start, emitted_at, revision, pane, is_final, {listed(results)}
        FROM results JOIN near USING ({WINDOW}) ORDER BY total DESC, key, window_start, revision"""


def _axes(results: KeptResults, labels: dict[str, str], zone: str) -> dict:
    axis = alt.Axis(values=[*map(int, labels)], labelExpr="clock[time(datum.value)]", labelOverlap=True)
    x = alt.X("window_start:T", title=f"window_start, {zone}", scale=alt.Scale(type="utc"), axis=axis)
    y = alt.Y("shown:Q", title=None, scale=alt.Scale(zero=False), axis=measure_axis(results, "known_measure"))
    return {"x": x, "y": y}


def _final(base: alt.Chart, axes: dict, colours: alt.Scale, results: KeptResults) -> alt.Chart:
    in_the_end = base.transform_filter("datum.is_final && datum.events > 0")
    colour = alt.ColorDatum(f"{results.query.name}_final", scale=colours, title=None)
    return in_the_end.mark_line(strokeWidth=5, opacity=0.35).encode(**axes, color=colour)


def _known(base: alt.Chart, axes: dict, colours: alt.Scale, results: KeptResults) -> alt.Chart:
    by_then = base.transform_filter("datum.emitted_at <= moments[known_at][0]")
    newest = by_then.transform_joinaggregate(newest="max(revision)", groupby=["window_start"])
    known = newest.transform_filter("datum.revision == datum.newest && datum.events > 0")
    times = f.time_tip("window_start", "window_start"), f.time_tip("emitted_at", "emitted_at")
    tips = [*times, "revision:Q", "pane:N", *measured_tips(results)]
    return known.mark_circle(size=40).encode(**axes, color=alt.Color("pane:N", scale=colours, title=None), tooltip=tips)


def _moment(base: alt.Chart) -> alt.Chart:
    """T itself, as text."""
    at = base.transform_aggregate(rows="count()").transform_calculate(at="'known at ' + moments[known_at][1]")
    return at.mark_text(align="left", baseline="top", fontSize=13).encode(x=alt.value(6), y=alt.value(6), text="at:N")
