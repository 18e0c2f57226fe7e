"""The same fits by what else there is: SciPy in a loop, on a pool of processes, and Spark over expanded windows.

One key, a tuple every few seconds, polynomials of degree 2 over windows of 1 h by 1 min. Every way fits the same
windows; processor seconds are of this process and of all that it starts, workers that stay alive included.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from statistics import median

import numpy as np
import pandas as pd
import pyarrow as pa
from scipy.optimize import curve_fit

from benchmarks.farm_source import FIT
from benchmarks.pages import Figure
from benchmarks.processor import Spent, spent, tree_s
from kernels import farm
from schemas.query import sliding

HOUR_US, MINUTE_US = 3_600_000_000, 60_000_000
TARGET, DEGREE = 50.0, 2
LEAST = DEGREE + 2
"""Tuples of a window that is fitted: one more than coefficients, so that the fit has a covariance."""
A_POOL = 2
TICK_S = 0.01
PARTS_OF_A_PROCESS = 4


@dataclass(frozen=True)
class PeerSizes:
    """hours: of tuples; distances_s: between two; rounds: of which the median counts."""

    hours: int = 100
    distances_s: tuple[int, ...] = (60, 15, 1)
    rounds: int = 3


class Series:
    """Times and values of one key."""

    def __init__(self, hours: int, distance_s: int):
        chance = np.random.default_rng(3)
        self.times_us = np.arange(0, hours * HOUR_US, distance_s * 1_000_000)
        seconds = self.times_us / 1e6
        self.values = 20 + 5 * np.sin(seconds / 9000) + chance.normal(0, 0.3, len(seconds))

    def windows(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Seconds since the start and values of each window, as views."""
        last = self.times_us[-1]
        for start in range(-HOUR_US + MINUTE_US, int(last) + 1, MINUTE_US):
            low, high = np.searchsorted(self.times_us, (start, start + HOUR_US))
            if high - low >= LEAST:
                yield (self.times_us[low:high] - start) / 1e6, self.values[low:high]


def parabola(x, a, b, c):
    """What is fitted."""
    return (c * x + b) * x + a


def jacobian(x, a, b, c):
    """SciPy is quickest with it."""
    return np.stack([np.ones_like(x), x, x * x], axis=1)


