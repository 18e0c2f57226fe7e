"""The figure with a slider: a key's windows as they were known at T, over what turned out to be true."""

import altair as alt

from pipelines.report import figure as f
from pipelines.report.figure import PageFigure
from pipelines.report.queries.figures import FIRING, UNITS, WINDOW, chosen, listed, measured_tips
from pipelines.report.queries.results import KeptResults
from pipelines.report.reader import Reader

_KEYS, _EACH_SIDE, _STEPS = 3, 40, 200


def known_at(reader: Reader, results: KeptResults) -> PageFigure:
    """The windows around the most revised one, of the keys whose windows were revised most."""
    rows = reader.table(_select(results))
    [period] = reader.rows(f"""
        WITH periods AS (SELECT epoch_us(max(emitted_at)) - epoch_us(min(emitted_at)) AS length
            FROM ({_select(results)}) GROUP BY key) SELECT max(length) / 1e6 AS length_s FROM periods""")
    keys = list(dict.fromkeys(rows["key"].to_pylist()))
    _, unit, unit_s = next(each for each in UNITS if period["length_s"] >= each[0])
    longest = max(period["length_s"] / unit_s, 1)
    slider = alt.param(
        name="known_at",
        value=_rounded(longest / 3),
        bind=alt.binding_range(
            min=0,
            max=_rounded(longest) + 1,
            step=_rounded(longest / _STEPS) or 0.01,
            name=f"known at: {unit} after the first row ",
        ),
    )
    shown, value = chosen(results, "known_measure")
    base = (
        f.chart(rows)
        .transform_filter("datum.key == known_key")
        .transform_calculate(shown=value)
        .transform_joinaggregate(first_emitted="min(emitted_at)", last_revision="max(revision)", groupby=["key"])
        .transform_calculate(known="datum.first_emitted + known_at * " + str(1_000 * unit_s))
    )
    layers = alt.layer(_final(base), _known(base, results), _moment(base))
    chart = layers.add_params(f.choice("known_key", ", ".join(results.query.key) or "key", keys), shown, slider)
    caption = (
        "Grey: what turned out to be true. Dots: what a streaming system would have had as its answer at that moment, "
        f"which is what {results.query.name}_as_of(t) gives. Move the slider."
    )
    return f.figure("known-at", "Known at T", caption, chart, 320)


def _rounded(value: float) -> float:
    return float(f"{value:.3g}")


def _select(results: KeptResults) -> str:
    return f"""
        WITH windows AS (SELECT {WINDOW}, max(revision) AS revisions FROM results GROUP BY ALL),
        placed AS (SELECT *, row_number() OVER (PARTITION BY key ORDER BY window_start, window_number) AS place
            FROM windows),
        most AS (SELECT key, arg_max(place, revisions) AS centre, sum(revisions) AS total, count(*) AS windows
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
    times = f.time_tip("window_start", "window from"), f.time_tip("emitted_at", "known from")
    known = base.transform_filter("datum.emitted_at <= datum.known").transform_joinaggregate(
        newest="max(revision)", groupby=["window_start"]
    )
    return (
        known.transform_filter("datum.revision == datum.newest && datum.events > 0")
        .mark_circle(size=40)
        .encode(
            **_axes(),
            color=FIRING,
            tooltip=[*times, "revision:Q", *measured_tips(results)],
        )
    )


def _moment(base: alt.Chart) -> alt.Chart:
    """T itself, as text."""
    at = base.transform_aggregate(known="max(known)").transform_calculate(
        at="'known at ' + utcFormat(datum.known, '%Y-%m-%d %H:%M:%S')"
    )
    return at.mark_text(align="left", baseline="top", fontSize=13).encode(x=alt.value(6), y=alt.value(6), text="at:N")
