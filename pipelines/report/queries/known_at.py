"""The figure with a slider: a key's windows as they were known at T, over what turned out to be true."""

import altair as alt
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.report import figure as f
from pipelines.report.figure import PageFigure
from pipelines.report.queries.figures import FIRING, WINDOW, chosen, listed, measured_tips, unit_of_length
from pipelines.report.queries.results import KeptResults
from pipelines.report.reader import Reader

_KEYS, _EACH_SIDE, _STEPS = 3, 40, 200


def known_at(reader: Reader, results: KeptResults) -> PageFigure:
    """The windows around the most revised one, of the keys whose windows were revised most."""
    rows = reader.table(_select(results))
    slider, unit_s = _slider(rows)
    shown, value = chosen(results, "known_measure")
    base = (
        f.chart(rows)
        .transform_filter("datum.key == known_key")
        .transform_calculate(shown=value)
        .transform_joinaggregate(first_emitted="min(emitted_at)", last_revision="max(revision)", groupby=["key"])
        .transform_calculate(known=f"datum.first_emitted + known_at * {1_000 * unit_s}")
    )
    keys = list(dict.fromkeys(rows["key"].to_pylist()))
    layers = alt.layer(_final(base), _known(base, results), _moment(base))
    chart = layers.add_params(f.choice("known_key", ", ".join(results.query.key) or "key", keys), shown, slider)
    caption = (
        "Grey: what turned out to be true. Dots: what a streaming system would have had as its answer at that moment, "
        f"which is what {results.query.name}_as_of(t) gives. Move the slider."
    )
    return f.figure("known-at", "Known at T", caption, chart, 320)


def _slider(rows: pa.Table) -> tuple[alt.Parameter, int]:
    """From the first row of a key on, as long as the longest period of one; and how many seconds its unit has."""
    of_keys = rows.group_by("key").aggregate([("emitted_at", "min"), ("emitted_at", "max")])
    period_us = pc.max(pc.microseconds_between(of_keys["emitted_at_min"], of_keys["emitted_at_max"])).as_py()
    unit, unit_s = unit_of_length(period_us / 1e6)
    longest = max(period_us / 1e6 / unit_s, 1)
    start, end, step = (float(f"{length:.3g}") for length in (longest / 3, longest, longest / _STEPS))
    label = f"known at: {unit} after the first row "
    return alt.param("known_at", start, alt.binding_range(min=0, max=end + 1, step=step or 0.01, name=label)), unit_s


def _select(results: KeptResults) -> str:
    return f"""
        WITH windows AS (SELECT {WINDOW}, max(revision) AS revisions FROM results GROUP BY ALL),
        placed AS (SELECT *, row_number() OVER (PARTITION BY key ORDER BY window_start, window_number) AS place
            FROM windows),
        most AS (SELECT key, arg_max(place, [revisions, -place]) AS centre, sum(revisions) AS total, count(*) AS windows
            FROM placed GROUP BY key ORDER BY total DESC, windows DESC, key LIMIT {_KEYS}),
        near AS (SELECT {WINDOW}, total FROM placed JOIN most USING (key) WHERE abs(place - centre) <= {_EACH_SIDE})
        SELECT key, window_start, emitted_at, revision, pane, is_final, {listed(results)}
        FROM results JOIN near USING ({WINDOW}) ORDER BY total DESC, key, window_start, revision"""


def _axes() -> dict:
    return {
        "x": f.time_axis("window_start", "start of the window"),
        "y": alt.Y("shown:Q", title=None, scale=alt.Scale(zero=False), axis=alt.Axis(format="~s")),
    }


def _final(base: alt.Chart) -> alt.Chart:
    in_the_end = base.transform_filter("datum.is_final && datum.events > 0")
    return in_the_end.mark_line(color=f.GREY, strokeWidth=5, opacity=0.35).encode(**_axes())


def _known(base: alt.Chart, results: KeptResults) -> alt.Chart:
    by_then = base.transform_filter("datum.emitted_at <= datum.known")
    newest = by_then.transform_joinaggregate(newest="max(revision)", groupby=["window_start"])
    known = newest.transform_filter("datum.revision == datum.newest && datum.events > 0")
    times = f.time_tip("window_start", "window from"), f.time_tip("emitted_at", "known from")
    tips = [*times, "revision:Q", *measured_tips(results)]
    return known.mark_circle(size=40).encode(**_axes(), color=FIRING, tooltip=tips)


def _moment(base: alt.Chart) -> alt.Chart:
    """T itself, as text."""
    text = "'known at ' + utcFormat(datum.known, '%Y-%m-%d %H:%M:%S')"
    at = base.transform_aggregate(known="max(known)").transform_calculate(at=text)
    return at.mark_text(align="left", baseline="top", fontSize=13).encode(x=alt.value(6), y=alt.value(6), text="at:N")
