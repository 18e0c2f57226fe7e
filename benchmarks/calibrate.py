"""Thresholds of the planner of spans from a measured map: `make calibrate`. It prints proposals, and changes nothing.

python -m benchmarks.calibrate [--sizes small | normal]

Each figure of kernels/spans/_planner.py that a choice hangs on is tried with some values, the others as they are: in
how many cells the kernel that it leads to takes at most a tenth longer than the best, and how many times as long on
average. The first of the best is proposed, but what is kept is proposed again unless another one does better by more
than one cell in fifty.
"""

import argparse
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from benchmarks.pages import table
from benchmarks.spans import SIZES
from benchmarks.spans_map import AGREES, MAPS, Cells, Map, MeasuredCell, label_in, measure_map
from windrow.kernels.spans._planner import KEPT, Thresholds

TRIED = {
    "under_way": (2, 3, 4, 6, 8, 12, 16),
    "few_overlapped": (1, 3, 7, 15, 30, 60),
    "many_slices": (25, 50, 100, 200, 400),
}
LOST = 3.0
"""Times as long as the best that a kernel counts for which didn't come near it."""
BETTER_BY = 0.02


class HowThresholdsDo(NamedTuple):
    """How thresholds do: the share of cells in which their kernel is about the best, and how many times as long as the
    best theirs takes, as a geometric mean and at worst."""

    agree: float
    mean: float
    worst: float


def try_thresholds(found: Mapping[Map, Cells], thresholds: Thresholds) -> HowThresholdsDo:
    """What thresholds would choose in each measured cell."""
    every = [(of, cell, measured) for of, cells in found.items() for cell, measured in cells.items()]
    times = np.array([_times(measured, label_in(of, cell, thresholds)) for of, cell, measured in every])
    return HowThresholdsDo(float(np.mean(times <= AGREES)), float(np.exp(np.mean(np.log(times)))), float(times.max()))


def _times(measured: MeasuredCell, label: str) -> float:
    return measured.seconds.get(label, LOST * measured.seconds[measured.best]) / measured.seconds[measured.best]


def propose(found: Mapping[Map, Cells], name: str) -> tuple[int, dict[int, HowThresholdsDo]]:
    """The proposed value of a threshold, and how each one that was tried does."""
    values = sorted({*TRIED[name], getattr(KEPT, name)})
    tried = {value: try_thresholds(found, KEPT._replace(**{name: value})) for value in values}
    best = max(values, key=lambda value: (tried[value].agree, -tried[value].mean))
    now = getattr(KEPT, name)
    return (best if tried[best].agree > tried[now].agree + BETTER_BY else now), tried


def main(arguments: list[str] | None = None) -> str:
    """The command line; returns what it prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", choices=tuple(SIZES), default="normal")
    sizes = SIZES[parser.parse_args(arguments).sizes]
    found = {of: measure_map(of, sizes) for of in MAPS}
    lines = []
    for name in TRIED:
        proposed, tried = propose(found, name)
        lines.append(table([_row(value, of_value) for value, of_value in tried.items()]).replace("value", name, 1))
        lines.append(f"{name.upper()}: {getattr(KEPT, name)} is kept, {proposed} is proposed.")
    return "\n\n".join([*lines, "Nothing was changed: the figures stand in kernels/spans/_planner.py."])


def _row(value: int, does: HowThresholdsDo) -> dict:
    times = {"mean times the best": f"{does.mean:.3f}", "at worst": f"{does.worst:.2f}"}
    return {"value": value, "within a tenth": f"{100 * does.agree:.0f} %"} | times


if __name__ == "__main__":
    print(main())
