"""What exact order statistics cost next to sketches, in µs of processor time a row: windows of 1 day by 5 minutes.

    python -m benchmarks.order_statistics [--events 20000]

One key, in order, and with some events late by up to twelve hours, each of which revises all windows that it meets.
Both sides are whole replays of the same events with one aggregate; at most 3 times the sketch is wanted.
"""

import argparse

import numpy as np

from benchmarks.growth_replay import SECOND, columns_of
from benchmarks.processor import timed
from windrow.kernels.api import AggregatePlan, PassTicks, ReplayRules, WindowSpec, replay_keys
from windrow.kernels.monoids import AggregateSpec

HOUR = 3600 * SECOND
WINDOW = WindowSpec("sliding", 24 * HOUR, 300 * SECOND)
SKETCHES = {"median": "approx_quantile", "quantile": "approx_quantile", "count_distinct": "approx_distinct"}
SKETCHES["mode"] = "approx_distinct"
LATE = {"in order": 0.0, "0.1 % late": 0.001, "1 % late": 0.01}


def stream(events: int, late: float) -> tuple[np.ndarray, np.ndarray]:
    """Start and arrival of an event every 30 s, in order of arrival."""
    random = np.random.default_rng(1)
    starts = np.arange(events) * 30 * SECOND
    delays = np.where(random.random(events) < late, random.integers(1, 12 * HOUR, events), 0)
    order = np.argsort(starts + delays, kind="stable")
    return starts[order], (starts + delays)[order]


def microseconds_a_row(function: str, starts: np.ndarray, arrivals: np.ndarray, times: int = 2) -> tuple[float, int]:
    """The least of some replays, and how many rows there are."""
    columns = columns_of(starts, arrivals)
    values = np.random.default_rng(2).normal(size=(1, len(starts))).round(3)
    columns = columns._replace(values=values.view(np.int64))
    plan = AggregatePlan((AggregateSpec(function, 0, "float64"),))
    newest = np.maximum.accumulate(starts)
    ticks, places = np.unique(arrivals, return_index=True)
    steps = PassTicks(ticks, newest[np.append(places[1:], len(arrivals)) - 1])
    rules = ReplayRules(0, 24 * HOUR, "watermark", int(ticks[-1]))
    runs = [timed(lambda: len(replay_keys(columns, WINDOW, plan, steps, rules).key)) for _ in range(times)]
    seconds, rows = min(runs)
    return seconds / rows * 1e6, rows


def main(arguments: list[str] | None = None) -> list[str]:
    """A line for each disorder and aggregate."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=20_000)
    events = parser.parse_args(arguments).events
    lines = []
    for name, late in LATE.items():
        starts, arrivals = stream(events, late)
        total, rows = microseconds_a_row("sum", starts, arrivals)
        lines.append(f"{name}: {events:,} events, {rows:,} rows; sum {total:.2f} µs a row")
        sketches = {each: microseconds_a_row(each, starts, arrivals)[0] for each in sorted(set(SKETCHES.values()))}
        for exact, sketch in SKETCHES.items():
            found, wanted = microseconds_a_row(exact, starts, arrivals)[0], sketches[sketch]
            lines.append(f"  {exact:15} {found:7.2f}   {sketch:16} {wanted:7.2f}   {found / wanted:5.2f} times")
    return lines


if __name__ == "__main__":
    print("\n".join(main()))
