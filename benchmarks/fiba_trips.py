"""FIBA, figures 15 and 16: real bike trips through a window of a day, one by one as they end, with bulk evictions."""

from bisect import bisect_right, insort
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from pyarrow import csv

from benchmarks.fiba_throughput import AGGREGATES, SINGLE, TREE
from benchmarks.pages import Figure, verdict
from benchmarks.pictures import Panel, draw
from benchmarks.window_loops import ANY_ORDER, Driven, DrivenEvents

TRIPS = Path("bikes") / "citibike-jc"
MOST_TRIPS, ROUNDS = 1 << 20, 3
DAY_MS = 86_400_000
PLACES = 1 << 20
"""Of a millisecond: a window holds one entry of a time, so trips that begin together get times in turn."""
HEAVY_TAIL = 100
"""So many times the median the greatest is, where a line counts as heavy-tailed."""


class TripsOfADay(NamedTuple):
    """Trips in the order in which they end, each with the times of the window after it: int64, in PLACES a millisecond.
    until: what is not younger is evicted."""

    times: np.ndarray
    until: np.ndarray

    @classmethod
    def read(cls, landing: Path, most: int = MOST_TRIPS) -> "TripsOfADay":
        """Those of the files of Jersey City; their clock is the city's, as written."""
        files = [csv.read_csv(path) for path in sorted((landing / TRIPS).glob("*.csv.gz"))]
        of_all = pa.concat_tables([each.select(["starttime", "stoptime"]) for each in files])
        start_ms, stop_ms = (
            np.asarray(of_all[name].cast(pa.timestamp("ms"), safe=False)).astype(np.int64)
            for name in of_all.column_names
        )
        in_order = np.argsort(stop_ms, kind="stable")[:most]
        start_ms = start_ms[in_order] - start_ms.min()
        until_ms = np.maximum.accumulate(start_ms) - DAY_MS
        return cls(start_ms * PLACES + np.arange(len(start_ms)), until_ms * PLACES + PLACES - 1)


class WindowShapes(NamedTuple):
    """After each trip: n, how many entries the window holds; m, how many the trip has evicted; d, how many entries are
    younger than it."""

    n: np.ndarray
    m: np.ndarray
    d: np.ndarray

    @classmethod
    def of(cls, trips: TripsOfADay) -> "WindowShapes":
        """By a sorted list. O(trips · d)."""
        held: list[int] = []
        found, oldest = np.zeros((3, len(trips.times)), np.int64), 0
        for row, (time, until) in enumerate(zip(trips.times.tolist(), trips.until.tolist(), strict=True)):
            insort(held, time, oldest)
            younger = len(held) - bisect_right(held, time, oldest)
            kept = bisect_right(held, until, oldest)
            found[:, row] = len(held) - kept, kept - oldest, younger
            oldest = kept
        return cls(*found)


def figures(folder: Path, landing: Path, most: int = MOST_TRIPS) -> list[Figure]:
    """Both."""
    trips = TripsOfADay.read(landing, most)
    return [_shapes(folder, WindowShapes.of(trips), len(trips.times)), _throughput(trips)]


def _shapes(folder: Path, shapes: WindowShapes, count: int) -> Figure:
    names = {"n": "entries in the window", "m": "entries that a trip evicts", "d": "younger entries as a trip comes"}
    rows, panels, verdicts = [], [], []
    for (letter, title), values in zip(names.items(), shapes, strict=True):
        quantiles = {name: int(np.quantile(values, share)) for name, share in (("median", 0.5), ("99 %", 0.99))}
        greatest = int(values.max())
        rows.append({"of a trip": f"{letter}, {title}", "least": int(values.min()), **quantiles, "greatest": greatest})
        edges = np.append(0, 1 << np.arange(21))
        counts = np.histogram(values, edges)[0]
        held = np.flatnonzero(counts)
        panels.append(
            Panel(
                f"{letter}: {title}",
                {"trips": (edges[held].tolist(), counts[held].tolist())},
                letter,
                "trips",
                "symlog",
            )
        )
        if letter != "n":
            times = greatest / max(quantiles["median"], 1)
            says = (
                f"the greatest {letter} is {times:,.0f} times the median; expected: a heavy tail, {HEAVY_TAIL} or more."
            )
            verdicts.append(verdict(times >= HEAVY_TAIL, says))
    times = shapes.n.max() / np.quantile(shapes.n, 0.05)
    verdicts.append(
        verdict(times >= 2, f"the greatest n is {times:.1f} times that of one trip in twenty; expected: broad.")
    )
    measured = (
        f"{count:,} trips of Jersey City, August to December 2018, in the order in which they end; window: a day."
    )
    picture = draw(folder / "fiba-trips.png", panels)
    return Figure("Shape of real windows (FIBA 15)", measured, rows, verdicts, picture)


def _throughput(trips: TripsOfADay) -> Figure:
    speeds = {
        (name, aggregate): max(_speed(name, aggregate, trips) for _ in range(ROUNDS))
        for aggregate in AGGREGATES
        for name in ANY_ORDER
    }
    rows = [{"kernel": name, **{each: speeds[name, each] for each in AGGREGATES}} for name in ANY_ORDER]
    times = {each: speeds[TREE, each] / speeds[SINGLE, each] for each in AGGREGATES}
    verdicts = [
        verdict(ratio > 1, f"{each}: {TREE} is {ratio:.2f} times as fast as {SINGLE}; expected: ahead.")
        for each, ratio in times.items()
    ]
    measured = (
        "Million trips a second: insert one, evict what is a day older than the youngest, query. The better of "
        f"{ROUNDS} rounds. Kernels for order can't take them."
    )
    return Figure("Throughput of real trips (FIBA 16)", measured, rows, verdicts)


def _speed(name: str, aggregate: str, trips: TripsOfADay) -> float:
    window = Driven(name, DrivenEvents([AGGREGATES[aggregate]]))
    seconds = window.pass_by(trips.times, trips.until)
    window.close()
    return len(trips.times) / seconds / 1e6
