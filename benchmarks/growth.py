"""How the cost of an operation grows when its size doubles, by processor seconds: `python -m benchmarks.growth`.

Each case is a function of a size that does the work and returns the processor seconds it took; `most` says by how much
a doubling may multiply them. Sizes begin beyond the caches: from within them to without is a step of its own. A case is
measured several times and the least is taken: a neighbour on the machine makes every figure worse, and none better.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from benchmarks.loops import evict_oldest, insert_at
from benchmarks.processor import timed
from benchmarks.window_loops import Driven, DrivenEvents
from windrow.kernels.monoids import AggregateSpec
from windrow.kernels.runtime.memory import address_of

ABOUT_TWICE = 2.2
SUM = DrivenEvents([AggregateSpec("fast_sum", 0, "float64")])
LATE_WITHIN = 1 << 20


class GrowthCase(NamedTuple):
    """What is measured, at which sizes, and by how much a doubling may multiply it."""

    name: str
    seconds: Callable[[int], float]
    sizes: tuple[int, ...]
    most: float


def evict_the_oldest(entries: int) -> float:
    """All entries of a window, the oldest again and again: O(1) amortised each (FIBA §4)."""
    window = Driven("finger_tree (8)", SUM)
    window.fill(entries)
    times = np.arange(entries, dtype=np.int64)
    spent, _ = timed(lambda: evict_oldest(window.address, address_of(times), entries))
    window.close()
    return spent


def insert_a_late_burst(entries: int) -> float:
    """One burst all over the youngest 2^20 entries: O(m log(d / m)) for m of them (FIBA §5)."""
    window = Driven("finger_tree (8)", SUM)
    fill = np.arange(2 * LATE_WITHIN, dtype=np.int64) * 2
    window.insert(fill, 1024)
    step = LATE_WITHIN // entries
    times = 2 * (LATE_WITHIN + step * np.arange(entries, dtype=np.int64)) + 1
    spent, _ = timed(lambda: insert_at(window.address, address_of(times), entries))
    window.close()
    return spent


CASES = (
    GrowthCase("finger_tree: evict of the oldest", evict_the_oldest, tuple(1 << e for e in range(17, 23)), ABOUT_TWICE),
    GrowthCase("finger_tree: bulk insert, late", insert_a_late_burst, tuple(1 << e for e in range(9, 17)), ABOUT_TWICE),
)


def growth(case: GrowthCase, repeats: int = 7) -> list[tuple[int, float, float]]:
    """(size, least seconds, how often those of the size before) for each size."""
    least = [min(case.seconds(size) for _ in range(repeats)) for size in case.sizes]
    return [
        (size, seconds, seconds / before if before else 0.0)
        for size, seconds, before in zip(case.sizes, least, [0.0, *least[:-1]], strict=True)
    ]


def report(case: GrowthCase) -> list[str]:
    """A line for each size, and one for the whole: a step over a cache's size costs more than the others."""
    found = growth(case)
    lines = [f"{case.name}, {size:,}: {1e6 * seconds:,.0f} µs, ×{times:.2f}" for size, seconds, times in found]
    doubling = (found[-1][1] / found[0][1]) ** (1 / (len(found) - 1))
    seen = "as it must be" if doubling <= case.most else "TOO MUCH"
    return [*lines, f"{case.name}: ×{doubling:.2f} a doubling, at most {case.most}: {seen}"]


def main() -> None:
    """Print every case."""
    for case in CASES:
        case.seconds(case.sizes[0])  # compiled, and its memory known
        print("\n".join(report(case)))


if __name__ == "__main__":
    main()
