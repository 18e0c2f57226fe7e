"""The same fits by what else there is: SciPy in a loop, on a pool of processes, and Spark over expanded windows.

One key, a tuple every few seconds, polynomials of degree 2 over windows of 1 h by 1 min. Every way fits the same
windows; processor seconds are of this process, and of all that a way starts, workers that stay alive included.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from statistics import median

import numpy as np
import pandas as pd
import pyarrow as pa
from joblib import Parallel, delayed
from scipy.optimize import curve_fit

from benchmarks.farm_function import Windows, compute_each
from benchmarks.farm_source import FIT
from benchmarks.pages import Figure
from benchmarks.processor import Spent, started_s
from windrow.kernels import farm
from windrow.schemas.query import sliding

HOUR_US, MINUTE_US = 3_600_000_000, 60_000_000
TARGET, DEGREE = 50.0, 2
LEAST = DEGREE + 2
"""Tuples of a window that is fitted: one more than coefficients, so that the fit has a covariance."""
A_POOL = 2
PARTS_OF_A_PROCESS = 4
FARM, FUNCTION, CURVE_FIT = "farm, 2 workers", "function only, 1 thread", "curve_fit in a loop"
POLYFIT = "numpy.polyfit in a loop"


@dataclass(frozen=True)
class PeerSizes:
    """hours: of tuples, by the seconds between two; rounds: of which the median counts.

    What takes longest, a second's tuples by Spark, has a quarter of the windows.
    """

    hours: Mapping[int, int] = field(default_factory=lambda: {60: 200, 6: 200, 1: 50})
    rounds: int = 3


class Series:
    """Times and values of one key."""

    def __init__(self, hours: int, distance_s: int):
        chance = np.random.default_rng(3)
        self.times_us = np.arange(0, hours * HOUR_US, distance_s * 1_000_000)
        seconds = self.times_us / 1e6
        self.values = 20 + 5 * np.sin(seconds / 9000) + chance.normal(0, 0.3, len(seconds))

    def bounds(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """First tuple, end and start of each window."""
        starts_us = np.arange(-HOUR_US + MINUTE_US, int(self.times_us[-1]) + 1, MINUTE_US)
        lows, highs = (np.searchsorted(self.times_us, starts_us + more) for more in (0, HOUR_US))
        is_fitted = highs - lows >= LEAST
        return lows[is_fitted], highs[is_fitted], starts_us[is_fitted]

    def windows(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Seconds since the start and values of each window."""
        for low, high, start_us in zip(*self.bounds(), strict=True):
            yield (self.times_us[low:high] - start_us) / 1e6, self.values[low:high]


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


def all_by_joblib(series: Series) -> np.ndarray:
    """The same by joblib, which chooses the parts."""
    return np.array(Parallel(n_jobs=A_POOL)(delayed(by_scipy)(window) for window in series.windows()))


def all_by_function(series: Series) -> np.ndarray:
    """What the farm's workers call, and nothing of the farm."""
    return compute_each(FIT, Windows(series.times_us, series.values, *series.bounds()))[:, : DEGREE + 1]


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


HERE = (FARM, FUNCTION, CURVE_FIT, POLYFIT)
"""Ways that start no process."""
WAYS: dict[str, Callable[[Series], np.ndarray]] = {
    FARM: all_by_farm,
    FUNCTION: all_by_function,
    CURVE_FIT: all_by_scipy,
    POLYFIT: all_by_polyfit,
    "curve_fit, ProcessPoolExecutor(2)": all_by_pool,
    "curve_fit, joblib, 2 processes": all_by_joblib,
}


def peers(sizes: PeerSizes, session=None) -> Figure:
    """Each way, for each density of tuples."""
    rows, verdicts, counts = [], [], []
    ways = WAYS | ({"curve_fit, Spark's applyInArrow": lambda of: all_by_spark(session, of)} if session else {})
    for distance_s, hours in sizes.hours.items():
        series = Series(hours, distance_s)
        tuples, count = f"{HOUR_US // 1_000_000 // distance_s:,}", len(series.bounds()[0])
        found = {name: _spent(way, series, sizes.rounds, name in HERE) for name, way in ways.items()}
        rows += [_row(tuples, name, each, found[FARM], count) for name, each in found.items()]
        verdicts.append(_verdict(tuples, found))
        counts.append(f"{count:,} of {tuples} tuples")
    return Figure("Next to what else there is", _measured(sizes, counts), rows, verdicts)


def _row(tuples: str, name: str, each: Spent, ours: Spent, count: int) -> dict:
    return {
        "tuples a window": tuples,
        "way": name,
        "processor µs a window": f"{1e6 * each.processor_s / count:,.1f}",
        "÷ farm": f"{each.processor_s / ours.processor_s:,.1f}",
        "seconds": f"{each.wall_s:.3f}",
        "seconds ÷ farm": f"{each.wall_s / ours.wall_s:,.1f}",
    }


def _verdict(tuples: str, found: dict[str, Spent]) -> str:
    times, alone = (found[CURVE_FIT].processor_s / found[way].processor_s for way in (FARM, FUNCTION))
    holds = "As asked for" if times >= TARGET else "NOT as asked for"
    return (
        f"{holds}: windows of {tuples} tuples take curve_fit {times:.0f} times the farm's processor seconds, and "
        f"{alone:.0f} times the function's; at least {TARGET:.0f} are asked for."
    )


def _measured(sizes: PeerSizes, counts: list[str]) -> str:
    return (
        f"A fit of degree 2 for each window of 1 h by 1 min of one key: {', '.join(counts)}; fewer at both ends. "
        "Processor seconds are of everything: of the farm its threads, taking tuples and giving results; of the others "
        "their processes, the start of the pool's too, while Spark's session and joblib's processes are there before. "
        "The function only is called by address for one window after another, which are parts of one array. curve_fit "
        f"has the Jacobian and begins where the farm does. Medians of {sizes.rounds} rounds, after one that isn't "
        "counted."
    )


def spent_by(way: Callable[[Series], np.ndarray], series: Series, is_here: bool) -> Spent:
    """This process by its own clock, which has nanoseconds: what a few thousand fits take is a few ticks of /proc's.
    Those that it has started are counted where the way uses them: Spark's JVM, which is idle, was half of the farm's
    seconds."""
    others_s, own_s, began_s = started_s(), time.process_time(), time.perf_counter()
    way(series)
    wall_s, own_s = time.perf_counter() - began_s, time.process_time() - own_s
    return Spent(wall_s, own_s if is_here else own_s + started_s() - others_s)


def _spent(way: Callable[[Series], np.ndarray], series: Series, rounds: int, is_here: bool) -> Spent:
    """Median by processor seconds, after a round that loads and starts what it needs, and whose answers are right."""
    expected = all_by_polyfit(series)
    assert np.allclose(way(series), expected, rtol=1e-5, atol=1e-9)
    every = [spent_by(way, series, is_here) for _ in range(rounds)]
    return Spent(median(each.wall_s for each in every), median(each.processor_s for each in every))
