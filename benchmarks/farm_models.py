"""FARM, figures 27 to 34: both models of workers on sliding windows."""

from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benchmarks.farm_source import Configuration, paced, unpaced
from benchmarks.pages import Figure, verdict
from benchmarks.pictures import Panel, draw
from kernels.farm import Metrics

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

    windows: int = 600
    seconds: float = 3.0
    workers: int = 3
    rounds: int = 5
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
        found = {model: unpaced(model, asked, 1, windows) for model in MODELS}
        ratios[slide] = found["agnostic"].calculation_s / found["active"].calculation_s
        rows.append(
            {"slide": f"{slide} ms", "chunks a window": f"{found['agnostic'].fragmentation:,.0f}"}
            | {model: f"{1e3 * each.calculation_s:.3f} ms" for model, each in found.items()}
        )
    measured = (
        "Mean time in the function per window of 5,000 ms, one worker; agnostic windows are cut into chunks of "
        "gcd(size, slide)."
    )
    shape = (
        f"an agnostic window of {5000 // SLIDES[-1]} chunks takes {ratios[SLIDES[-1]]:.2f} times as long as an "
        f"active one, of {5000 // SLIDES[0]} chunks {ratios[SLIDES[0]]:.2f} times; the paper: chunks cost (its "
        "iterator), here stretches of memory hardly do."
    )
    return Figure("Fragmentation (FARM 32)", measured, rows, [shape])


def scalability(sizes: Sizes) -> Figure:
    """Figures 33 and 34."""
    found = {(model, asked): _scalability(model, asked, sizes) for asked in IDEAL_OF_ONE for model in MODELS}
    rows = [
        {"windows": asked.name, "model": model, "2 workers": f"{times:.2f}", "agnostic ÷ active": ""}
        for (model, asked), (times, _) in found.items()
    ]
    verdicts = [
        verdict(times >= SCALES, f"{model}, {asked.name}: {times:.2f} times one worker.")
        for (model, asked), (times, _) in found.items()
    ]
    for asked in IDEAL_OF_ONE:
        ratio = found["agnostic", asked][1] / found["active", asked][1]
        rows[[(row["windows"], row["model"]) for row in rows].index((asked.name, "agnostic"))]["agnostic ÷ active"] = (
            f"{ratio:.2f}"
        )
        verdicts.append(
            verdict(ratio > 1 / NEAR, f"{asked.name}: agnostic has {ratio:.2f} times the bandwidth of active.")
        )
    measured = (
        "Bandwidth of two workers ÷ that of one, tuples as fast as they are taken; of active and agnostic workers also "
        f"the bandwidths of two. Medians of {sizes.rounds} rounds that take turns."
    )
    return Figure("Scalability (FARM 33, 34)", measured, rows, verdicts)


def _scalability(model: str, asked: Configuration, sizes: Sizes) -> tuple[float, float]:
    """Two workers ÷ one, and the bandwidth of two."""
    pairs = [
        [unpaced(model, asked, workers, sizes.windows // 2).bandwidth for workers in (1, min(2, sizes.workers))]
        for _ in range(sizes.rounds)
    ]
    return median(two / one for one, two in pairs), median(two for _, two in pairs)
