"""How the time of each span kernel grows when events double."""

from benchmarks.pages import Figure, claim
from benchmarks.spans_source import KERNELS, RangeBySlide, Sizes, generated, named, throughputs

DOUBLINGS = 3
MOST = 2.2
LENGTHS_S = (10, 500, 5_000)
GRID = RangeBySlide(1_000, 200)


def growth_of_events(sizes: Sizes) -> Figure:
    """Seconds of a replay of twice the events, as often as those of the events before."""
    numbers = [sizes.events << doubling for doubling in range(DOUBLINGS + 1)]
    by_length = {mean_s: _a_doubling(numbers, mean_s, sizes.rounds) for mean_s in LENGTHS_S}
    rows = [
        {"length": f"{mean_s:,} s"} | {kernel: f"×{each:.2f}" for kernel, each in by_kernel.items()}
        for mean_s, by_kernel in by_length.items()
    ]
    measured = (
        f"By how much each doubling from {numbers[0]:,} to {numbers[-1]:,} events multiplies the seconds of a replay, "
        f"on average, by their mean length; windows of {GRID.size_s:,} s by {GRID.slide_s} s."
    )
    greatest = max(each for by_kernel in by_length.values() for each in by_kernel.values())
    says = f"twice the events take at most {greatest:.2f} times the seconds; at most {MOST} asked."
    return Figure("When events double", measured, rows, [claim(greatest <= MOST, says)])


def _a_doubling(numbers: list[int], mean_s: int, rounds: int) -> dict[str, float]:
    first, last = (
        throughputs(named(*KERNELS), generated(number, mean_s), GRID, rounds) for number in (numbers[0], numbers[-1])
    )
    return {kernel: (2**DOUBLINGS * first[kernel] / last[kernel]) ** (1 / DOUBLINGS) for kernel in KERNELS}
