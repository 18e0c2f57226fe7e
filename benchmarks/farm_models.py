"""FARM, figures 27 to 34: both models of workers on sliding windows."""

import threading
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import NamedTuple

from benchmarks.farm_function import Windows
from benchmarks.farm_source import Configuration, fit_each, in_memory, paced, unpaced
from benchmarks.pages import Figure, verdict
from benchmarks.pictures import Panel, draw
from windrow.kernels.farm import Metrics
from windrow.kernels.farm.options import CHUNK_TUPLES

MODELS = ("active", "agnostic")
REACHED = (Configuration(5000, 100), Configuration(3000, 50))
BEYOND = (Configuration(5000, 50), Configuration(1000, 10))
IDEAL_OF_ONE = {**dict.fromkeys(REACHED, 1.6), **dict.fromkeys(BEYOND, 3.0)}
"""The ideal bandwidth as a multiple of what one worker does: two cores are enough, or are not."""
SLIDES = (500, 250, 100, 50, 10)
ENOUGH, NEAR, SCALES = 0.9, 1.15, 1.9


@dataclass(frozen=True)
class Sizes:
    """windows: of a run without a pace; seconds: of one with; workers: at most; rounds: of which the median counts."""

    windows: int = 2000
    seconds: float = 3.0
    workers: int = 3
    rounds: int = 9
    cores: int = 2


Runs = dict[tuple[str, Configuration, int], Metrics]


