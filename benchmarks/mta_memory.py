"""MTA, figure 8: how large a window becomes before memory ends, in memory and in LMDB.

    python -m benchmarks.mta_memory NAME MEGABYTES MOST FOLDER     fills a window; prints its entries, chunk by chunk

The limit is on private writable memory (RLIMIT_DATA): LMDB's map of its file is shared, and doesn't count. It is set
after everything is imported, compiled and has run once, at what the process has by then plus so many megabytes.
"""

import os
import resource
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.pages import Figure, verdict
from benchmarks.pictures import Panel, draw
from windrow.kernels.aggregators import make
from windrow.pipelines.config import REPOSITORY
from windrow.schemas.query import agg

CHUNK = 1 << 14
STORED = "amortized_monoid_tree, LMDB"
NAMES = ("amortized_monoid_tree", "daba_lite", STORED)


@dataclass(frozen=True)
class Sizes:
    """Limits in MB; most: entries, no window becomes larger."""

    limits: tuple[int, ...] = (8, 16, 32, 64, 128)
    most: int = 1 << 23


def fill(name: str, megabytes: int, most: int, folder: str) -> None:
    """Print the length after each chunk, until memory ends: with MemoryError, or with the process."""
    kernel, _, stored = name.partition(", ")
    _filled(_window(kernel, f"{folder}/warm" if stored else None), 4 * CHUNK)
    window = _window(kernel, f"{folder}/window" if stored else None)
    now = _private_bytes() + megabytes * 1_000_000
    resource.setrlimit(resource.RLIMIT_DATA, (now, now))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no file of a process that memory's end kills
    _filled(window, most, prints=True)


def _window(kernel: str, path: str | None):
    # daba_lite keeps the values next to its sums unless asked not to; the paper's doesn't.
    options = {"store": "lmdb", "path": path} if path else {"keep_values": False} if kernel == "daba_lite" else {}
    return make(kernel, {"s": agg("sum", "v")}, **options)


def _filled(window, entries: int, prints: bool = False) -> None:
    values = np.ones(CHUNK)
    for first in range(0, entries, CHUNK):
        window.bulk_insert(np.arange(first, first + CHUNK), values)
        if prints:
            print(first + CHUNK, flush=True)
    window.query()


def _private_bytes() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmData")).split()[1]) * 1024


def reached(case: tuple[str, int], most: int) -> tuple[int, str]:
    """Entries of the window of a child process when it ended, and how it did."""
    name, megabytes = case
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "benchmarks.mta_memory", name, str(megabytes), str(most), folder]
        child = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    lines, last_words = child.stdout.split(), child.stderr.strip().splitlines()[-1:] or [""]
    by = signal.Signals(-child.returncode).name if child.returncode < 0 else last_words[0].split(":")[0]
    return int(lines[-1]) if lines else 0, by or "stopped at the most"


def figure(folder: Path, sizes: Sizes) -> Figure:
    """Figure 8."""
    cases = [(name, limit) for name in NAMES for limit in sizes.limits]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        ends = dict(zip(cases, pool.map(partial(reached, most=sizes.most), cases), strict=True))
    found = {case: entries for case, (entries, _) in ends.items()}
    rows = [
        {
            "kernel": name,
            **{f"{limit} MB": found[name, limit] for limit in sizes.limits},
            f"end at {sizes.limits[0]} MB": ends[name, sizes.limits[0]][1],
        }
        for name in NAMES
    ]
    lines = {name: (list(sizes.limits), [max(1, found[name, limit]) for limit in sizes.limits]) for name in NAMES}
    measured = (
        f"Entries that a window reached in a process that may take so many MB more than it has once it runs; "
        f"it stops at {sizes.most:,}. The last column is how the process ended."
    )
    return Figure(
        "Window size against a memory limit (MTA 8)",
        measured,
        rows,
        _verdicts(found, sizes),
        draw(folder / "mta-memory.png", [Panel("until memory ends", lines, "limit, MB", "entries")]),
    )


def _verdicts(found: dict, sizes: Sizes) -> list[str]:
    middle, most = sizes.limits[len(sizes.limits) // 2], max(sizes.limits)
    stored, held = found[STORED, middle], found["amortized_monoid_tree", middle]
    grown = found["amortized_monoid_tree", most] / max(1, found["amortized_monoid_tree", sizes.limits[0]])
    return [
        verdict(
            stored == sizes.most or stored > 4 * held,
            f"with {middle} MB the window in LMDB reaches {stored:,} "
            f"entries, that in memory {held:,}; expected: the one in the store needs O(log n) of memory.",
        ),
        verdict(
            grown > 1,
            f"in memory the window grows {grown:.1f} times from {sizes.limits[0]} to {most} MB; "
            "expected: with the limit.",
        ),
    ]


if __name__ == "__main__":
    fill(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
