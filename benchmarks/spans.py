"""The figures of SPANS §6 with this project's kernels: `make bench-spans`. It writes docs/benchmarks/spans.md.

python -m benchmarks.spans LANDING [--folder docs/benchmarks] [--sizes small | normal]
"""

import argparse
from pathlib import Path

from benchmarks import spans_growth, spans_lengths, spans_map, spans_real, spans_windows
from benchmarks.pages import FOLDER, write
from benchmarks.spans_source import Sizes

HEAD = """# SPANS: windows over events that last

The experiments of §6 of "Slicing techniques for temporal aggregation in spanning event streams" (Suzanne, Raschia,
Martinez, Tassetti) with this project's kernels, in a replay with one key: count, sum and max, windows released δ after
their end. The paper had 2 million generated events, an event a chronon, of normal lengths (σ = 10); here are fewer, and
a chronon is a second. Sweeping is `cumulative_sweeping` (count, sum) and `selective_sweeping` (max) one after the
other. Throughput is events a processor second of `replay_keys` on one core, rows included, the median of some rounds in
which all of a row take turns.

What differs from the paper's programs: events of one slice that come in a row before a window is released are one
insertion, for every kernel, so that buckets lose little where events are short; and windows of many slices are made by
two stacks over what ends in them. On real calls the kernels are also measured alone, without either.

Measured on:
"""
SIZES = {"small": Sizes(events=2_000, rounds=1, most_real=2_000), "normal": Sizes()}


def main(arguments: list[str] | None = None) -> Path:
    """The command line; returns the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("landing", type=Path)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--sizes", choices=tuple(SIZES), default="normal")
    chosen = parser.parse_args(arguments)
    sizes, folder = SIZES[chosen.sizes], chosen.folder
    figures = [
        spans_lengths.kernels_by_length(folder, sizes),
        spans_lengths.heights_by_length(folder, sizes),
        spans_windows.kernels_by_range(folder, sizes),
        spans_windows.heights_by_range(folder, sizes),
        *spans_real.real_figures(folder, chosen.landing, sizes),
        spans_growth.growth_of_events(sizes),
        spans_map.best_kernels(folder, sizes),
    ]
    return write(folder, "spans", HEAD, figures)


if __name__ == "__main__":
    print(main())
