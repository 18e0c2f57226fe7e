"""MTA, table 2 and figure 9: six aggregates by kernel, slide policies of their own, and many aggregates in one pass."""

import functools
import time
from dataclasses import dataclass
from itertools import product
from operator import itemgetter
from pathlib import Path

import numpy as np

from benchmarks.mta_latency import TREES
from benchmarks.pages import Figure, verdict
from benchmarks.pictures import Panel, draw
from benchmarks.window_loops import Driven, DrivenEvents
from windrow.kernels.aggregators import make
from windrow.kernels.monoids import AggregateSpec
from windrow.schemas.query import agg

FUNCTIONS = ("fast_sum", "mean", "geometric_mean", "std", "max", "longest_run")
ROUNDS = 3  # of which the best counts: a neighbour on the machine makes every figure worse
FORESTS = ("daba_lite", *TREES)


@dataclass(frozen=True)
class Sizes:
    """window, naive: sizes for the table, of recompute; policies: size and events there; many: how many aggregates."""

    window: int = 1 << 16
    naive: int = 1 << 8
    policies: int = 1 << 11
    many: tuple[int, ...] = (1, 2, 5, 10, 20, 30, 40, 50)
    many_window: int = 1 << 15


def per_update(name: str, size: int, events: DrivenEvents) -> float:
    """Nanoseconds of one in, one out, query."""
    window = Driven(name, events)
    window.fill(size)
    turns = max(size, 1 << 12)
    seconds = min(window.slide(turns, 1) for _ in range(ROUNDS))
    window.close()
    return seconds / turns * 1e9


def six(sizes: Sizes) -> Figure:
    """Table 2 with the one policy that all have: the window's size."""
    found = {function: _six_of(function, sizes) for function in FUNCTIONS}
    rows = [{"aggregate": function, **of_kernel} for function, of_kernel in found.items()]
    measured = (
        f"Nanoseconds of an update, one in, one out and a query, in a compiled loop; window {sizes.window:,} "
        f"entries, of recompute {sizes.naive:,}, since it is linear."
    )
    return Figure("Six aggregates (MTA table 2)", measured, rows, _six_verdicts(list(found.values())))


def _six_of(function: str, sizes: Sizes) -> dict[str, float]:
    events = DrivenEvents([AggregateSpec(function, 0, "float64")])
    naive = per_update("recompute", sizes.naive, events)
    return {f"recompute ({sizes.naive:,})": naive, **{name: per_update(name, sizes.window, events) for name in FORESTS}}


def _six_verdicts(found: list[dict[str, float]]) -> list[str]:
    first = sum(of["monoid_tree"] > of["amortized_monoid_tree"] for of in found)
    behind = [of["amortized_monoid_tree"] / of["daba_lite"] for of in found]
    return [
        verdict(
            first == len(found),
            f"amortized_monoid_tree is faster than monoid_tree for {first} of "
            f"{len(found)} aggregates; expected: for all.",
        ),
        verdict(
            max(behind) <= 1.2,
            f"amortized_monoid_tree takes {min(behind):.2f} to {max(behind):.2f} times as long "
            "as daba_lite; expected: similar or less.",
        ),
    ]


@functools.cache
def too_many(size: int):
    """The policy that all windows have: at most so many entries. One function a size: each is compiled."""
    return lambda total, prefix: total["entries"] - prefix["entries"] >= size


@functools.cache
def either(policy, other):
    """What one of two policies evicts."""
    return lambda total, prefix: policy(total, prefix) or other(total, prefix)


def older_than_maximum(total: dict, prefix: dict) -> bool:
    """What ends before the maximum can't be a maximum again."""
    return prefix["result"] < total["result"]


def older_than_run(total: dict, prefix: dict) -> bool:
    """What ends before the longest run begins."""
    return prefix["newest"] < total["start"]


POLICIES = {
    "max": ({"entries": agg("count"), "result": agg("max", "v")}, older_than_maximum),
    "longest_run": ({"entries": agg("count"), "result": agg("longest_run", "v"), "start": agg("longest_run_start", "v"),
                     "newest": agg("max", "t")}, older_than_run),
}  # fmt: skip


