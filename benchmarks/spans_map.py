"""SPANS, figure 15: the best kernel by length of events and overlap of windows, a map; and what the planner takes.

Every kernel replays a cell's first events; those that come near the best replay all of them, in turns, so that what
else the machine does meets all of them, and the least time counts. The best of several that are alike is one that was
lucky: the planner's is compared with it by further rounds of these two.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure as Picture

from benchmarks import pictures
from benchmarks.pages import Figure, claim, verdict
from benchmarks.processor import least_s
from benchmarks.shapes import rises
from benchmarks.spans_source import (
    COUNT,
    GREATEST,
    SECOND_US,
    TOTAL,
    RangeBySlide,
    Sizes,
    Spans,
    generated,
    replay_of,
)
from windrow.kernels.api import KernelChoice, ResultRows
from windrow.kernels.monoids import AggregateSpec
from windrow.kernels.spans import _planner as planner

LENGTHS_S = (10, 50, 200, 1_000, 3_000, 10_000)
OVERLAPS = (1, 2, 5, 10, 25, 50)
HEIGHTS = (1, 2, 4, 8, 16, 32, 64)
NEAR = 1.6
"""Times as long as the quickest, over the first events: what takes longer isn't measured over all of them."""
AGREES = 1.1
"""Times as long as the best: two measurements of one kernel differ by as much now and then."""
PARTS = 4
LEAST_EVENTS = 200
PATIENCE_S = 0.12
MOST_ROUNDS = 60
UNNAMED, AGAIN = "unnamed", "again"


class Map(NamedTuple):
    """A map of cells: what is asked, of windows of which ranges, and seconds from one event to the next."""

    title: str
    aggregates: tuple[AggregateSpec, ...]
    ranges_s: tuple[int, ...]
    apart_s: int
    kernels: tuple[str, ...]


SLICES_AND_BUCKETS = tuple(planner.label_of(each) for each in (*HEIGHTS, planner.BY_BUCKETS))
MAPS = (
    Map("count, sum, max", (COUNT, TOTAL, GREATEST), (100, 1_000), 1, SLICES_AND_BUCKETS),
    Map("count, sum", (COUNT, TOTAL), (100, 1_000), 1, (*SLICES_AND_BUCKETS, planner.SWEEPING)),
    Map("an event each 100 s", (COUNT, TOTAL, GREATEST), (1_000,), 100, SLICES_AND_BUCKETS),
)


