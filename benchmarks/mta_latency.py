"""MTA, figures 6 and 7: latency per update of constant windows, and of bulk evictions; in memory and in LMDB."""

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.cycle_clock import nanoseconds_per_cycle
from benchmarks.pages import Figure, verdict
from benchmarks.pictures import Panel, draw
from benchmarks.shapes import rises, spread
from benchmarks.window_loops import Driven, DrivenEvents
from windrow.kernels.aggregators import make
from windrow.kernels.monoids import AggregateSpec
from windrow.schemas.query import agg

TREES = ("monoid_tree", "amortized_monoid_tree")
KERNELS = ("recompute", "daba_lite", *TREES)
SUM = AggregateSpec("fast_sum", 0, "float64")
STORE_BURST = 1 << 10


@dataclass(frozen=True)
class Sizes:
    """Exponents of windows: constant ones, with recompute up to `naive`, in LMDB from `stored` on; then the one that
    bulk evictions are made from. rounds: of each eviction."""

    constant: tuple[int, ...] = tuple(range(0, 21, 2))
    naive: int = 14
    stored: tuple[int, ...] = (10, 12, 14, 16, 18, 20)
    evicted: int = 22
    rounds: int = 3


def constant(folder: Path, sizes: Sizes) -> Figure:
    """Figure 6."""
    found = {
        name: {e: per_update(name, 1 << e) for e in sizes.constant if name != "recompute" or e <= sizes.naive}
        for name in KERNELS
    }
    for name in TREES:
        found[f"{name}, LMDB"] = {e: per_stored_update(name, 1 << e) for e in sizes.stored}
    rows = [
        {"kernel": name, **{f"2^{e}": f"{of_name[e]:,.0f}" if e in of_name else "—" for e in sizes.constant}}
        for name, of_name in found.items()
    ]
    lines = {name: ([1 << e for e in of_name], list(of_name.values())) for name, of_name in found.items()}
    panels = [Panel("one in, one out, query", lines, "window, entries", "ns per update")]
    measured = (
        "Average nanoseconds of an update of a window of constant size: one entry in, the oldest out, a query. "
        "In memory in a compiled loop, through as many updates as the window holds. In LMDB through the "
        f"kernel's object, in bursts of {STORE_BURST:,}: a call from Python costs more than an update."
    )
    return Figure(
        "Latency of constant windows (MTA 6)",
        measured,
        rows,
        _constant_verdicts(found),
        draw(folder / "mta-constant.png", panels),
    )


def per_update(name: str, size: int) -> float:
    """Nanoseconds."""
    window = Driven(name, DrivenEvents([SUM]))
    window.fill(size)
    turns = max(size, 1 << 14)
    seconds = min(window.slide(turns, 1) for _ in range(3))
    window.close()
    return seconds / turns * 1e9


def per_stored_update(name: str, size: int) -> float:
    """Nanoseconds, in bursts through the object."""
    turns, values = 64, np.ones(STORE_BURST)
    with tempfile.TemporaryDirectory() as folder:
        window = stored_window(name, folder, size)
        began = time.perf_counter()
        for turn in range(turns):
            first = size + turn * STORE_BURST
            window.bulk_evict(first + STORE_BURST - 1 - size)
            window.bulk_insert(np.arange(first, first + STORE_BURST), values)
            window.query()
        seconds = time.perf_counter() - began
        window.close()
    return seconds / turns / STORE_BURST * 1e9


def stored_window(name: str, folder: str, size: int):
    """A window in LMDB, filled."""
    window = make(name, {"s": agg("sum", "v")}, store="lmdb", path=f"{folder}/window")
    for first in range(0, size, 1 << 14):
        rows = min(1 << 14, size - first)
        window.bulk_insert(np.arange(first, first + rows), np.ones(rows))
    return window


