"""The drawings of docs/drawings.md, and those of README's query: rows of `replay_table`, drawn as SVG. Text stays text,
and the same rows give the same bytes."""

import contextlib
import io
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import matplotlib
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from windrow.pipelines.local import replay_table
from windrow.pipelines.replay.watermark import ticks_of_events
from windrow.schemas.query import Query, agg, rolling, session, sliding, spanning, tumbling
from windrow.schemas.windows import EPOCH, MICROSECOND, Window

BLUE, ORANGE, GREY = "#3949ab", "#e65100", "#757575"
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "windrow", "font.family": "sans-serif", "font.size": 9}
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
LATENESS, ALLOWED = 30 * MINUTE, 2 * HOUR
# Trips of 12 minutes that are known at their end: hour and minute of their start. The fourth is known at 11:30.
STARTS = ((8, 10), (8, 35), (9, 30), (8, 50), (10, 20), (11, 5), (11, 45), (13, 0))
LATE, KNOWN_LATE = 3, (11, 30)
KINDS: dict[str, Window] = {
    "tumbling, 1 h": tumbling(HOUR),
    "sliding, 1 h every 30 min": sliding(HOUR, 30 * MINUTE),
    "rolling, 1 h": rolling(HOUR),
    "session, gap 45 min": session(45 * MINUTE),
    "spanning, 1 h": spanning(HOUR, HOUR),
}


README = Path(__file__).resolve().parents[2] / "README.md"


def drawings() -> dict[str, str]:
    """SVG of each drawing, by its path below docs/."""
    of_readme, query = readme_query()
    known = replay_table(of_readme, query).to_pylist()
    with matplotlib.rc_context(SETTINGS):
        return {
            "drawings/windows.svg": _drawn(_windows, 4.2),
            "drawings/watermark.svg": _drawn(lambda axes: _watermark(axes, trips()), 4.2),
            "drawings/revisions.svg": _drawn(lambda axes: _revisions(axes, rows_of(tumbling(HOUR))), 2.8),
            "drawings/concepts-watermark.svg": _drawn(lambda axes: _watermark(axes, of_readme), 4.2),
            "drawings/concepts-revisions.svg": _drawn(lambda axes: _revisions(axes, known), 2.8),
        }


def readme_query() -> tuple[pa.Table, Query]:
    """The trips and the query of README's worked query."""
    said: dict = {}
    [code] = re.findall(r"^```python\n(.*?)^```$", README.read_text(), re.DOTALL | re.MULTILINE)
    with contextlib.redirect_stdout(io.StringIO()):
        exec(code, said)
    return pa.Table.from_pandas(said["trips"], preserve_index=False), said["query"]


def _drawn(draw: Callable[[Axes], None], inches_high: float) -> str:
    figure = Figure(figsize=(7.5, inches_high), facecolor="white", layout=None)
    axes = figure.add_axes((0.25, 0.15, 0.72, 0.8))
    axes.spines[["top", "right"]].set_visible(False)
    draw(axes)
    written = io.StringIO()
    figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    return "".join(f"{line.rstrip()}\n" for line in written.getvalue().splitlines())


def trips() -> pa.Table:
    """The trips of one key, as `replay_table` takes them."""
    starts = [_at(*clock) for clock in STARTS]
    ends = [start + 12 * MINUTE for start in starts]
    known = [_at(*KNOWN_LATE) if place == LATE else end for place, end in enumerate(ends)]
    time = pa.timestamp("us", "UTC")
    columns = {"station": ["Grove St"] * len(starts), "start": pa.array(starts, time), "end": pa.array(ends, time)}
    return pa.table({**columns, "arrival": pa.array(known, time), "seq": range(len(starts))})


def _at(hour: int, minute: int) -> datetime:
    return datetime(2018, 11, 1, hour, minute, tzinfo=UTC)


def rows_of(window: Window) -> list[dict]:
    """What a query over such windows emits; the stream goes on."""
    query = Query("drawn", "bikes", key=("station",), window=window, aggregates={"trips": agg("count")},
                  lateness=LATENESS, allowed_lateness=ALLOWED)  # fmt: skip
    return replay_table(trips(), query).to_pylist()


def _hours(time: datetime) -> float:
    return time.hour + time.minute / 60 + time.second / 3600


