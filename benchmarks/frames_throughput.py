"""How many tuples a second the multi-buffer takes, next to walking all of them each time, and as they double."""

from benchmarks.frames_source import DELAYED, KINDS_OF_FRAMES, MOST_DELAY, DrivenRun, Sizes, throughput, tuples
from benchmarks.pages import Figure, claim

IN_ORDER, LATE, SCAN, DOUBLING = 10e6, 2e6, 200, 2.2
DOUBLINGS = 3


def by_kind(sizes: Sizes) -> Figure:
    """In order, and with tuples delayed."""
    ordered, disordered = tuples(sizes.tuples, 0), tuples(sizes.tuples, DELAYED)
    found = {
        name: [throughput(frame, given, sizes.rounds) for given in (ordered, disordered)]
        for name, frame in KINDS_OF_FRAMES.items()
    }
    rows = [
        {"frames": name, "in order": f"{in_order / 1e6:.1f}", f"{DELAYED:.0%} delayed": f"{late / 1e6:.1f}"}
        for name, (in_order, late) in found.items()
    ]
    least = [min(each) for each in zip(*found.values(), strict=True)]
    verdicts = [
        claim(least[0] >= IN_ORDER, f"in order at least {least[0] / 1e6:.1f} million tuples a second; 10 asked."),
        claim(least[1] >= LATE, f"{DELAYED:.0%} delayed: at least {least[1] / 1e6:.1f} million; 2 asked."),
    ]
    measured = (
        f"Millions of tuples a processor second of the multi-buffer, {sizes.tuples:,} tuples of one key, until count, "
        f"sum and max of all frames are there, median of {sizes.rounds} rounds. Delayed tuples come up to {MOST_DELAY} "
        "others later."
    )
    return Figure("Kinds of frames", measured, rows, verdicts)


def next_to_scans(sizes: Sizes) -> Figure:
    """A tuple more, where all of them are there."""
    rows, least, timed = [], float("inf"), min(sizes.timed, 50)
    given = tuples(sizes.tuples, DELAYED)
    for name, frame in KINDS_OF_FRAMES.items():
        seconds = [_last(kernel, frame, given, timed) for kernel in ("multi_buffer", "single_buffer")]
        least = min(least, seconds[1] / seconds[0])
        rows.append(
            {"frames": name, "multi-buffer": f"{1e9 * seconds[0]:,.0f} ns", "walk": f"{1e9 * seconds[1]:,.0f} ns"}
            | {"walk ÷ multi-buffer": f"{seconds[1] / seconds[0]:,.0f}"}
        )
    measured = (
        f"Processor time of a tuple behind {sizes.tuples:,} others, {DELAYED:.0%} of them delayed: by the "
        "multi-buffer, and by a compiled walk over all tuples, which the single buffer with eager sorting is."
    )
    says = f"a tuple takes the multi-buffer at least {least:,.0f} times less than a walk; {SCAN} asked."
    return Figure("Next to a walk over all tuples", measured, rows, [claim(least >= SCAN, says)])


def _last(kernel: str, frame, given, timed: int) -> float:
    options = {"capacity": len(given.values)} if kernel == "single_buffer" else {}
    run, first = DrivenRun(kernel, frame, given, **options), len(given.values) - timed
    run.insert(0, first, burst=first)
    return run.insert(first, first + timed) / timed


def growth(sizes: Sizes) -> Figure:
    """Seconds of twice the tuples, as often as those of the tuples before."""
    numbers = [sizes.tuples // 4 << doubling for doubling in range(DOUBLINGS + 1)]
    rows, greatest = [], 0.0
    for name, frame in KINDS_OF_FRAMES.items():
        seconds = _seconds(frame, (numbers[0], numbers[-1]), sizes.rounds)
        each = (seconds[1] / seconds[0]) ** (1 / DOUBLINGS)
        greatest = max(greatest, each)
        rows.append({"frames": name, "a doubling": f"×{each:.2f}"})
    measured = (
        f"By how much each doubling from {numbers[0]:,} to {numbers[-1]:,} tuples multiplies the processor seconds, on "
        f"average; {DELAYED:.0%} of the tuples are delayed; the least of {sizes.rounds} rounds each, by turns."
    )
    says = f"twice the tuples take at most {greatest:.2f} times the seconds; at most {DOUBLING} asked."
    return Figure("When tuples double", measured, rows, [claim(greatest <= DOUBLING, says)])


def _seconds(frame, numbers: tuple[int, ...], rounds: int) -> list[float]:
    """Of each number of tuples, by turns and the least of them: a neighbour's work on this processor would otherwise be
    taken for growth."""
    given = [tuples(number, DELAYED) for number in numbers]
    spent = [
        [DrivenRun("multi_buffer", frame, each).insert(0, len(each.values)) for each in given] for _ in range(rounds)
    ]
    return [min(of) for of in zip(*spent, strict=True)]
