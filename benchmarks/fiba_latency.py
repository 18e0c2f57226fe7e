"""FIBA, figures 7 to 10: how long single bulk evictions and bulk insertions take, measured by a clock in the loop."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from benchmarks.cycle_clock import nanoseconds_per_cycle
from benchmarks.fiba_throughput import AGGREGATES, SINGLE, TREE
from benchmarks.pages import Figure, verdict
from benchmarks.pictures import Panel, draw, sorted_latencies
from benchmarks.window_loops import ANY_ORDER, IN_ORDER, Driven, DrivenEvents

EVICT, INSERT = 0, 1
AXES = ("1 / share of operations that take longer", "µs")


@dataclass(frozen=True)
class Sizes:
    """window, of bloom a sixteenth; burst: m; turns: at most so many, and seconds: about so long per kernel, four times
    as long of sum."""

    window: int = 1 << 22
    burst: int = 1024
    turns: int = 100_000
    seconds: float = 1.0

    def window_of(self, aggregate: str) -> int:
        return self.window // 16 if aggregate == "bloom" else self.window


def nanoseconds(window: Driven, sizes: Sizes, per_cycle: float, seconds: float) -> np.ndarray:
    """Of each turn's eviction and insertion; kernels that are too slow for all turns do fewer."""
    window.time_slide(1, sizes.burst)
    found, began, done = [], perf_counter(), 0
    while done < sizes.turns and (done == 0 or perf_counter() - began < seconds):
        found.append(window.time_slide(min(64, sizes.turns - done), sizes.burst))
        done += len(found[-1])
    return np.concatenate(found) * per_cycle


def measured(aggregate: str, disorder: int, sizes: Sizes, per_cycle: float) -> dict[str, np.ndarray]:
    """By kernel: nanoseconds (turns, 2)."""
    found = {}
    for name in (*ANY_ORDER, *(() if disorder else IN_ORDER)):
        window = Driven(name, DrivenEvents([AGGREGATES[aggregate]]))
        window.fill(sizes.window_of(aggregate), disorder)
        found[name] = nanoseconds(window, sizes, per_cycle, sizes.seconds * (4 if aggregate == "sum" else 1))
        window.close()
    return found


def row(aggregate: str, name: str, of_one: np.ndarray) -> dict:
    """Median and tail in µs; a quantile that no operation lies above is no measurement."""
    quantiles = {"median, µs": 0.5, "p99.9, µs": 0.999, "p99.999, µs": 0.99999}
    quantile_texts = {
        title: f"{np.quantile(of_one, share) / 1e3:,.2f}" if len(of_one) * (1 - share) >= 0.99 else "too few"
        for title, share in quantiles.items()
    }
    return {"aggregate": aggregate, "kernel": name, **quantile_texts, "operations": len(of_one)}


class PaperFigure(NamedTuple):
    """A figure of the paper: of which operation, at which disorder, and what is looked for in it."""

    operation: str
    number: str
    column: int
    disorder: int
    verdicts: Callable[[dict, Sizes], list[str]]