def by_scipy(window: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """One fit, by the same method."""
    return curve_fit(parabola, *window, jac=jacobian, p0=(0.0, 0.0, 0.0))[0]


def all_by_scipy(series: Series) -> np.ndarray:
    """In a loop."""
    return np.array([by_scipy(window) for window in series.windows()])


def all_by_polyfit(series: Series) -> np.ndarray:
    """In a loop, by NumPy's direct solution."""
    return np.array([np.polyfit(*window, DEGREE)[::-1] for window in series.windows()])


def all_by_pool(series: Series) -> np.ndarray:
    """On two processes, in few parts: windows travel by pickle."""
    windows = list(series.windows())
    with ProcessPoolExecutor(A_POOL) as pool:
        chunk = -(-len(windows) // (A_POOL * PARTS_OF_A_PROCESS))
        return np.array(list(pool.map(by_scipy, windows, chunksize=chunk)))


def all_by_farm(series: Series) -> np.ndarray:
    """Two workers."""
    window = sliding(timedelta(hours=1), timedelta(minutes=1))
    with farm.make("agnostic", window, FIT, 2) as made:
        made.insert(series.times_us, series.values)
        made.finish()
        results = made.take()
    return results.outputs[results.tuples >= LEAST, : DEGREE + 1]


def fit_of_group(table: pa.Table) -> pa.Table:
    """What applyInArrow calls for each window."""
    start = table["window_start"][0].as_py()
    seconds = (table["at_us"].to_numpy() - start) / 1e6
    order = np.argsort(seconds, kind="stable")
    fitted = by_scipy((seconds[order], table["value"].to_numpy()[order])) if len(order) >= LEAST else [np.nan] * 3
    return pa.table({"window_start": [start], **{f"c{k}": [float(each)] for k, each in enumerate(fitted)}})


def all_by_spark(session, series: Series) -> np.ndarray:
    """Each tuple copied into its 60 windows, which are grouped, and fitted one by one."""
    from pyspark.sql import functions as F

    rows = session.createDataFrame(pd.DataFrame({"at_us": series.times_us, "value": series.values}))
    newest = F.col("at_us") - F.col("at_us") % MINUTE_US
    starts = F.sequence(newest - (HOUR_US - MINUTE_US), newest, F.lit(MINUTE_US))
    expanded = rows.withColumn("window_start", F.explode(starts))
    made = expanded.groupBy("window_start").applyInArrow(
        fit_of_group, "window_start LONG, c0 DOUBLE, c1 DOUBLE, c2 DOUBLE"
    )
    found = made.orderBy("window_start").toPandas().dropna()
    return found[["c0", "c1", "c2"]].to_numpy()


WAYS: dict[str, Callable[[Series], np.ndarray]] = {
    "curve_fit in a loop": all_by_scipy,
    "numpy.polyfit in a loop": all_by_polyfit,
    "curve_fit, ProcessPoolExecutor(2)": all_by_pool,
}


def peers(sizes: PeerSizes, session=None) -> Figure:
    """Each way, for each density of tuples."""
    rows, verdicts = [], []
    for distance_s in sizes.distances_s:
        series = Series(sizes.hours, distance_s)
        ways = WAYS | ({"curve_fit, Spark's applyInArrow": lambda of: all_by_spark(session, of)} if session else {})
        found = {
            name: _spent(way, series, sizes.rounds) for name, way in {"farm, 2 workers": all_by_farm, **ways}.items()
        }
        ours = found["farm, 2 workers"]
        count = len(all_by_farm(series))
        for name, each in found.items():
            rows.append(
                {
                    "tuples a window": f"{HOUR_US // 1_000_000 // distance_s:,}",
                    "way": name,
                    "processor µs a window": f"{1e6 * each.processor_s / count:,.1f}",
                    "÷ farm": f"{_times(each, ours):,.1f}",
                    "seconds": f"{each.wall_s:.2f}",
                    "seconds ÷ farm": f"{each.wall_s / ours.wall_s:,.1f}",
                }
            )
        times = _times(found["curve_fit in a loop"], ours)
        holds = "As asked for" if times >= TARGET else "NOT as asked for"
        verdicts.append(
            f"{holds}: {times:.0f} times curve_fit at a tuple every {distance_s} s; at least {TARGET:.0f} are asked "
            "for."
        )
    measured = (
        f"{sizes.hours} hours of one key, a fit of degree 2 for each window of 1 h by 1 min. Processor seconds of "
        "everything, of the farm too: its threads, taking tuples, giving results. curve_fit has the Jacobian and "
        f"begins where the farm does. Medians of {sizes.rounds} rounds."
    )
    return Figure("Next to what else there is", measured, rows, verdicts)


def _times(one: Spent, other: Spent) -> float:
    """How often the processor seconds of the other; below a tick of its clock they count as one."""
    return one.processor_s / max(other.processor_s, TICK_S)


def spent_here(way: Callable[[Series], np.ndarray], series: Series) -> Spent:
    """This process by its own clock, which has nanoseconds; those that it starts by ticks of 10 ms."""
    before_s, own_s = tree_s(), time.process_time()
    wall_s = spent(lambda: way(series)).wall_s
    own_s, all_s = time.process_time() - own_s, tree_s() - before_s
    return Spent(wall_s, max(own_s, all_s))


def _spent(way: Callable[[Series], np.ndarray], series: Series, rounds: int) -> Spent:
    """Median by processor seconds, after a round that loads and starts what it needs, and whose answers are right."""
    expected = all_by_polyfit(series)
    assert np.allclose(way(series), expected, rtol=1e-5, atol=1e-9)
    every = [spent_here(way, series) for _ in range(rounds)]
    return Spent(median(each.wall_s for each in every), median(each.processor_s for each in every))