def policies(sizes: Sizes) -> Figure:
    """Table 2's other half: windows that evict early what can't come into a result any more."""
    for function, kernel in product(POLICIES, TREES):
        _with_policy(kernel, function, True, 8)  # compiles
    rows, verdicts = [], []
    for function, kernel in product(POLICIES, TREES):
        found = {
            policy: min(
                (_with_policy(kernel, function, policy, sizes.policies) for _ in range(ROUNDS)), key=itemgetter(1)
            )
            for policy in (False, True)
        }
        rows += [_policy_row(function, kernel, *measured) for measured in found.items()]
        verdicts += _policy_verdicts(function, kernel, found)
    measured = (
        "Events one by one through the kernels' objects, with the slide policy that keeps at most "
        f"{sizes.policies:,} entries, and with one that also evicts what is older than the maximum, or than "
        "the longest run. Policies are compiled, and asked after every event. Evictions: events after which the "
        "window was shorter than before plus one."
    )
    return Figure("Slide policies (MTA table 2)", measured, rows, verdicts)


def _policy_row(function: str, kernel: str, has_policy: bool, found: tuple) -> dict:
    length, micros, evictions, _ = found
    return {
        "aggregate": function,
        "kernel": kernel,
        "policy": "size and own" if has_policy else "size",
        "mean window, entries": length,
        "µs per event": micros,
        "evictions": evictions,
    }


def _with_policy(kernel: str, function: str, has_policy: bool, size: int) -> tuple[float, float, int, list]:
    """(mean length, µs an event, evictions, results)."""
    aggregates, policy = POLICIES[function]
    full = too_many(size)
    window = make(kernel, aggregates, policy=either(full, policy) if has_policy else full)
    values = np.random.default_rng(7).normal(size=3 * size).cumsum().tolist()
    pairs = "newest" in aggregates
    lengths, results, spent = [0], [], 0.0
    for at, value in enumerate(values):
        began = time.thread_time()
        window.insert(at, (value, float(at)) if pairs else value)
        results.append(window.query()["result"])
        spent += time.thread_time() - began
        lengths.append(len(window))
    shorter = sum(after < before + 1 for before, after in zip(lengths, lengths[1:], strict=False))
    return float(np.mean(lengths)), spent / len(values) * 1e6, shorter, results


def _policy_verdicts(function: str, kernel: str, found: dict[bool, tuple]) -> list[str]:
    (all_of, slow, _, wanted), (few, quick, _, got) = found[False], found[True]
    times = slow / quick
    same = "the same" if wanted == got else "OTHERS"
    return [
        verdict(
            wanted == got and few < all_of,
            f"{function}, {kernel}: the window is {all_of / few:.1f} times as "
            f"short with the policy, and results are {same}; expected: shorter, the same.",
        ),
        verdict(times > 1, f"{function}, {kernel}: {times:.2f} times as fast with the policy; expected: faster."),
    ]


def many(folder: Path, sizes: Sizes) -> Figure:
    """Figure 9."""
    kernel, rows = "amortized_monoid_tree", []
    specs = [AggregateSpec("fast_sum", column, "float64") for column in range(max(sizes.many))]

    def events(some: list[AggregateSpec]) -> DrivenEvents:
        return DrivenEvents(some, 1 << 10, len(specs))

    for count in sizes.many:
        together = per_update(kernel, sizes.many_window, events(specs[:count]))
        apart = sum(per_update(kernel, sizes.many_window, events([spec])) for spec in specs[:count])
        rows.append(
            {"aggregates": count, "one window, ns": together, "as many windows, ns": apart, "times": apart / together}
        )
    lines = {
        name: (list(sizes.many), [row[name] for row in rows]) for name in ("one window, ns", "as many windows, ns")
    }
    panels = [Panel("sums of as many columns", lines, "aggregates", "ns per update", "linear", "linear")]
    measured = (
        f"Nanoseconds of an update of {kernel}, window {sizes.many_window:,}, with sums of 1 to "
        f"{max(sizes.many)} columns in one pass, and with a window of its own for each sum."
    )
    picture = draw(folder / "mta-many.png", panels)
    return Figure("Many aggregates in one pass (MTA 9)", measured, rows, [_many_verdict(rows)], picture)


def _many_verdict(rows: list[dict]) -> str:
    last = rows[-1]
    growth = last["one window, ns"] / rows[0]["one window, ns"]
    return verdict(
        last["times"] > 2,
        f"{last['aggregates']} aggregates in one window take {growth:.1f} times as "
        f"long as one; {last['aggregates']} windows take {last['times']:.1f} times as long as "
        "the one window; expected: one pass grows far slower.",
    )