def figures(folder: Path, sizes: Sizes) -> list[Figure]:
    """Figures 7, 8 and 9, then 10."""
    per_cycle, disorder = nanoseconds_per_cycle(), min(1024, sizes.window // 32)
    found = {
        (aggregate, d): measured(aggregate, d, sizes, per_cycle) for aggregate in AGGREGATES for d in (0, disorder)
    }
    wanted = (
        PaperFigure("evict", "7", EVICT, 0, _evict_verdicts),
        PaperFigure("insert", "8", INSERT, 0, _order_verdicts),
        PaperFigure("insert", "9", INSERT, disorder, _disorder_verdicts),
        PaperFigure("evict", "7, but out of order", EVICT, disorder, _disorder_evict_verdicts),
    )
    made = [_with_verdicts(each, found, sizes, folder) for each in wanted]
    longest = {name: all_of[:, EVICT].max() for name, all_of in found["sum", 0].items()}
    made[0].verdicts.append(_turning_verdict(longest))
    return [*made, free_list(folder, sizes, per_cycle)]


def _with_verdicts(wanted: PaperFigure, found: dict, sizes: Sizes, folder: Path) -> Figure:
    operation, number, column, disorder, verdicts = wanted
    of_figure = {
        aggregate: {name: all_of[:, column] for name, all_of in found[aggregate, disorder].items()}
        for aggregate in AGGREGATES
    }
    title = f"Latency of bulk {operation}, d = {disorder} (FIBA {number})"
    figure = _figure(title, of_figure, sizes, folder / f"fiba-latency-{operation}-d{disorder}.png")
    medians = {name: np.median(all_of, axis=0) for name, all_of in found["sum", disorder].items()}
    figure.verdicts = verdicts(medians, sizes)
    return figure


def _figure(title: str, of_figure: dict, sizes: Sizes, picture: Path) -> Figure:
    rows = [
        row(aggregate, name, all_of)
        for aggregate, of_kernels in of_figure.items()
        for name, all_of in of_kernels.items()
    ]
    panels = [
        Panel(aggregate, {name: sorted_latencies(all_of) for name, all_of in of_kernels.items()}, *AXES, base=10)
        for aggregate, of_kernels in of_figure.items()
    ]
    measured = (
        f"Time of each such operation in turns of bulk evict, bulk insert and query, m = {sizes.burst}; window "
        f"{sizes.window:,} entries, of bloom {sizes.window_of('bloom'):,}. In the picture the median stands at "
        "2, p99.9 at 1,000."
    )
    return Figure(title, measured, rows, picture=draw(picture, panels))


def _evict_verdicts(median: dict, sizes: Sizes) -> list[str]:
    loops = median[SINGLE][EVICT] / median[TREE][EVICT]
    forest = median["amortized_monoid_tree"][EVICT] / median[TREE][EVICT]
    about = sizes.burst / np.log2(sizes.burst)
    queue = median["daba_lite"][EVICT] / median[TREE][EVICT]
    return [
        verdict(
            loops > about / 3,
            f"{TREE}'s median is {loops:,.0f} times below that of {SINGLE} (sum); "
            f"expected: about m / log2 m = {about:.0f}, O(m log n) against O(log m) with other constants.",
        ),
        verdict(
            forest < 10,
            f"amortized_monoid_tree's median is {forest:.1f} times that of {TREE}; expected: both are logarithmic.",
        ),
        verdict(queue > 1, f"daba_lite's median is {queue:.1f} times that of {TREE}; expected: it goes through all m."),
    ]


def _turning_verdict(longest: dict) -> str:
    ratio = longest["two_stacks_lite"] / longest[TREE]
    return verdict(
        ratio > 1,
        f"two_stacks_lite's longest eviction takes {ratio:,.1f} times as long as {TREE}'s; "
        "expected: longer, since it turns the whole window around.",
    )


def _order_verdicts(median: dict, sizes: Sizes) -> list[str]:
    fastest = sorted(median, key=lambda name: median[name][INSERT])[:2]
    return [
        verdict(
            set(fastest) == {"two_stacks_lite", "daba_lite"},
            f"the lowest medians are those of {' and '.join(fastest)} (sum); expected: two_stacks_lite and daba_lite.",
        )
    ]


def _disorder_verdicts(median: dict, sizes: Sizes) -> list[str]:
    ratio = median[SINGLE][INSERT] / median[TREE][INSERT]
    return [verdict(ratio > 1, f"{TREE}'s median is {ratio:.1f} times below that of {SINGLE} (sum); expected: below.")]


def _disorder_evict_verdicts(median: dict, sizes: Sizes) -> list[str]:
    ratio = median[SINGLE][EVICT] / median[TREE][EVICT]
    return [
        verdict(
            ratio > sizes.burst / np.log2(sizes.burst) / 3,
            f"{TREE}'s median is {ratio:,.0f} times below that of {SINGLE} (sum); expected: as in order.",
        )
    ]


def free_list(folder: Path, sizes: Sizes, per_cycle: float) -> Figure:
    """Figure 10: bulk evictions with the deferred free list, and without."""
    rows, panels, medians = [], [], {}
    bursts = [each for each in _around(sizes.burst) if each <= sizes.window // 4]
    for burst in bursts:
        lines = {}
        for name, at_once in (("deferred", False), ("at once", True)):
            window = Driven(TREE, DrivenEvents([AGGREGATES["sum"]]), at_once)
            window.fill(sizes.window)
            some = replace(sizes, burst=burst)
            taken = nanoseconds(window, some, per_cycle, sizes.seconds)[:, EVICT]
            window.close()
            medians[name, burst], lines[f"freed {name}"] = np.median(taken), sorted_latencies(taken)
            rows.append({"m": str(burst), **row("sum", f"{TREE}, freed {name}", taken)})
        if burst in (bursts[0], bursts[len(bursts) // 2], bursts[-1]):
            panels.append(Panel(f"m = {burst}", lines, *AXES, base=10))
    measured = f"Time of a bulk evict in order, sum, window {sizes.window:,}."
    return Figure(
        "Deferred free list on and off (FIBA 10)",
        measured,
        rows,
        _free_verdicts(medians, bursts),
        draw(folder / "fiba-latency-free-list.png", panels),
    )


def _around(burst: int) -> list[int]:
    return [max(1, burst >> 4), max(2, burst >> 2), max(3, burst), burst << 2, burst << 4]


def _free_verdicts(medians: dict, bursts: list[int]) -> list[str]:
    first, last = bursts[0], bursts[-1]
    deferred, at_once = (medians[name, last] / medians[name, first] for name in ("deferred", "at once"))
    return [
        verdict(
            at_once > last / first / 8,
            f"freed at once, an eviction of {last} takes {at_once:.1f} times as long "
            f"as one of {first}; expected: about {last / first:.0f} times, linear in m.",
        ),
        verdict(
            deferred < at_once / 3,
            f"with the deferred list it takes {deferred:.1f} times as long; expected: far fewer, O(log m).",
        ),
    ]
