"""What other kernels cost a replay than the finger tree: two stacks where panes come in order, and what rolling windows
of events in time get without a name.

    python -m benchmarks.replay_kernels [--events 1000000] [--keys 20] [--runs 3]

Events of a key are a second apart. In order: each arrives at its start. In time: every second event arrives `--behind`
events late, with a lateness of as much, so that no row is revised. Seconds are processor seconds of `replay_keys` on
one core, the least of the runs, the kernels taken in turn; per event.
"""

import argparse
from functools import partial
from typing import NamedTuple

import numpy as np

from benchmarks.pages import table
from benchmarks.processor import timed
from windrow.kernels.api import (
    AggregatePlan,
    EventColumns,
    KernelChoice,
    PassTicks,
    ReplayRules,
    WindowSpec,
    replay_keys,
)
from windrow.kernels.monoids import AggregateSpec

SECOND = 1_000_000
AGGREGATES = (AggregateSpec("sum", 0), AggregateSpec("max", 0), AggregateSpec("count"))


class ReplayCase(NamedTuple):
    """disorder: "in order" or "in time"; emit, aggregates: of the query, how many; kernels: against each other, the
    finger tree last; None: what the events ask for."""

    name: str
    window: WindowSpec
    disorder: str
    emit: str
    aggregates: int
    kernels: tuple[str | None, ...]


def cases() -> list[ReplayCase]:
    """Windows of few and many events; one aggregate and three."""
    windows = [
        ("tumbling, 10 events", WindowSpec("tumbling", 10 * SECOND, 10 * SECOND)),
        ("tumbling, 1,000 events", WindowSpec("tumbling", 1000 * SECOND, 1000 * SECOND)),
        ("sliding, 1,000 events by 100", WindowSpec("sliding", 1000 * SECOND, 100 * SECOND)),
        ("sliding, 1,000 events by 5", WindowSpec("sliding", 1000 * SECOND, 5 * SECOND)),
        ("sliding, 100,000 events by 100", WindowSpec("sliding", 100_000 * SECOND, 100 * SECOND)),
    ]
    rolling = [
        (f"rolling, {events:,} events", WindowSpec("rolling", events * SECOND)) for events in (100, 10_000, 100_000)
    ]
    found = []
    for count in (1, len(AGGREGATES)):
        found += [
            ReplayCase(*each, "in order", "watermark", count, ("two_stacks_lite", "finger_tree")) for each in windows
        ]
        for disorder in ("in order", "in time"):
            found += [ReplayCase(*each, disorder, "watermark", count, (None, "finger_tree")) for each in rolling]
    return found


def make_events(events: int, keys: int, behind: int) -> tuple[EventColumns, PassTicks]:
    """`keys` keys of equal events; behind: how many events every second one arrives late, 0 for none."""
    of_key = events // keys
    start = np.arange(of_key, dtype=np.int64)
    start[1::2] -= behind
    start, arrival = start * SECOND, np.arange(of_key, dtype=np.int64) * SECOND
    value = np.random.default_rng(7).integers(0, 1000, keys * of_key)
    columns = EventColumns(
        np.arange(keys + 1) * of_key,
        np.tile(start, keys),
        np.tile(arrival, keys),
        value[None, :],
        np.ones((1, keys * of_key), np.bool_),
    )
    return columns, PassTicks(arrival, np.maximum.accumulate(start))


def measure(
    case: ReplayCase, columns: EventColumns, ticks: PassTicks, behind: int, runs: int
) -> dict[str | None, float]:
    """Least processor seconds of each kernel."""
    rules = ReplayRules((behind + 1) * SECOND if case.disorder == "in time" else 0, 0, case.emit)
    plan, seconds = AggregatePlan(AGGREGATES[: case.aggregates]), dict.fromkeys(case.kernels, float("inf"))
    for _ in range(runs):
        for kernel in case.kernels:
            choice = KernelChoice(kernel)
            spent, _ = timed(partial(replay_keys, columns, case.window, plan, ticks, rules, choice))
            seconds[kernel] = min(seconds[kernel], spent)
    return seconds


def main(arguments: list[str] | None = None) -> list[dict]:
    """Measure all cases and print a table; returns its rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--keys", type=int, default=20)
    parser.add_argument("--behind", type=int, default=20_000)
    parser.add_argument("--runs", type=int, default=3)
    chosen = parser.parse_args(arguments)
    in_order = make_events(chosen.events, chosen.keys, 0)
    disordered = make_events(chosen.events, 1, chosen.behind)
    rows = []
    for case in cases():
        seconds = measure(case, *(in_order if case.disorder == "in order" else disordered), chosen.behind, chosen.runs)
        own, tree = (seconds[kernel] / chosen.events * 1e9 for kernel in case.kernels)
        rows.append(
            {
                "window": case.name,
                "events": case.disorder,
                "emit": case.emit,
                "aggregates": str(case.aggregates),
                "kernel": case.kernels[0] or "sorted_stacks",
                "ns an event": own,
                "finger_tree": tree,
                "times as fast": f"{tree / own:.2f}",
            }
        )
        print(*rows[-1].values(), flush=True)
    print(table(rows))
    return rows


if __name__ == "__main__":
    main()
