"""SPANS, figure 14: real calls."""

from pathlib import Path

from benchmarks.pages import Figure, verdict
from benchmarks.pictures import Panel, draw
from benchmarks.spans_source import KERNELS, SWEEPING, RangeBySlide, Sizes, Spans, named, real_calls, throughputs

RANGES_S = (300, 1_800, 3_600, 10_800, 43_200, 86_400)
ASKED = {"tuple_buckets": 1.4, "aggregate_buckets": 1.1, SWEEPING: 1.3}
"""SE-Slicing is to be so many times as fast, as in the paper."""


def kernels_on_calls(folder: Path, landing: Path, sizes: Sizes) -> Figure:
    """Figure 14."""
    *columns, postponed_s = real_calls(landing)
    calls = Spans(*(each[: sizes.most_calls] for each in columns), postponed_s)
    grids = [RangeBySlide(size, size // 5) for size in RANGES_S]
    by_range = [throughputs(named(*KERNELS), calls, grid, sizes.rounds) for grid in grids]
    found = {kernel: [each[kernel] for each in by_range] for kernel in KERNELS}
    rows = [
        {"range": f"{size:,} s"} | {kernel: f"{line[place] / 1e6:.2f}" for kernel, line in found.items()}
        for place, size in enumerate(RANGES_S)
    ]
    verdicts = []
    for other, asked in ASKED.items():
        ratios = [slicing / line for slicing, line in zip(found["se_slicing"], found[other], strict=True)]
        says = f"SE-Slicing is {min(ratios):.2f} to {max(ratios):.2f} times as fast as {other}; {asked} in the paper."
        verdicts.append(verdict(min(ratios) >= asked, says))
    measured = (
        f"{len(calls.starts_us):,} voice calls of students, {calls.mean_s:.0f} s long on average, as one key; millions "
        "of events a second by range, by a fifth of it; δ = 2.5 h, and what is longer left out: it overflowed 16 bits."
    )
    panel = Panel(
        "voice calls",
        {kernel: (list(RANGES_S), line) for kernel, line in found.items()},
        "range, s",
        "events a second",
        base=10,
    )
    return Figure("Real calls (SPANS 14)", measured, rows, verdicts, draw(folder / "spans-real.png", [panel]))
