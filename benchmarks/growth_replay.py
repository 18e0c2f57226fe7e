"""How the time of a replay grows with the events of one key, where it once grew with their square.

    python -m benchmarks.growth_replay [--events 20000] [--doublings 3]

Twice the events may take 2.2 times the seconds, on average. Late events of rolling windows: half of the events come
behind the watermark and make windows of their own, whose rows must give how many of their events were late.
Burst: late events of one tick, all in the same thousand windows.
"""

import argparse
from collections.abc import Callable

import numpy as np

from benchmarks.processor import least_s
from windrow.kernels.api import AggregatePlan, EventColumns, PassTicks, ReplayRules, WindowSpec, replay_keys
from windrow.kernels.monoids import AggregateSpec

SECOND = 1_000_000
PLAN = AggregatePlan((AggregateSpec("sum", 0),))
MOST = 2.2


def columns_of(starts: np.ndarray, arrivals: np.ndarray) -> EventColumns:
    """Events of one key, in order of arrival."""
    return EventColumns(
        np.array([0, len(starts)]), starts, arrivals, starts[None, :], np.ones((1, len(starts)), np.bool_)
    )


def late_in_rolling_windows(events: int) -> None:
    """Half of the events in time, then half of them late."""
    half = events // 2
    times = np.concatenate((np.arange(half) * 2, np.arange(half) * 2 + 1)) * SECOND
    arrivals = np.arange(events) * 2 * SECOND
    ticks = PassTicks(arrivals[:half], times[:half])
    rules = ReplayRules(0, 1 << 50, "watermark", int(arrivals[-1]))
    replay_keys(columns_of(times, arrivals), WindowSpec("rolling", 10 * SECOND), PLAN, ticks, rules)


def late_burst(events: int) -> None:
    """One event in time, and one far ahead; then the rest come late, at one tick."""
    times = np.full(events, 5 * SECOND)
    times[1] = 100_000 * SECOND
    times[2:] += np.arange(events - 2) % SECOND
    arrivals = np.full(events, 3 * SECOND)
    arrivals[:2] = SECOND, 2 * SECOND
    ticks = PassTicks(arrivals[:2].copy(), times[:2].copy())
    rules = ReplayRules(0, 1 << 50, "watermark", 4 * SECOND)
    replay_keys(columns_of(times, arrivals), WindowSpec("sliding", 10_000 * SECOND, 10 * SECOND), PLAN, ticks, rules)


CASES: dict[str, Callable[[int], None]] = {"late, rolling windows": late_in_rolling_windows, "late burst": late_burst}


def seconds(case: Callable[[int], None], events: int) -> float:
    """Least processor seconds of three runs."""
    return least_s(lambda: case(events), 3)


def main(arguments: list[str] | None = None) -> list[str]:
    """Measure and print; returns the lines."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--doublings", type=int, default=3)
    chosen = parser.parse_args(arguments)
    lines = []
    for name, case in CASES.items():
        case(1_000)  # compiles
        taken = [seconds(case, chosen.events << doubling) for doubling in range(chosen.doublings + 1)]
        growth = (taken[-1] / taken[0]) ** (1 / chosen.doublings)
        sizes = ", ".join(f"{chosen.events << place:,}: {used:.3f} s" for place, used in enumerate(taken))
        verdict = "ok" if growth <= MOST else f"more than {MOST}"
        lines.append(f"{name:<24} {sizes}; twice the events cost {growth:.2f} times ({verdict})")
        print(lines[-1], flush=True)
    return lines


if __name__ == "__main__":
    main()