def _clock(axes: Axes, first: int, last: int) -> None:
    axes.set_xlim(first, last)
    axes.set_xticks(range(first, last + 1), [f"{hour:02}:00" for hour in range(first, last + 1)])


def _windows(axes: Axes) -> None:
    """Each kind's windows that have rows, in as many lines as overlap."""
    labels, line = [], 0.0
    for name, window in KINDS.items():
        found = sorted({(_hours(row["window_start"]), _hours(row["window_end"])) for row in rows_of(window)})
        ends: list[float] = []
        for start, end in found:
            free = next((place for place, taken in enumerate(ends) if taken <= start + 1e-9), len(ends))
            ends[free : free + 1] = [end]
            axes.barh(line + free, end - start, left=start, height=0.7, color=BLUE, alpha=0.55, edgecolor="white")
        labels.append((line + (len(ends) - 1) / 2, name))
        line += len(ends) + 0.8
    for row in trips().to_pylist():
        axes.plot(
            [_hours(row["start"]), _hours(row["end"])], [-1.2, -1.2], color=ORANGE, linewidth=4, solid_capstyle="butt"
        )
        axes.axvline(_hours(row["start"]), color=ORANGE, linewidth=0.6, linestyle=":")
    _clock(axes, 7, 14)
    axes.set_yticks([-1.2, *(place for place, _ in labels)], ["trips", *(name for _, name in labels)])
    axes.invert_yaxis()
    axes.set_xlabel("event time")


def _watermark(axes: Axes, events: pa.Table) -> None:
    """Events by arrival and event time, and the watermark behind the newest."""
    in_us = (events[name].cast(pa.timestamp("us", "UTC")).cast(pa.int64()) for name in ("arrival", "start"))
    ticks = ticks_of_events(*(times.to_numpy() for times in in_us))
    when = [_hours(EPOCH + int(us) * MICROSECOND) for us in ticks.tick_us]
    level = [_hours(EPOCH + int(us) * MICROSECOND - LATENESS) for us in ticks.newest_start_us]
    axes.step([*when, 14], [*level, level[-1]], where="post", color=BLUE, label="watermark: newest event − 30 min")
    axes.plot([8, 14], [8, 14], color=GREY, linewidth=0.8, linestyle="--", label="known at once")
    late = [row for row in events.to_pylist() if row["arrival"] - row["start"] > HOUR]
    on_time = [row for row in events.to_pylist() if row not in late]
    for rows, color, name in ((on_time, "black", "events on time"), (late, ORANGE, "late event")):
        arrivals, starts = ([_hours(row[column]) for row in rows] for column in ("arrival", "start"))
        axes.scatter(arrivals, starts, s=22, color=color, zorder=3, label=name)
    axes.axhspan(8, 9, color=BLUE, alpha=0.12, label="window 08:00 to 09:00")
    _clock(axes, 8, 14)
    axes.set_yticks(range(7, 15), [f"{hour:02}:00" for hour in range(7, 15)])
    axes.set_ylim(7.3, 14)
    axes.set_xlabel("arrival time")
    axes.set_ylabel("event time")
    axes.legend(loc="upper left", frameon=False)


def _revisions(axes: Axes, rows: list[dict]) -> None:
    """The rows of each window, from when each was the answer to the next."""
    starts = sorted({row["window_start"] for row in rows})
    for place, start in enumerate(starts):
        of_window = [row for row in rows if row["window_start"] == start]
        until = [*(_hours(row["emitted_at"]) for row in of_window[1:]), 14.0]
        for row, end in zip(of_window, until, strict=True):
            begin = _hours(row["emitted_at"])
            axes.barh(place, end - begin, left=begin, height=0.7, alpha=0.55, edgecolor="white",
                      color=ORANGE if row["revision"] else BLUE)  # fmt: skip
            counted = f"{row['trips']} trip{'s' * (row['trips'] != 1)}"
            axes.text(begin + 0.05, place, f"{counted}, {row['pane']}", va="center")
    axes.axvline(11, color="black", linewidth=1)
    axes.text(11, -0.75, "known at 11:00", ha="center")
    _clock(axes, 8, 14)
    axes.set_yticks(range(len(starts)), [f"{start:%H:%M} to {start + HOUR:%H:%M}" for start in starts])
    axes.set_ylim(-1, len(starts) - 0.4)
    axes.invert_yaxis()
    axes.set_xlabel("arrival time")
