"""SPANS, figures 12 and 13: throughput by range and overlap of windows."""

from pathlib import Path

from benchmarks.pages import Figure, verdict
from benchmarks.pictures import Panel, draw
from benchmarks.shapes import rises
from benchmarks.spans_source import KERNELS, RangeBySlide, Sizes, Way, generated, named, throughputs

LENGTHS_S = (500, 5_000)
RANGES_S = (100, 1_000, 5_000, 20_000)
OVERLAPS = (1, 5, 50)
HEIGHTS = (1, 4, 7, 15)


def _grids(overlap: int) -> list[RangeBySlide]:
    """Ranges that are so many slides."""
    return [RangeBySlide(size, max(1, size // overlap)) for size in RANGES_S]


def _uneven() -> list[RangeBySlide]:
    """Five slides and some seconds, so that there are two slices a slide."""
    return [RangeBySlide(size, size // 5 - max(1, size // 50)) for size in RANGES_S]


CASES = {f"{overlap} slides": _grids(overlap) for overlap in OVERLAPS} | {"not a multiple": _uneven()}


def _lines(sizes: Sizes, ways: dict[str, Way]) -> dict[tuple[str, str, int], list[float]]:
    found = {}
    for mean in LENGTHS_S:
        spans = generated(sizes.events, mean)
        for case, grids in CASES.items():
            by_range = [throughputs(ways, spans, grid, sizes.rounds) for grid in grids]
            found |= {(name, case, mean): [each[name] for each in by_range] for name in ways}
    return found


def _figure(folder: Path, name: str, title: str, found: dict, verdicts: list[str]) -> Figure:
    names = tuple(dict.fromkeys(way for way, _, _ in found))
    rows = [
        {"length": f"{mean:,} s", "range": case, "s": f"{size:,}"}
        | {way: f"{found[way, case, mean][place] / 1e6:.2f}" for way in names}
        for mean in LENGTHS_S
        for case in CASES
        for place, size in enumerate(RANGES_S)
    ]
    panels = [
        Panel(
            f"length {mean:,} s, {case}",
            {way: (list(RANGES_S), found[way, case, mean]) for way in names},
            "range, s",
            "events a second",
            base=10,
        )
        for mean in LENGTHS_S
        for case in CASES
    ]
    measured = (
        "Millions of events a second, by range, for windows of 1, 5 and 50 slides and of five and a part, for events "
        "of 500 s and of 5,000 s; δ = 15,000 s."
    )
    return Figure(title, measured, rows, verdicts, draw(folder / name, panels, len(CASES)))


def kernels_by_range(folder: Path, sizes: Sizes) -> Figure:
    """Figure 12."""
    found = _lines(sizes, named(*KERNELS))
    verdicts = []
    for case in CASES:
        line = found["se_slicing", case, 500]
        verdicts.append(verdict(rises(line), f"500 s, {case}: SE-Slicing gets faster with the range."))
    for other in ("aggregate_buckets", "tuple_buckets"):
        lines = (found[kernel, "50 slides", 5_000] for kernel in ("se_slicing", other))
        most = max(one / two for one, two in zip(*lines, strict=True))
        says = f"5,000 s, 50 slides: SE-Slicing is up to {most:.1f} times as fast as {other}, which share nothing."
        verdicts.append(verdict(most > 2, says))
    return _figure(folder, "spans-ranges.png", "Range and overlap (SPANS 12)", found, verdicts)


def heights_by_range(folder: Path, sizes: Sizes) -> Figure:
    """Figure 13."""
    found = _lines(sizes, {f"height {height}": Way("se_ml_slicing", height) for height in HEIGHTS})
    verdicts = []
    for mean in LENGTHS_S:
        gain = max(found[f"height {height}", "50 slides", mean][1] for height in HEIGHTS[1:])
        gain /= found["height 1", "50 slides", mean][1]
        says = f"{mean:,} s, 1,000 s by 20 s: the best height is {gain:.1f} times as fast as height 1."
        verdicts.append(verdict(gain > 1, says))
    return _figure(folder, "spans-ranges-heights.png", "Range and height (SPANS 13)", found, verdicts)
