"""FIBA §7.3: bytes of memory an entry, by how much a process grows that does nothing but fill one window.

python -m benchmarks.fiba_memory NAME ORDER EXPONENT …     prints bytes an entry at each; ORDER: order, or disorder
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.pages import Figure, verdict
from benchmarks.pictures import Panel, draw
from benchmarks.window_loops import IN_ORDER, Driven, DrivenEvents
from windrow.kernels.monoids import AggregateSpec
from windrow.pipelines.config import REPOSITORY

TREES = ("finger_tree (8)", "finger_tree (4)")
FEW = 1 << 10
CASES = tuple((name, "order") for name in (*TREES, *IN_ORDER, "monoid_tree", "recompute")) + tuple(
    (name, "disorder") for name in TREES
)


@dataclass(frozen=True)
class Sizes:
    """Windows of 2**exponent entries; disorder: the same in random order, up to so many."""

    exponents: tuple[int, ...] = (16, 18, 20, 22, 24)
    disorder: tuple[int, ...] = (16, 18, 20, 22)


def resident() -> int:
    """Bytes of anonymous memory of this process that are in use."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("RssAnon"))
    return int(line.split()[1]) * 1024


def fill(name: str, order: str, sizes: list[int]) -> list[float]:
    """Bytes an entry at each size that the window comes by."""
    events = DrivenEvents([AggregateSpec("fast_sum", 0, "float64")])
    small = Driven(name, events)
    small.insert(np.arange(FEW, dtype=np.int64), 64)  # compiles; what is freed again must not be mistaken for room
    small.close()
    times, burst = times_of(order, sizes[-1])
    window, before, found = Driven(name, events), resident(), []
    for first, end in zip([0, *sizes], sizes, strict=False):
        window.insert(times[first:end], burst)
        found.append((resident() - before) / end)
    return found


def times_of(order: str, entries: int) -> tuple[np.ndarray, int]:
    """Times in order of insertion, and how many go in at once. In disorder they are from all over the window."""
    times = np.arange(entries, dtype=np.int64)
    if order == "order":
        return times, 1024
    times = np.random.default_rng(1).permutation(times).reshape(-1, 64)
    times.sort(axis=1)
    return times.reshape(-1), 64


def measure(case: tuple[str, str], exponents: dict) -> dict[int, float]:
    """In a process of its own, so that nothing that was released before is taken up again."""
    name, order = case
    command = [sys.executable, "-m", "benchmarks.fiba_memory", name, order, *map(str, exponents[order])]
    output = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
    return dict(zip(exponents[order], map(float, output.split()), strict=True))


def figure(folder: Path, sizes: Sizes) -> Figure:
    """Bytes an entry by kernel, order and window."""
    exponents = {"order": sizes.exponents, "disorder": sizes.disorder}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(CASES, pool.map(partial(measure, exponents=exponents), CASES), strict=True))
    rows = [{"kernel": name, "insertion": f"in {order}", **{
        f"2^{e}": f"{found[name, order][e]:.1f}" if e in exponents[order] else "—" for e in sizes.exponents}}
        for name, order in CASES]  # fmt: skip
    lines = partial(_lines, found, exponents)
    panels = [
        Panel("in order", lines("order"), "window, entries", "bytes an entry", y_scale="linear"),
        Panel("in random order", lines("disorder"), "window, entries", "bytes an entry", y_scale="linear"),
    ]
    measured = (
        "Bytes of resident memory an entry (time and a sum of float64: 16 bytes at least), by how much a fresh "
        "process grows while it fills a window of 2^16 and more."
    )
    return Figure(
        "Bytes an entry (FIBA 7.3)",
        measured,
        rows,
        _verdicts(found, exponents),
        draw(folder / "fiba-memory.png", panels, 2),
    )


def _lines(found: dict, exponents: dict, order: str) -> dict:
    sizes = [1 << exponent for exponent in exponents[order]]
    return {
        name: (sizes, [found[name, order][exponent] for exponent in exponents[order]])
        for name, of_case in CASES
        if of_case == order
    }


def _verdicts(found: dict, exponents: dict) -> list[str]:
    verdicts = []
    for name, order in CASES:
        each = [found[name, order][exponent] for exponent in exponents[order][1:]]
        verdicts.append(
            verdict(
                max(each) < 2.2 * min(each),
                f"{name}, in {order}: {min(each):.1f} to {max(each):.1f} "
                "bytes an entry from the second window on; expected: constant within the doubling of "
                "a block that grows.",
            )
        )
    return verdicts


if __name__ == "__main__":
    print(*fill(sys.argv[1], sys.argv[2], [1 << int(each) for each in sys.argv[3:]]))
