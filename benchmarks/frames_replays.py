"""How many tuples a second a replay takes through windows that depend on other events: with the clock, the rows and
their revisions, where the kernels' figures have frames alone."""

from datetime import timedelta
from statistics import median

import numpy as np

from benchmarks.frames_source import APART_US, DELAYED, KINDS_OF_FRAMES, MOST_DELAY, Sizes, Tuples, tuples
from benchmarks.pages import Figure, claim
from benchmarks.processor import timed
from windrow.kernels.api import AggregatePlan, EventColumns, PassTicks, ReplayRules, replay_keys
from windrow.kernels.kinds import window_kind
from windrow.kernels.monoids import AggregateSpec
from windrow.schemas.windows import Count, Delta, SlideByTuple, Window

SESSIONS = 10e6
PLAN = AggregatePlan(
    (AggregateSpec("count"), AggregateSpec("fast_sum", 0, "float64"), AggregateSpec("max", 0, "float64"))
)
WINDOWS: dict[str, Window] = KINDS_OF_FRAMES | {
    "count, 1,000 by 100": Count(1_000, 100, "event_time"),
    "count, 1,000 by 100, by arrival": Count(1_000, 100),
    "slide by tuple, of 1 s by 100": SlideByTuple(timedelta(seconds=1), 100),
    "delta, of 20 by 5": Delta("value", 20.0, 5.0),
}
WAIT_US = (MOST_DELAY + 10) * 5 * APART_US
RULES = {
    "in order": (0, ReplayRules(0, 0, "watermark")),
    "delayed, waited for": (DELAYED, ReplayRules(WAIT_US, 0, "watermark")),
    "delayed, revised": (DELAYED, ReplayRules(0, WAIT_US, "watermark")),
}


def by_window(sizes: Sizes) -> Figure:
    """In order; delayed, with a lateness that waits for all of them; and without one, so that rows are revised."""
    rows, sessions = [], 0.0
    for name, window in WINDOWS.items():
        found = {}
        for case, (delayed, rules) in RULES.items():
            found[case] = _throughput(window, tuples(sizes.tuples, delayed), rules, sizes.rounds)
        sessions = found["in order"] if name == "session" else sessions
        rows.append({"windows": name, **{case: f"{rate / 1e6:.1f}" for case, rate in found.items()}})
    says = f"sessions in order: {sessions / 1e6:.1f} million tuples a second; {SESSIONS / 1e6:.0f} asked."
    measured = (
        f"Millions of tuples a processor second through a whole replay, emit watermark, {sizes.tuples:,} tuples of one "
        f"key, one a tick, count, sum and max, median of {sizes.rounds} rounds. Of the delayed ones, {DELAYED:.0%}, a "
        f"lateness of {WAIT_US / 1e6:.2f} s waits for all; with none and as much allowed lateness, all are late, and "
        "rows are revised."
    )
    return Figure("Replays", measured, rows, [claim(sessions >= SESSIONS, says)])


def _throughput(window: Window, given: Tuples, rules: ReplayRules, rounds: int) -> float:
    return len(given.values) / median([_seconds(window, given, rules) for _ in range(1 + rounds)][1:])


def _seconds(window: Window, given: Tuples, rules: ReplayRules) -> float:
    count = len(given.values)
    of_window = given.steps if getattr(window, "column", "") == "step" else given.values
    values = np.stack([given.values, of_window]).view(np.int64)
    arrivals = np.arange(count) * APART_US
    columns = EventColumns(np.array([0, count]), given.times_us, arrivals, values, np.ones((2, count), bool))
    ticks = PassTicks(arrivals, np.maximum.accumulate(given.times_us))
    spec = window_kind(window.kind).spec(window)._replace(column_type="float64")
    if window.cutting_columns:
        spec = spec._replace(column=1)
    return timed(lambda: replay_keys(columns, spec, PLAN, ticks, rules))[0]
