"""The figures of FIBA §7 with this project's kernels: `make bench-fiba`. It writes docs/benchmarks/fiba.md.

python -m benchmarks.fiba LANDING [--folder docs/benchmarks] [--sizes small]
"""

import argparse
from pathlib import Path

from benchmarks import fiba_latency, fiba_memory, fiba_throughput, fiba_trips
from benchmarks.pages import FOLDER, write
from benchmarks.window_loops import ANY_ORDER, IN_ORDER, Driven, DrivenEvents

HEAD = """# FIBA: bulk eviction and insertion

The experiments of §7 of the paper on FiBA (Tangwongsan, Hirzel, Schneider: Out-of-order sliding-window aggregation with
efficient bulk evictions and insertions) with this project's kernels, in one process on the same events, one core, all
compiled before anything is timed. finger_tree (4) and (8) are the paper's b_fiba4 and b_fiba8, with min_arity 4 and 8;
finger_tree_single is nb_fiba, the same compiled tree without bulk operations: a loop of single ones;
amortized_monoid_tree is amta, with a bulk insertion of its own. A comparison with the authors' C++ compares
finger_tree (8) with their bulk tree `bfinger8`, and finger_tree_single (8) with `nbfinger8`. Whether a shape is the
paper's is computed from the figures. Throughput is by processor seconds; the clock of the latencies goes on while the
system gives the core to another process, which shows as tails of about a millisecond and more that many kernels share.

Measured on:
"""
SMALL = (
    fiba_throughput.Sizes(1 << 12, (1, 64), (0, 16, 256), 0.001),
    fiba_latency.Sizes(1 << 12, 64, 200, 0.01),
    fiba_memory.Sizes((12, 13), (12, 13)),
)
NORMAL = (fiba_throughput.Sizes(), fiba_latency.Sizes(), fiba_memory.Sizes())


def warm() -> None:
    """Compile every loop of every kernel, and run the aggregates' code once."""
    for aggregate in fiba_throughput.AGGREGATES.values():
        for name in (*ANY_ORDER, *IN_ORDER):
            window = Driven(name, DrivenEvents([aggregate]))
            window.fill(4096)
            window.slide(4, 64)
            window.time_slide(4, 64)
            window.close()


def main(arguments: list[str] | None = None) -> Path:
    """The command line; returns the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("landing", type=Path)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--sizes", choices=("normal", "small"), default="normal")
    chosen = parser.parse_args(arguments)
    throughput, latency, memory = SMALL if chosen.sizes == "small" else NORMAL
    warm()
    figures = [
        fiba_throughput.by_burst(chosen.folder, throughput),
        fiba_throughput.by_distance(chosen.folder, throughput),
        *fiba_latency.figures(chosen.folder, latency),
        *fiba_trips.figures(chosen.folder, chosen.landing),
        fiba_memory.figure(chosen.folder, memory),
    ]
    return write(chosen.folder, "fiba", HEAD, figures)


if __name__ == "__main__":
    print(main())
