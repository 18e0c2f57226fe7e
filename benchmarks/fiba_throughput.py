"""FIBA, figures 11 to 14: entries a second of evict, insert and query in bursts, against burst size and disorder."""

from dataclasses import dataclass
from pathlib import Path

from benchmarks.pages import Figure, verdict
from benchmarks.pictures import Panel, draw
from benchmarks.shapes import follows_logarithm, rises, spread
from benchmarks.window_loops import ANY_ORDER, IN_ORDER, Driven, DrivenEvents, throughput
from windrow.kernels.monoids import AggregateSpec

# The papers' sum is an addition of floats.
FUNCTIONS = {"sum": "fast_sum", "geometric_mean": "geometric_mean", "bloom": "bloom"}
AGGREGATES = {name: AggregateSpec(function, 0, "float64") for name, function in FUNCTIONS.items()}
TREE, SINGLE = "finger_tree (8)", "finger_tree_single (8)"


@dataclass(frozen=True)
class Sizes:
    """window, of bloom a sixteenth; bursts and distances: what m and d are varied over; seconds: per point."""

    window: int = 1 << 22
    bursts: tuple[int, ...] = tuple(1 << e for e in (0, 2, 4, 6, 8, 10, 12, 14))
    distances: tuple[int, ...] = (0, *(1 << e for e in (4, 8, 12, 16, 20)))
    seconds: float = 0.04

    def window_of(self, aggregate: str) -> int:
        return self.window // 16 if aggregate == "bloom" else self.window


def against(name: str, aggregate: str, disorder: int, bursts: tuple[int, ...], sizes: Sizes) -> list[float]:
    """Million entries a second at each burst size."""
    window = Driven(name, DrivenEvents([AGGREGATES[aggregate]]))
    window.fill(sizes.window_of(aggregate), disorder)
    found = [throughput(window, burst, sizes.seconds) / 1e6 for burst in bursts]
    window.close()
    return found