def paced_runs(sizes: Sizes) -> tuple[Runs, dict[Configuration, float]]:
    """Each model, configuration and number of workers at the configuration's ideal bandwidth; and that."""
    runs, ideal = {}, {}
    for asked, of_one in IDEAL_OF_ONE.items():
        alone = median(unpaced("agnostic", asked, 1, sizes.windows // 2).bandwidth for _ in range(3))
        ideal[asked] = of_one * alone
        for model in MODELS:
            for workers in range(1, sizes.workers + 1):
                runs[model, asked, workers] = paced(model, asked, workers, ideal[asked], sizes.seconds)
    return runs, ideal


def bandwidth(folder: Path, runs: Runs, ideal: dict[Configuration, float], sizes: Sizes) -> Figure:
    """Figures 27 and 28."""
    rows = [
        {"windows": asked.name, "model": model, "ideal": f"{ideal[asked]:,.0f}"}
        | {f"{n} workers": f"{runs[model, asked, n].bandwidth:,.0f}" for n in range(1, sizes.workers + 1)}
        for asked in IDEAL_OF_ONE
        for model in MODELS
    ]
    verdicts = [_reaches(runs, ideal, model, asked, sizes) for asked in REACHED for model in MODELS]
    verdicts += [_stays_below(runs, ideal, model, asked, sizes) for asked in BEYOND for model in MODELS]
    measured = (
        "Windows per second, where tuples come at a pace of so many (the ideal bandwidth): 1.6 times what one "
        "worker does for the first two kinds of windows, 3 times for the others. FARM had 16 cores; these two are "
        "to it what 7 to 9 and 13 workers were. A pace of the paper's own would leave one worker idle: its function "
        "took 500 ms a window."
    )
    panels = [_panel(asked, runs, sizes, "windows per second", lambda each: each.bandwidth) for asked in IDEAL_OF_ONE]
    return Figure("Bandwidth (FARM 27, 28)", measured, rows, verdicts, draw(folder / "farm-bandwidth.png", panels, 4))


def _panel(asked: Configuration, runs: Runs, sizes: Sizes, label: str, of) -> Panel:
    workers = list(range(1, sizes.workers + 1))
    lines = {model: (workers, [of(runs[model, asked, n]) for n in workers]) for model in MODELS}
    return Panel(asked.name, lines, "workers", label, "linear", "linear")


def _reaches(runs: Runs, ideal: dict, model: str, asked: Configuration, sizes: Sizes) -> str:
    share = runs[model, asked, min(sizes.cores, sizes.workers)].bandwidth / ideal[asked]
    return verdict(share >= ENOUGH, f"{model}, {asked.name}: {share:.0%} of the ideal bandwidth on two cores.")


def _stays_below(runs: Runs, ideal: dict, model: str, asked: Configuration, sizes: Sizes) -> str:
    share = max(runs[model, asked, n].bandwidth for n in range(1, sizes.workers + 1)) / ideal[asked]
    return verdict(share < ENOUGH, f"{model}, {asked.name}: at most {share:.0%} of an ideal that is beyond two cores.")


def completion(folder: Path, runs: Runs, sizes: Sizes) -> Figure:
    """Figures 29 and 30."""
    rows = [
        {"windows": asked.name, "model": model, "source": f"{sizes.seconds:.1f} s"}
        | {f"{n} workers": f"{runs[model, asked, n].completion_s:.2f} s" for n in range(1, sizes.workers + 1)}
        for asked in IDEAL_OF_ONE
        for model in MODELS
    ]
    verdicts = [_falls(runs, model, asked, sizes) for asked in IDEAL_OF_ONE for model in MODELS]
    measured = "From the first tuple to the last result, in the same runs; the source takes as long as it says."
    panels = [_panel(asked, runs, sizes, "seconds", lambda each: each.completion_s) for asked in IDEAL_OF_ONE]
    name = draw(folder / "farm-completion.png", panels, 4)
    return Figure("Completion time (FARM 29, 30)", measured, rows, verdicts, name)


def _falls(runs: Runs, model: str, asked: Configuration, sizes: Sizes) -> str:
    one, two = (runs[model, asked, n].completion_s for n in (1, min(sizes.cores, sizes.workers)))
    least = max(sizes.seconds, one / 2)
    return verdict(
        two < 1.15 * least, f"{model}, {asked.name}: {one:.2f} s, on two cores {two:.2f} s; least {least:.2f} s."
    )


def calculation(runs: Runs, sizes: Sizes) -> Figure:
    """Figure 31."""
    rows = [
        {"windows": asked.name, "model": model}
        | {f"{n} workers": f"{1e3 * runs[model, asked, n].calculation_s:.2f} ms" for n in range(1, sizes.workers + 1)}
        for asked in REACHED
        for model in MODELS
    ]
    most = max(
        runs["agnostic", asked, n].calculation_s / runs["active", asked, n].calculation_s
        for asked in REACHED
        for n in range(1, min(sizes.cores, sizes.workers) + 1)
    )
    measured = (
        "Mean time in the function per window, in the same runs; beyond two workers it has waits for a core in it."
    )
    shape = (
        f"an agnostic window takes at most {most:.2f} times as long as an active one (the paper: about 1.1, by its "
        "iterator)."
    )
    return Figure("Calculation time (FARM 31)", measured, rows, [verdict(most < NEAR, shape)])


def fragmentation(sizes: Sizes) -> Figure:
    """Figure 32."""
    rows, ratios = [], {}
    for slide in SLIDES:
        asked = Configuration(5000, slide)
        windows = max(20, sizes.windows // 8)
        cut = unpaced("agnostic", asked, 1, windows, chunk=asked.greatest_chunk)
        found = {model: unpaced(model, asked, 1, windows) for model in MODELS}
        ratios[slide] = cut.calculation_s / found["active"].calculation_s
        rows.append(
            {"slide": f"{slide} ms", "chunks of the paper": f"{cut.fragmentation:,.0f}"}
            | {"chunks": f"{found['agnostic'].fragmentation:,.0f}", "active": _ms(found["active"])}
            | {"agnostic, chunks of the paper": _ms(cut), "agnostic": _ms(found["agnostic"])}
        )
    measured = (
        "Mean time in the function per window of 5,000 ms, one worker. The paper cuts agnostic windows into chunks of "
        f"gcd(size, slide), here as many tuples as come in it; otherwise chunks have {CHUNK_TUPLES:,} tuples."
    )
    shape = (
        f"cut as in the paper, an agnostic window of {5000 // SLIDES[-1]} chunks takes {ratios[SLIDES[-1]]:.2f} times "
        f"as long as an active one, of {5000 // SLIDES[0]} chunks {ratios[SLIDES[0]]:.2f} times; the paper: chunks "
        "cost (its iterator)."
    )
    return Figure("Fragmentation (FARM 32)", measured, rows, [shape])


def _ms(found: Metrics) -> str:
    return f"{1e3 * found.calculation_s:.3f} ms"


class Round(NamedTuple):
    """Windows per second: of a farm with one worker and with two, of the function in one thread and in two."""

    worker: float
    workers: float
    thread: float
    threads: float


class Rounds(NamedTuple):
    """Rounds of one kind of windows."""

    rounds: list[Round]

    @property
    def workers(self) -> float:
        """Two workers ÷ one, median."""
        return median(each.workers / each.worker for each in self.rounds)

    @property
    def threads(self) -> float:
        """Two threads ÷ one, median: what the machine gives."""
        return median(each.threads / each.thread for each in self.rounds)

    @property
    def share(self) -> float:
        """Of what the machine gives in a round, median."""
        return median(each.workers / each.worker * each.thread / each.threads for each in self.rounds)

    def row(self) -> dict[str, str]:
        """Of a table."""
        return {
            "2 workers": f"{self.workers:.2f}",
            "2 threads": f"{self.threads:.2f}",
            "workers ÷ threads": f"{self.share:.0%}",
        }

    def verdict(self, name: str) -> str:
        """1.9 of two cores, of those that the machine gives."""
        return verdict(
            self.share >= SCALES / 2,
            f"{name}: {self.workers:.2f} times one worker, {self.share:.0%} of what two threads of the function gain.",
        )


HOW_SCALED = (
    "2 workers: bandwidth of two workers ÷ that of one, tuples as fast as they are taken. 2 threads: the same of the "
    "function alone, without a farm, for the same windows in memory: what the machine gives, whose two cores slow each "
    "other down. Medians of {rounds} rounds in which all four take turns; the last column is the median of their "
    "ratios. Two workers are to have 1.9 of two cores, which is 95%."
)


def scalability(sizes: Sizes) -> Figure:
    """Figures 33 and 34."""
    found = {(model, asked): scaled(model, asked, sizes) for asked in IDEAL_OF_ONE for model in MODELS}
    ratios = {asked: _of_two(found["agnostic", asked]) / _of_two(found["active", asked]) for asked in IDEAL_OF_ONE}
    rows = [
        {"windows": asked.name, "model": model}
        | rounds.row()
        | {"agnostic ÷ active": f"{ratios[asked]:.2f}" if model == "agnostic" else ""}
        for (model, asked), rounds in found.items()
    ]
    verdicts = [rounds.verdict(f"{model}, {asked.name}") for (model, asked), rounds in found.items()]
    verdicts += [
        verdict(ratio > 1 / NEAR, f"{asked.name}: agnostic has {ratio:.2f} times the bandwidth of active.")
        for asked, ratio in ratios.items()
    ]
    measured = f"{HOW_SCALED.format(rounds=sizes.rounds)} Agnostic ÷ active is of two workers, their best rounds."
    return Figure("Scalability (FARM 33, 34)", measured, rows, verdicts)


def _of_two(rounds: Rounds) -> float:
    return max(each.workers for each in rounds.rounds)


def scaled(model: str, asked: Configuration, sizes: Sizes) -> Rounds:
    """By one worker and by two, by one thread and by two, all of the windows each."""
    windows = in_memory(asked, sizes.windows // 2)
    fit_each(windows)
    return Rounds([_round(model, asked, sizes, windows) for _ in range(sizes.rounds)])


def _round(model: str, asked: Configuration, sizes: Sizes, windows: Windows) -> Round:
    of_farms = [unpaced(model, asked, workers, sizes.windows // 2).bandwidth for workers in (1, min(2, sizes.workers))]
    return Round(*of_farms, *(threads / _seconds(threads, windows) for threads in (1, 2)))


def _seconds(threads: int, windows: Windows) -> float:
    running = [threading.Thread(target=fit_each, args=(windows,)) for _ in range(threads)]
    began_s = time.perf_counter()
    for each in running:
        each.start()
    for each in running:
        each.join()
    return time.perf_counter() - began_s