def _constant_verdicts(found: dict) -> list[str]:
    def from_on(name: str, first: int) -> list[float]:
        return [found[name][exponent] for exponent in sorted(found[name]) if exponent >= first]

    naive, log, amortized = found["recompute"], found["monoid_tree"], found["amortized_monoid_tree"]
    middle = sorted(naive)[len(naive) // 2]
    times, wider = naive[max(naive)] / naive[middle], 1 << (max(naive) - middle)
    most, is_linear = max(amortized), rises(from_on("recompute", middle)) and times > wider / 8
    spreads = {name: spread(from_on(name, middle)) for name in ("daba_lite", "amortized_monoid_tree")}
    return [
        verdict(
            is_linear,
            f"recompute takes {times:.1f} times as long in a window {wider} times as large; expected: linear.",
        ),
        *(
            verdict(
                times < 2.5,
                f"{name}'s times in windows from 2^{middle} on are within {times:.1f} times each other; "
                "expected: about flat.",
            )
            for name, times in spreads.items()
        ),
        verdict(
            log[most] > amortized[most],
            f"monoid_tree takes {log[most] / amortized[most]:.1f} times as long as "
            f"amortized_monoid_tree at 2^{most}; expected: longer, by O(log n).",
        ),
    ]


def evictions(folder: Path, sizes: Sizes) -> Figure:
    """Figure 7."""
    size, per_cycle = 1 << sizes.evicted, nanoseconds_per_cycle()
    counts = [*(1 << e for e in range(0, sizes.evicted, 2)), size - 1]
    found = {name: _evictions(name, size, counts, sizes.rounds) for name in ("daba_lite", *TREES)}
    found = {name: [cycles * per_cycle / 1e3 for cycles in of_name] for name, of_name in found.items()}
    lines = {name: (counts, of_name) for name, of_name in found.items()}
    for name in TREES:
        lines[f"{name}, LMDB"] = _stored_evictions(name, sizes.evicted)
    rows = [_eviction_row(name, dict(zip(*of_name, strict=True)), counts) for name, of_name in lines.items()]
    panels = [Panel("bulk eviction and query", lines, "entries evicted", "µs")]
    measured = (
        f"Microseconds of one bulk eviction with the query after it, from a window of {size:,} entries; median "
        f"of {sizes.rounds}. In LMDB through the kernel's object, once each, from one window that shrinks, the "
        "last of them half of it."
    )
    return Figure(
        "Latency of bulk evictions (MTA 7)",
        measured,
        rows,
        _eviction_verdicts(found, counts),
        draw(folder / "mta-evictions.png", panels),
    )


def _eviction_row(name: str, micros: dict[int, float], counts: list[int]) -> dict:
    return {"kernel": name, **{_power(each): f"{micros[each]:,.1f}" if each in micros else "—" for each in counts}}


def _power(count: int) -> str:
    exponent = (count + 1).bit_length() - 1
    return f"2^{exponent} − 1" if count > 1 and count == (1 << exponent) - 1 else f"2^{count.bit_length() - 1}"


def _evictions(name: str, size: int, counts: list[int], rounds: int) -> list[float]:
    """Median cycles of each; the window is filled up again in between."""
    window = Driven(name, DrivenEvents([SUM]))
    window.fill(size)
    oldest, taken = 0, {count: [] for count in counts}
    for _ in range(rounds):
        for count in counts:
            oldest += count
            taken[count].append(window.evict_until(oldest - 1))
            window.insert(np.arange(oldest + size - count, oldest + size, dtype=np.int64), 1024)
    window.close()
    return [median(of_count) for of_count in taken.values()]


def _stored_evictions(name: str, exponent: int) -> tuple[list[int], list[float]]:
    counts, micros, oldest = [1 << e for e in range(0, exponent)], [], 0
    with tempfile.TemporaryDirectory() as folder:
        window = stored_window(name, folder, 1 << exponent)
        for count in counts:
            oldest += count
            began = time.perf_counter()
            window.bulk_evict(oldest - 1)
            window.query()
            micros.append((time.perf_counter() - began) * 1e6)
        window.close()
    return counts, micros


def _eviction_verdicts(found: dict, counts: list[int]) -> list[str]:
    last, middle = len(counts) - 2, len(counts) // 2
    wider, queue = counts[last] // counts[middle], found["daba_lite"]
    verdicts = [
        verdict(
            queue[last] / queue[middle] > wider / 8,
            f"daba_lite takes {queue[last] / queue[middle]:,.0f} "
            f"times as long for {wider:,} times as many; expected: linear.",
        )
    ]
    for name in TREES:
        taken = found[name]
        verdicts.append(
            verdict(
                max(taken) < queue[last] / 10,
                f"{name} takes {max(taken):.1f} µs at most, daba_lite "
                f"{queue[last]:,.0f} µs for {counts[last]:,}; expected: logarithmic, far below.",
            )
        )
    return verdicts
