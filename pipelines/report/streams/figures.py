"""The figures of a stream, from the tables that page.py keeps."""

import altair as alt

from windrow.pipelines.report import figure as f
from windrow.pipelines.report.page import PageFigure
from windrow.pipelines.report.reader import Reader

_POINTS, _NEAR = 450, 0.995
_SHARES = {"0.5": "50 %", "0.75": "75 %", "0.9": "90 %", "0.95": "95 %", "0.99": "99 %", "0.999": "99.9 %", "1": "all"}
_COVERS = {"half of the events": f.GREEN, "99 %": f.BLUE, "all": f.ORANGE}
OF_FOLDER = "regexp_replace(regexp_replace(path, '/[^/]*$', ''), '^[^/]+/', '')"
"""SQL: the folder of a file, below that of its stream."""
_FOLDER = alt.Color("folder:N", title=None)


def figures(reader: Reader, unit: str) -> tuple[list[PageFigure], list[PageFigure], list[PageFigure]]:
    """Those on arrival, on disorder, and on bursts."""
    reader.keep("busiest", _BUSIEST)
    return (
        [arrivals(reader, unit), arrival_against_event_time(reader)],
        [lag_shares(reader), lag_over_time(reader, unit)],
        [rate(reader), bursts(reader)],
    )


def arrivals(reader: Reader, unit: str) -> PageFigure:
    rows = reader.table(f"""
        SELECT folder, date_trunc('{unit}', arrival) AS begins, begins + INTERVAL 1 {unit} AS ends, count(*) AS events
        FROM events GROUP BY ALL ORDER BY begins, folder""")
    chart = f.stacked(rows, "events", "folder", None, f"events per {unit}").encode(
        color=_FOLDER, tooltip=["folder:N", f.time_tip("begins", f"{unit} from"), f.tip("events")]
    )
    caption = (
        f"Each bar counts the lines with an accepted record that arrived in a {unit}, by folder of their file. In a "
        "gap no line arrived."
    )
    return f.figure("arrivals", "When events arrived", caption, chart)


# The day with the most events of each of the largest folders.
_BUSIEST = """
    WITH counted AS (SELECT folder, arrival::DATE AS day, count(*) AS events FROM events GROUP BY ALL),
    of_folder AS (SELECT * FROM counted QUALIFY row_number() OVER (PARTITION BY folder ORDER BY events DESC, day) = 1)
    SELECT folder || ', ' || day AS label, * FROM of_folder ORDER BY events DESC, folder LIMIT 4"""


def _labels(reader: Reader) -> list[str]:
    return [row["label"] for row in reader.rows("SELECT label FROM busiest ORDER BY events DESC, folder")]


def arrival_against_event_time(reader: Reader) -> PageFigure:
    """Of the busiest day of a folder: when events happened, against when they were known."""
    rows = reader.table(f"""
        WITH placed AS (
            SELECT label, arrival, start, delay_s, lag_s,
                row_number() OVER (PARTITION BY label ORDER BY arrival, start) AS place,
                quantile_disc(lag_s, {_NEAR}) OVER (PARTITION BY label) AS near_s,
                count(*) OVER (PARTITION BY label) AS events
            FROM events JOIN busiest USING (folder) WHERE arrival::DATE = day)
        SELECT label, arrival, round(delay_s, 3) AS delay_s, round(lag_s, 3) AS lag_s FROM placed
        WHERE place % greatest(1, events // {_POINTS}) = 0 AND lag_s <= near_s ORDER BY label, arrival, start""")
    shown = f.choice("busiest_day", "folder and day", _labels(reader))
    base = (
        f.chart(rows)
        .transform_filter("datum.label == busiest_day")
        .transform_calculate(start="datum.arrival - 1000 * datum.delay_s")
        .transform_calculate(newest="datum.start + 1000 * datum.lag_s")
    )
    newest = base.mark_line(interpolate="step-after", color=f.GREY, strokeWidth=1.5).encode(
        x=f.time_axis("arrival", "arrival"), y=f.time_axis("newest", "event time", alt.Y)
    )
    points = base.mark_circle(size=22, opacity=0.6).encode(
        x=f.time_axis("arrival", "arrival"),
        y=f.time_axis("start", "event time", alt.Y),
        color=alt.condition("datum.lag_s > 0", alt.value(f.ORANGE), alt.value(f.BLUE)),
        tooltip=[
            f.time_tip("start", "event time"),
            f.time_tip("arrival", "arrival"),
            f.tip("delay_s", "known after, s", ",.3~f"),
            f.tip("lag_s", "behind the newest, s", ",.3~f"),
        ],
    )
    caption = (
        "Each dot is an event. The grey line is the newest event time that had arrived by then; a watermark trails it. "
        "Orange dots arrived out of order, behind that line. The figure shows every n-th event of the day, without the "
        f"{1 - _NEAR:.1%} that lag most."
    )
    chart = alt.layer(newest, points).add_params(shown)
    return f.figure("arrival-event-time", "Arrival against event time", caption, chart, 340)


