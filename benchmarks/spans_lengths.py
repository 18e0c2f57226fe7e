"""SPANS, figures 10 and 11: throughput by the length of events."""

from pathlib import Path

from benchmarks.pages import Figure, verdict
from benchmarks.pictures import Panel, draw
from benchmarks.shapes import falls, spread
from benchmarks.spans_source import KERNELS, SWEEPING, RangeBySlide, Sizes, Way, generated, named, throughputs

LENGTHS_S = (10, 100, 500, 2_000, 10_000)
RANGES_S = (1_000, 5_000, 20_000)
SHORT_RANGES_S = (50, 500, 5_000)
HEIGHTS = (1, 2, 4, 7, 10, 15, 20)
OVERLAP = 5
FLAT = 3.0
"""Times: a line that changes by less counts as flat where others change by more."""


def _by_length(sizes: Sizes, ways: dict[str, Way], ranges_s: tuple[int, ...]) -> dict[tuple[str, int], list[float]]:
    found: dict[tuple[str, int], list[float]] = {(name, size): [] for name in ways for size in ranges_s}
    for size in ranges_s:
        for mean in LENGTHS_S:
            grid = RangeBySlide(size, size // OVERLAP)
            for name, line in throughputs(ways, generated(sizes.events, mean), grid, sizes.rounds).items():
                found[name, size].append(line)
    return found


def _table(found: dict, names: tuple[str, ...], ranges_s: tuple[int, ...]) -> list[dict]:
    return [
        {"range": f"{size:,} s", "length": f"{mean:,} s"}
        | {name: f"{found[name, size][place] / 1e6:.2f}" for name in names}
        for size in ranges_s
        for place, mean in enumerate(LENGTHS_S)
    ]


def _picture(path: Path, found: dict, names: tuple[str, ...], ranges_s: tuple[int, ...]) -> str:
    panels = [
        Panel(
            f"range {size:,} s",
            {name: (list(LENGTHS_S), found[name, size]) for name in names},
            "mean length, s",
            "events a second",
            base=10,
        )
        for size in ranges_s
    ]
    return draw(path, panels)


def kernels_by_length(folder: Path, sizes: Sizes) -> Figure:
    """Figure 10."""
    found = _by_length(sizes, named(*KERNELS), RANGES_S)
    slicing = {size: found["se_slicing", size] for size in RANGES_S}
    verdicts = []
    for size in RANGES_S:
        shorter = [place for place, mean in enumerate(LENGTHS_S) if mean <= size]
        for other in ("aggregate_buckets", "tuple_buckets", SWEEPING):
            least = min(slicing[size][place] / found[other, size][place] for place in shorter)
            says = f"range {size:,} s, events no longer: SE-Slicing is at least {least:.2f} times as fast as {other}."
            verdicts.append(verdict(least >= 0.9, says))
        verdicts.append(verdict(falls(slicing[size][1:]), f"range {size:,} s: SE-Slicing slows down with length."))
    measured = (
        f"Millions of events a second, by mean length, for ranges of {', '.join(f'{each:,}' for each in RANGES_S)} s "
        f"by a fifth of that; δ = 15,000 s; multi-level slices of height 4."
    )
    name = _picture(folder / "spans-lengths.png", found, KERNELS, RANGES_S)
    return Figure("Length of events (SPANS 10)", measured, _table(found, KERNELS, RANGES_S), verdicts, name)


def heights_by_length(folder: Path, sizes: Sizes) -> Figure:
    """Figure 11."""
    ways = {f"height {height}": Way("se_ml_slicing", height) for height in HEIGHTS} | named(SWEEPING)
    names, found = tuple(ways), _by_length(sizes, ways, SHORT_RANGES_S)
    verdicts = []
    for size in SHORT_RANGES_S:
        flat, higher = found["height 1", size], found["height 10", size]
        gain = higher[-1] / flat[-1]
        verdicts.append(verdict(gain > 1, f"range {size:,} s, 10,000 s long: height 10 is {gain:.1f} times height 1."))
        changes = spread(higher) < spread(flat)
        says = (
            f"range {size:,} s: height 10 changes {spread(higher):.1f} times with length, height 1 {spread(flat):.1f}."
        )
        verdicts.append(verdict(changes, says))
    measured = "Millions of events a second, by mean length and height of the slices; ranges by a fifth; δ = 15,000 s."
    name = _picture(folder / "spans-heights.png", found, names, SHORT_RANGES_S)
    return Figure("Height of slices (SPANS 11)", measured, _table(found, names, SHORT_RANGES_S), verdicts, name)