def by_burst(folder: Path, sizes: Sizes) -> Figure:
    """Figures 11 and 12, and the same at some disorder, which the paper leaves out."""
    rows, panels, found, far = [], [], {}, min(1024, sizes.window // 32)
    for disorder in (0, far):
        for aggregate in AGGREGATES:
            lines = {}
            for name in (*ANY_ORDER, *(IN_ORDER if disorder == 0 else ())):
                speeds = against(name, aggregate, disorder, sizes.bursts, sizes)
                found[name, aggregate, disorder] = speeds
                lines[name] = (sizes.bursts, speeds)
                rows.append(
                    {
                        "aggregate": aggregate,
                        "d": str(disorder),
                        "kernel": name,
                        **{f"m={burst}": speed for burst, speed in zip(sizes.bursts, speeds, strict=True)},
                    }
                )
            panels.append(Panel(f"{aggregate}, d = {disorder}", lines, "m, entries", "million entries/s"))
    measured = (
        f"Million entries a second of bulk evict, bulk insert and query in turn, against the burst size m; "
        f"window {sizes.window:,} entries, of bloom {sizes.window_of('bloom'):,}."
    )
    return Figure(
        "Throughput against burst size (FIBA 11, 12)",
        measured,
        rows,
        _burst_verdicts(found, far),
        draw(folder / "fiba-throughput-bursts.png", panels),
    )


def _burst_verdicts(found: dict, far: int) -> list[str]:
    verdicts = []
    for name in (TREE, *IN_ORDER):
        speeds = found[name, "sum", 0]
        times = speeds[-1] / speeds[0]
        verdicts.append(
            verdict(
                rises(speeds),
                f"{name}'s throughput grows {times:.1f} times from first to last m (sum "
                "in order); expected: rises with m.",
            )
        )
    for disorder in (0, far):
        ours, theirs = found[TREE, "sum", disorder][-1], found[SINGLE, "sum", disorder][-1]
        verdicts.append(
            verdict(
                ours > theirs,
                f"at the largest m and d = {disorder}, {TREE} is {ours / theirs:.1f} "
                f"times as fast as {SINGLE}; expected: ahead.",
            )
        )
    best = max(IN_ORDER, key=lambda name: found[name, "sum", 0][-1])
    verdicts.append(
        verdict(
            best == "two_stacks_lite",
            f"of the kernels for order, {best} has the best throughput at the largest m; expected: two_stacks_lite.",
        )
    )
    return verdicts


def by_distance(folder: Path, sizes: Sizes) -> Figure:
    """Figures 13 and 14."""
    large = min(1024, max(sizes.bursts))
    found = _speeds_by_distance((large, 1), sizes)
    rows = [
        {"aggregate": aggregate, "m": str(burst), "kernel": name, **{f"d={d}": speed for d, speed in line.items()}}
        for burst in (large, 1)
        for (name, aggregate, m), line in found.items()
        if m == burst
    ]
    panels = [_distance_panel(found, aggregate, burst) for burst in (large, 1) for aggregate in AGGREGATES]
    measured = (
        f"Million entries a second of bulk evict, bulk insert and query in turn, d entries from the young end; "
        f"window {sizes.window:,}, of bloom {sizes.window_of('bloom'):,} (0 in the table: d doesn't fit)."
    )
    picture = draw(folder / "fiba-throughput-disorder.png", panels)
    speeds = {each: tuple(line.values()) for each, line in found.items()}
    verdicts = _distance_verdicts(speeds, large, sizes.distances)
    return Figure("Throughput against disorder (FIBA 13, 14)", measured, rows, verdicts, picture)


def _speeds_by_distance(bursts: tuple[int, ...], sizes: Sizes) -> dict[tuple[str, str, int], dict[int, float]]:
    """By kernel, aggregate and burst size: the speed at each distance that fits its window."""
    found = {}
    for aggregate in AGGREGATES:
        distances = [each for each in sizes.distances if each <= sizes.window_of(aggregate) // 2]
        for name in ANY_ORDER:
            speeds = [against(name, aggregate, distance, bursts, sizes) for distance in distances]
            for burst, of_burst in zip(bursts, zip(*speeds, strict=True), strict=True):
                found[name, aggregate, burst] = dict(zip(distances, of_burst, strict=True))
    return found


def _distance_panel(found: dict, aggregate: str, burst: int) -> Panel:
    lines = {name: found[name, aggregate, burst] for name in ANY_ORDER}
    drawn = {name: (list(line), tuple(line.values())) for name, line in lines.items()}
    return Panel(f"{aggregate}, m = {burst}", drawn, "d, entries", "million entries/s", "symlog")


def _distance_verdicts(found: dict, large: int, distances: tuple[int, ...]) -> list[str]:
    bulk, single = found[TREE, "sum", large], found[SINGLE, "sum", large]
    one = found[TREE, "sum", 1]

    def slower_by_logarithm(speeds: tuple[float, ...], of: str) -> str:
        seen = follows_logarithm(distances[: len(speeds)], [1 / speed for speed in speeds])
        left = speeds[-1] / speeds[0]
        return verdict(
            seen > 0.7,
            f"{of}: {left:.0%} of the throughput is left at the greatest d, and the time of an "
            f"entry correlates with log d by {seen:.2f}; expected: falls with log d.",
        )

    return [
        verdict(
            spread(bulk[1:]) < 2,
            f"in bursts of {large}, {TREE}'s throughput at any d above 0 is within "
            f"{spread(bulk[1:]):.2f} times that at another; expected: about flat.",
        ),
        slower_by_logarithm(single, f"in bursts of {large}, {SINGLE}"),
        verdict(
            all(ours > theirs for ours, theirs in zip(bulk, single, strict=True)),
            f"{TREE} is {min(ours / theirs for ours, theirs in zip(bulk, single, strict=True)):.1f} times as fast "
            f"as {SINGLE} or more at every d in bursts of {large}; expected: ahead.",
        ),
        slower_by_logarithm(one, f"event by event, {TREE}"),
    ]