def lag_shares(reader: Reader) -> PageFigure:
    levels = ", ".join(_SHARES)
    rows = reader.table(f"""
        WITH found AS (
            SELECT folder, 'behind the newest event (lag)' AS measure, quantile_disc(lag_s, [{levels}]) AS lengths
            FROM events GROUP BY folder UNION ALL
            SELECT folder, 'from event to arrival (delay)', quantile_disc(greatest(delay_s, 0), [{levels}])
            FROM events GROUP BY folder)
        SELECT folder, measure, unnest([{", ".join(f"'{each}'" for each in _SHARES.values())}]) AS share,
            unnest(lengths) AS length_s FROM found ORDER BY measure DESC, folder, length_s, share""")
    measures = ["behind the newest event (lag)", "from event to arrival (delay)"]
    x = {"sort": list(_SHARES.values()), "title": "share of events that are covered"}
    lines = f.chart(rows).transform_filter("datum.measure == lag_measure").mark_line(point=True)
    chart = lines.encode(
        x=alt.X("share:O", axis=alt.Axis(labelAngle=0), **x),
        y=alt.Y("length_s:Q", title="a lateness of", **f.length_axis()),
        color=_FOLDER,
        tooltip=["folder:N", "share:O", f.tip("length_s", "length, s", ",.3~f")],
    ).add_params(f.choice("lag_measure", "how late", measures))
    caption = (
        "With the lateness on the left, the share of events below arrives before the watermark has passed them. Each "
        "folder is measured by itself."
    )
    return f.figure("lag-shares", "Lag percentiles", caption, chart, 300)


def lag_over_time(reader: Reader, unit: str) -> PageFigure:
    rows = reader.table(f"""
        WITH found AS (SELECT date_trunc('{unit}', arrival) AS begins, quantile_disc(lag_s, [0.5, 0.99, 1]) AS lengths,
            count(*) AS events, avg((lag_s > 0)::INT) AS late FROM events GROUP BY 1)
        SELECT begins, unnest(['half of the events', '99 %', 'all']) AS covers, unnest(lengths) AS length_s,
            events, late FROM found ORDER BY begins, length_s""")
    lag, late = f.tip("length_s", "lag, s", ",.3~f"), f.tip("late", "out of order", ".1%")
    marks = f.chart(rows).mark_circle(size=40, opacity=0.75)
    chart = marks.encode(
        x=f.time_axis("begins"),
        y=alt.Y("length_s:Q", title="lag", **f.length_axis()),
        color=f.colours("covers", _COVERS, "covers"),
        tooltip=[f.time_tip("begins", f"{unit} from"), "covers:N", lag, f.tip("events"), late],
    )
    caption = f"The lateness that would have covered half, 99 % or all of the events that arrived in each {unit}."
    return f.figure("lag-over-time", "Disorder over time", caption, chart)


def rate(reader: Reader) -> PageFigure:
    rows = reader.table("""
        SELECT label, time_bucket(INTERVAL 5 MINUTE, arrival) AS begins, begins + INTERVAL 5 MINUTE AS ends,
            count(*) AS events
        FROM events JOIN busiest USING (folder) WHERE arrival::DATE = day GROUP BY ALL ORDER BY ALL""")
    bars = f.stacked(rows, "events", "label", "arrival", "events in 5 minutes").encode(
        color=alt.value(f.BLUE), tooltip=[f.time_tip("begins", "from"), f.tip("events")]
    )
    shown = f.choice("rate_day", "folder and day", _labels(reader))
    chart = bars.transform_filter("datum.label == rate_day").add_params(shown)
    caption = "The busiest day of each of the largest folders. High bars next to empty places are bursts."
    return f.figure("rate", "Bursts within a day", caption, chart)


def bursts(reader: Reader) -> PageFigure:
    rows = reader.table("""
        WITH ticks AS (SELECT folder, arrival, count(*) AS size FROM events GROUP BY ALL),
        classed AS (SELECT folder, floor(log2(size))::INT AS class, size FROM ticks)
        SELECT folder, class, CASE class WHEN 0 THEN 'alone' ELSE (1 << class) || ' to ' || ((2 << class) - 1) END
            AS together, sum(size)::BIGINT AS events, max(size) AS largest
        FROM classed GROUP BY ALL ORDER BY class, folder""")
    x = {"sort": alt.SortField("class"), "title": "events that arrive at the same moment"}
    marks = f.chart(rows).mark_bar()
    chart = marks.encode(
        x=alt.X("together:O", axis=alt.Axis(labelAngle=-35), **x),
        y=alt.Y("events:Q", title="events", axis=f.count_axis()),
        color=_FOLDER,
        tooltip=["folder:N", "together:O", f.tip("events"), f.tip("largest")],
    )
    caption = "An arrival tick is one arrival time with all of its events: they reach a window together."
    return f.figure("bursts", "Size of arrival ticks", caption, chart)


def refused(reader: Reader, quarantine: str) -> PageFigure:
    rows = reader.table(f"""
        SELECT reason, {OF_FOLDER} AS folder, sum(records)::BIGINT AS records
        FROM {quarantine} GROUP BY ALL ORDER BY 3 DESC, folder LIMIT 60""")
    marks = f.chart(rows).mark_bar()
    chart = marks.encode(
        y=alt.Y("reason:N", title=None, sort="-x"),
        x=alt.X("records:Q", title="records", axis=f.count_axis()),
        color=_FOLDER,
        tooltip=["reason:N", "folder:N", f.tip("records")],
    )
    return f.figure("refused", "Refused records by reason", "", chart, f.lines_px(rows, "reason"))
