"""First light, kernel part: the window of `bikes_demand` (1 day by 5 minutes; sum, max, count) over many keys.

    python -m benchmarks.first_light_kernel [--events 10000000] [--keys 1000] [--runs 3] [--data ../shared/data]

One core; all rows are made. In order: every event arrives at its start. Disorder: every event arrives at its start
plus the duration of a trip drawn from New York's trips (with --data absent: from a log-normal distribution of the same
median and 99th percentile, noted so in the output). Lateness 1 hour, allowed lateness 1 day, emit watermark: the rules
of `bikes_demand`.

What is timed is `replay_keys`: arrays in, sorted result columns out; not the making of the events, nor the pass ticks.
Seconds are processor seconds of the one thread, the least of the runs: other work on the machine then costs caches,
not seconds.
"""

import argparse
import csv
import gzip
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from windrow.kernels.api import AggregatePlan, EventColumns, PassTicks, ReplayRules, ResultRows, WindowSpec, replay_keys
from windrow.kernels.monoids import AggregateSpec

SECOND, DAY = 1_000_000, 86_400_000_000
WINDOW = WindowSpec("sliding", DAY, 300 * SECOND)
PLAN = AggregatePlan((AggregateSpec("sum", 0), AggregateSpec("max", 0), AggregateSpec("count")))
RULES = ReplayRules(lateness_us=3600 * SECOND, allowed_us=DAY, emit="watermark")
FIRST_US = 1_496_275_200 * SECOND
MEDIAN_S, P99_S = 542, 4134


class Case(NamedTuple):
    """One measurement: events in all, keys, days that they span, whether they arrive in order."""

    name: str
    events: int
    keys: int
    days: int
    in_order: bool


def trip_durations_us(data: Path, random: np.random.Generator) -> tuple[np.ndarray, str]:
    """Durations of real trips, or drawn ones, and where they come from."""
    files = sorted((data / "bikes" / "citibike-nyc-2017").glob("trips-*.csv.gz"))
    if not files:
        drawn = random.lognormal(np.log(MEDIAN_S), np.log(P99_S / MEDIAN_S) / 2.326, 300_000)
        return (drawn * SECOND).astype(
            np.int64
        ), f"log-normal, median {MEDIAN_S} s, 99th percentile {P99_S} s (no real files)"
    seconds = []
    for file in files:
        with gzip.open(file, "rt", newline="") as lines:
            seconds += [int(float(row["duration"])) for row in csv.DictReader(lines)]
    return np.array(seconds, np.int64) * SECOND, f"{len(seconds):,} real trips of {len(files)} days in New York"


def make_events(case: Case, durations_us: np.ndarray, random: np.random.Generator) -> tuple[EventColumns, PassTicks]:
    """Starts even over the span, keys even at random; columns sorted by (key, arrival)."""
    start = np.sort(random.integers(0, case.days * DAY, case.events)) + FIRST_US
    key = random.integers(0, case.keys, case.events)
    value = random.choice(durations_us, case.events)
    arrival = start if case.in_order else start + value
    order = np.lexsort((arrival, key))
    offsets = np.concatenate(([0], np.cumsum(np.bincount(key, minlength=case.keys))))
    columns = EventColumns(
        offsets, start[order], arrival[order], (value[order] // SECOND)[None, :], np.ones((1, case.events), np.bool_)
    )
    return columns, make_ticks(arrival, start)


def make_ticks(arrival: np.ndarray, start: np.ndarray) -> PassTicks:
    """The staircase of the stream."""
    order = np.argsort(arrival, kind="stable")
    ticks, newest = arrival[order], np.maximum.accumulate(start[order])
    last_of_tick = np.append(ticks[1:] != ticks[:-1], True)
    ticks, newest = ticks[last_of_tick], newest[last_of_tick]
    raises = np.append(True, newest[1:] > newest[:-1])
    return PassTicks(ticks[raises], newest[raises])


def measure(columns: EventColumns, ticks: PassTicks, runs: int) -> tuple[float, float, ResultRows]:
    """Least processor seconds and wall seconds of some runs, and the rows."""
    seconds, walls = [], []
    for _ in range(runs):
        wall, used = time.perf_counter(), time.thread_time()
        rows = replay_keys(columns, WINDOW, PLAN, ticks, RULES)
        seconds.append(time.thread_time() - used)
        walls.append(time.perf_counter() - wall)
    return min(seconds), min(walls), rows


def report(case: Case, seconds: float, wall: float, rows: ResultRows) -> str:
    """One line."""
    made = len(rows.key)
    late = int((rows.revision > 0).sum())
    return (
        f"{case.name:<34} {case.events / seconds / 1e6:6.2f} M events/s  "
        f"{made / seconds / 1e6:6.2f} M rows/s  "
        f"{seconds:6.2f} s cpu  {wall:6.2f} s wall  {made:>11,} rows "
        f"({made / case.events:.2f} an event, {late:,} revisions)"
    )


def cases(events: int, keys: int) -> list[Case]:
    """A dense week and a span four times as long, both in order and disordered."""
    dense = max(1, round(events / keys / 1400))
    return [
        Case(f"{name}, {order}", events, keys, days, order == "in order")
        for name, days in (
            (f"{events / keys / dense:,.0f} events a key-day, {dense} days", dense),
            (f"{events / keys / dense / 4:,.0f} events a key-day, {4 * dense} days", 4 * dense),
        )
        for order in ("in order", "disorder")
    ]


def main(arguments: list[str] | None = None) -> list[str]:
    """Measure all cases and print them; returns the lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--keys", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    chosen = parser.parse_args(arguments)
    random = np.random.default_rng(20_170_609)
    durations, source = trip_durations_us(chosen.data, random)
    lines = [f"{chosen.events:,} events, {chosen.keys:,} keys; least of {chosen.runs} runs; disorder: {source}"]
    print(lines[0], flush=True)
    for case in cases(chosen.events, chosen.keys):
        columns, ticks = make_events(case, durations, random)
        lines.append(report(case, *measure(columns, ticks, chosen.runs)))
        print(lines[-1], flush=True)
    return lines


if __name__ == "__main__":
    main()
