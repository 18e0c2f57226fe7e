"""The figures of MTA §5 with this project's kernels: `make bench-mta`. It writes docs/benchmarks/mta.md.

python -m benchmarks.mta [--folder docs/benchmarks] [--sizes small | large]
"""

import argparse
import tempfile
from pathlib import Path

from benchmarks import mta_aggregates, mta_latency, mta_memory
from benchmarks.pages import FOLDER, write
from benchmarks.window_loops import Driven, DrivenEvents
from windrow.kernels.monoids import AggregateSpec

HEAD = """# MTA: monoid trees

The experiments of §5 of the paper on monoid tree aggregators (Villalba, Berral, Carrera: Constant-time sliding window
framework with reduced memory footprint and efficient bulk evictions) with this project's kernels, in one process on the
same events, one core, all compiled before anything is timed. recompute is the paper's naive window, monoid_tree its log
MTA, amortized_monoid_tree its amortised MTA; the store is LMDB, in this process, where the paper's is a server. Whether
a shape is the paper's is computed from the figures.

Measured on:
"""
SIZES = {
    "small": (mta_latency.Sizes((0, 4, 8), 8, (10, 11), 14, 1),
              mta_aggregates.Sizes(1 << 10, 1 << 4, 1 << 5, (1, 5), 1 << 8), mta_memory.Sizes((8, 16), 1 << 16)),
    "normal": (mta_latency.Sizes(), mta_aggregates.Sizes(), mta_memory.Sizes()),
    "large": (mta_latency.Sizes(constant=tuple(range(0, 26)), stored=tuple(range(10, 26)), evicted=23),
              mta_aggregates.Sizes(window=1 << 20, policies=1 << 14), mta_memory.Sizes(most=1 << 25)),
}  # fmt: skip


def warm() -> None:
    """Compile every loop of every kernel, and run each aggregate's code once."""
    for function in mta_aggregates.FUNCTIONS:
        for name in mta_latency.KERNELS:
            window = Driven(name, DrivenEvents([AggregateSpec(function, 0, "float64")]))
            window.fill(4096)
            window.slide(64, 1)
            window.evict_until(100)
            window.close()
    with tempfile.TemporaryDirectory() as folder:
        for name in mta_latency.TREES:
            window = mta_latency.stored_window(name, f"{folder}/{name}", 1 << 13)
            window.bulk_evict(100)
            window.query()
            window.close()


def main(arguments: list[str] | None = None) -> Path:
    """The command line; returns the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--sizes", choices=tuple(SIZES), default="normal")
    chosen = parser.parse_args(arguments)
    latency, aggregates, memory = SIZES[chosen.sizes]
    warm()
    figures = [
        mta_latency.constant(chosen.folder, latency),
        mta_latency.evictions(chosen.folder, latency),
        mta_aggregates.six(aggregates),
        mta_aggregates.policies(aggregates),
        mta_memory.figure(chosen.folder, memory),
        mta_aggregates.many(chosen.folder, aggregates),
    ]
    return write(chosen.folder, "mta", HEAD, figures)


if __name__ == "__main__":
    print(main())
