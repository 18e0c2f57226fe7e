"""The figures of FRAMES with this project's kernels: `make bench-frames`. It writes docs/benchmarks/frames.md.

python -m benchmarks.frames [--folder docs/benchmarks] [--sizes small | normal]
"""

import argparse
from pathlib import Path

from benchmarks import frames_operations, frames_replays, frames_throughput
from benchmarks.frames_source import Sizes
from benchmarks.pages import FOLDER, write

HEAD = """# FRAMES: windows that tuples open and close

The technical report on frames (single buffer, multi-buffer with split & merge) has no figures of its own measurements;
here is what it says about the cost of each operation, measured with this project's kernels alone: one key, generated
tuples that come one by one, and frames that are as they should be behind each. Its multi-buffer finds a frame by a walk
over all of them; this one by bisection, so that its cost hardly depends on how many there are.

Measured on:
"""
SIZES = {"small": Sizes(tuples=2_000, held=(200, 400, 800), timed=20, rounds=1), "normal": Sizes()}


def main(arguments: list[str] | None = None) -> Path:
    """The command line; returns the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--sizes", choices=tuple(SIZES), default="normal")
    chosen = parser.parse_args(arguments)
    sizes, folder = SIZES[chosen.sizes], chosen.folder
    figures = [
        frames_throughput.by_kind(sizes),
        frames_operations.by_tuples(folder, sizes),
        frames_operations.by_frames(sizes),
        frames_throughput.next_to_scans(sizes),
        frames_throughput.growth(sizes),
        frames_replays.by_window(sizes),
    ]
    return write(folder, "frames", HEAD, figures)


if __name__ == "__main__":
    print(main())