class Cell(NamedTuple):
    """Windows of a size that is so many slides, and a mean length of events."""

    size_s: int
    overlap: int
    mean_s: int

    @property
    def grid(self) -> RangeBySlide:
        """The windows."""
        return RangeBySlide(self.size_s, max(1, self.size_s // self.overlap))


class MeasuredCell(NamedTuple):
    """seconds: of each kernel that came near the best, by its label; planned: the planner's; times: as long as the
    quickest of the others that it took when these two were compared, 1 if it was the quickest; noise: times as long
    that one measurement of a kernel took as another; unnamed_s: of a replay that chooses its kernel."""

    seconds: Mapping[str, float]
    planned: str
    times: float
    noise: float
    unnamed_s: float

    @property
    def best(self) -> str:
        """The quickest kernel; the planner's if it lost by chance only."""
        return self.planned if self.times <= 1 else min(self.seconds, key=self.seconds.__getitem__)


Cells = dict[Cell, MeasuredCell]


def measure_map(of: Map, sizes: Sizes) -> Cells:
    """Every cell of a map."""
    cells = [Cell(size, overlap, mean) for size in of.ranges_s for overlap in OVERLAPS for mean in LENGTHS_S]
    return {cell: _measured(of, cell, sizes) for cell in cells}


def label_in(of: Map, cell: Cell, thresholds: planner.Thresholds = planner.KEPT) -> str:
    """The planner's kernel, of as many events as are measured at normal sizes."""
    spans = generated(_events(of, Sizes()), cell.mean_s, of.apart_s)
    figures = planner.figures_of(np.array([0, len(spans.starts_us)]), spans.starts_us, spans.ends_us)
    size_us, slide_us = (SECOND_US * each for each in cell.grid)
    asked = planner.AskedWindows(size_us, slide_us, slide_us, sweeping=planner.SWEEPING in of.kernels)
    return planner.label_of(int(planner.plan_keys(figures, asked, thresholds)[0]))


def _events(of: Map, sizes: Sizes) -> int:
    return max(LEAST_EVENTS, sizes.events // (3 if of.apart_s == 1 else 15))


def _measured(of: Map, cell: Cell, sizes: Sizes) -> MeasuredCell:
    events = _events(of, sizes)
    every, few = (generated(count, cell.mean_s, of.apart_s) for count in (events, max(LEAST_EVENTS, events // PARTS)))
    planned = next(iter(_replay(of, cell, every, UNNAMED)().kernels))
    quick = {label: least_s(_replay(of, cell, few, label), 2, process_time) for label in of.kernels}
    near = {label for label, seconds in quick.items() if seconds < NEAR * min(quick.values())} | {planned}
    calls = {label: _replay(of, cell, every, label) for label in (*sorted(near), UNNAMED)}
    calls[AGAIN] = calls[planned]
    seconds = _in_turns(calls, sizes)
    again, unnamed_s = sorted((seconds.pop(AGAIN), seconds[planned])), seconds.pop(UNNAMED)
    best = min(seconds, key=seconds.__getitem__)
    both = seconds if best == planned else _in_turns({label: calls[label] for label in (best, planned)}, sizes)
    return MeasuredCell(seconds, planned, both[planned] / both[best], again[1] / again[0], unnamed_s)


def _in_turns(calls: Mapping[str, Callable[[], object]], sizes: Sizes) -> dict[str, float]:
    """The least processor seconds of each."""
    seconds = {label: least_s(call, 1, process_time) for label, call in calls.items()}
    for _ in range(_rounds(sum(seconds.values()), sizes)):
        for label, call in calls.items():
            seconds[label] = min(seconds[label], least_s(call, 1, process_time))
    return seconds


def _rounds(seconds: float, sizes: Sizes) -> int:
    """More of them where they are short: these differ most."""
    return max(sizes.rounds - 1, min(MOST_ROUNDS, int(PATIENCE_S * (sizes.rounds - 1) / seconds)))


def _replay(of: Map, cell: Cell, spans: Spans, label: str) -> Callable[[], ResultRows]:
    return replay_of(spans, cell.grid, of.aggregates, _choice(label))


def _choice(label: str) -> KernelChoice | None:
    if label == UNNAMED:
        return None
    planned = next(each for each in planner.PLANS if planner.label_of(each) == label)
    name, options = planner.kernel_of(planned)
    return KernelChoice(name, tuple(options.items()))


def best_kernels(folder: Path, sizes: Sizes) -> Figure:
    """Figure 15."""
    found = {of: measure_map(of, sizes) for of in MAPS}
    every = [measured for cells in found.values() for measured in cells.values()]
    half, tenth = (_percent(np.quantile([each.noise for each in every], share)) for share in (0.5, 0.9))
    chosen = _percent(float(np.median([each.unnamed_s / each.seconds[each.planned] for each in every])))
    measured = (
        "The best kernel by mean length of events (columns), range and overlap of windows: a number is a height of "
        "slices, B are aggregate buckets, S is cumulative sweeping, which serves count and sum only; tuple buckets do "
        "what aggregate buckets do, and more. Where the planner takes another one, it stands in brackets, with the "
        "times as long as the best that it takes when these two are measured again. Two measurements of one kernel "
        f"differ by {half} or more in half of the {len(every)} cells, and by {tenth} or more in a tenth. To choose the "
        f"kernel costs {chosen} of a cell's replay (median)."
    )
    verdicts = [_higher_with_length(found[MAPS[0]]), *(_agreement(of.title, list(found[of].values())) for of in MAPS)]
    verdicts.append(_agreement("all cells", every))
    rows = [row for of in MAPS for row in _rows(of, found[of])]
    return Figure("Best kernels (SPANS 15)", measured, rows, verdicts, _picture(folder / "spans-map.png", found))


def _percent(ratio: float) -> str:
    return f"{100 * (ratio - 1):.0f} %"


def _higher_with_length(cells: Cells) -> str:
    heights = {mean: [] for mean in LENGTHS_S}
    for cell, measured in cells.items():
        heights[cell.mean_s].append(_height(measured.best))
    line = [float(np.exp2(np.mean(np.log2(heights[mean])))) for mean in LENGTHS_S]
    listed = ", ".join(f"{height:.1f}" for height in line)
    return verdict(rises(line), f"the longer events are, the more levels pay: the best height is {listed} on average.")


def _agreement(title: str, every: Sequence[MeasuredCell]) -> str:
    """What the planner is to keep: at least nine cells of ten, and never twice as slow."""
    same = sum(measured.planned == measured.best for measured in every)
    near = sum(measured.times <= AGREES for measured in every)
    worst = max(measured.times for measured in every)
    holds = near >= 0.9 * len(every) and worst <= 2
    says = (
        f"{title}: the planner's kernel is the best or takes at most {_percent(AGREES)} longer in {near} of "
        f"{len(every)} cells ({same} times the best itself); at worst it takes {worst:.2f} times as long as the best."
    )
    return claim(holds, says)


def _rows(of: Map, cells: Cells) -> list[dict]:
    return [
        {"events": of.title, "range": f"{size:,} s", "slides": str(overlap)}
        | {f"{mean:,} s": _cell_text(cells[Cell(size, overlap, mean)]) for mean in LENGTHS_S}
        for size in of.ranges_s
        for overlap in OVERLAPS
    ]


def _cell_text(measured: MeasuredCell) -> str:
    best, planned = _short(measured.best), _short(measured.planned)
    return best if best == planned else f"{best} ({planned}: {measured.times:.2f})"


def _short(label: str) -> str:
    return {planner.BUCKETS: "B", planner.SWEEPING: "S"}.get(label) or str(_height(label))


def _height(label: str) -> int:
    """Of slices; 1 of others."""
    return next((height for height in HEIGHTS if planner.label_of(height) == label), 1)


def _picture(path: Path, found: Mapping[Map, Cells]) -> str:
    """A panel for each map and range: the best kernel's colour; the planner's where it is another."""
    panels = [(of, size) for of in found for size in of.ranges_s]
    picture = Picture(figsize=(12, 12), layout="constrained")
    axes = picture.subplots(-(-len(panels) // 2), 2).flat
    for axis, (of, size) in zip(axes, panels, strict=False):
        _draw_panel(axis, f"{of.title}; range {size:,} s", found[of], size)
    for axis in axes[len(panels) :]:
        axis.set_visible(False)
    pictures.save(picture, path)
    return path.name


def _draw_panel(axis, title: str, cells: Cells, size: int) -> None:
    texts = [[_cell_text(cells[Cell(size, overlap, mean)]) for mean in LENGTHS_S] for overlap in OVERLAPS]
    colours = [[_colour(cells[Cell(size, overlap, mean)].best) for mean in LENGTHS_S] for overlap in OVERLAPS]
    axis.imshow(colours, vmin=-2, vmax=7, cmap="viridis", origin="lower", aspect="auto")
    for row, line in enumerate(texts):
        for column, text in enumerate(line):
            axis.text(column, row, text.replace(" (", "\n("), ha="center", va="center", color="white", fontsize=8)
    axis.set_xticks(range(len(LENGTHS_S)), [f"{mean:,}" for mean in LENGTHS_S])
    axis.set_yticks(range(len(OVERLAPS)), list(map(str, OVERLAPS)))
    axis.set(title=title, xlabel="mean length, s", ylabel="slides of a range")


def _colour(label: str) -> float:
    """Heights in order; buckets and sweeping below and above them."""
    return {planner.BUCKETS: -2.0, planner.SWEEPING: 7.0}.get(label, float(np.log2(_height(label))))
