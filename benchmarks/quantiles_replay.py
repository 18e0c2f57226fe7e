"""What a row of approx_quantile costs in a replay, in µs of processor time, and one of sum over the same events.

    python -m benchmarks.quantiles_replay [--rows 40000]

Sliding windows take ten events a row. At most 5 µs a row are wanted; beyond 1,000 panes their states of 4 KiB each no
longer stay in the caches.
"""

import argparse

import numpy as np

from benchmarks.growth_replay import SECOND, columns_of
from benchmarks.processor import timed
from windrow.kernels.api import AggregatePlan, PassTicks, ReplayRules, WindowSpec, replay_keys
from windrow.kernels.monoids import AggregateSpec

SLIDE = 10
WINDOWS = {
    **{f"rolling, {size:,} values": WindowSpec("rolling", size * SECOND) for size in (100, 10_000)},
    **{
        f"sliding, {panes:,} panes of 10": WindowSpec("sliding", panes * SLIDE * SECOND, SLIDE * SECOND)
        for panes in (10, 100, 1_000, 10_000)
    },
}
EMITS = ("watermark", "final")


def microseconds_a_row(function: str, window: WindowSpec, emit: str, rows: int) -> float:
    """The least of three replays of one key whose events come in order, one a second."""
    events = rows * (SLIDE if window.kind == "sliding" else 1)
    times = np.arange(events) * SECOND
    columns = columns_of(times, times)
    columns = columns._replace(values=np.random.default_rng(1).normal(size=(1, events)).view(np.int64))
    plan = AggregatePlan((AggregateSpec(function, 0, "float64"),))
    rules = ReplayRules(0, 0, emit, int(times[-1]))
    runs = [
        timed(lambda: len(replay_keys(columns, window, plan, PassTicks(times, times), rules).key)) for _ in range(3)
    ]
    seconds, rows = min(runs)
    return seconds / rows * 1e6


def main(arguments: list[str] | None = None) -> list[str]:
    """A line for each window and emit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=40_000)
    rows = parser.parse_args(arguments).rows
    lines = []
    for name, window in WINDOWS.items():
        for emit in EMITS:
            quantile, total = (microseconds_a_row(f, window, emit, rows) for f in ("approx_quantile", "sum"))
            lines.append(f"{name:26} {emit:10} approx_quantile {quantile:6.2f} µs a row, sum {total:6.2f}")
    return lines


if __name__ == "__main__":
    print("\n".join(main()))
