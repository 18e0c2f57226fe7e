"""SPANS, figure 14: real calls, by kernels alone as the paper measures them, and in a replay."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.pages import Figure, verdict
from benchmarks.pictures import Panel, draw
from benchmarks.spans_alone import KernelCost, costs_alone
from benchmarks.spans_calls import data_sessions, voice_calls
from benchmarks.spans_source import KERNELS, SECOND_US, SWEEPING, RangeBySlide, Sizes, Spans, named, throughputs

SLIDES = 5
ASKED = {"tuple_buckets": 1.4, "aggregate_buckets": 1.1, SWEEPING: 1.3}
"""SE-Slicing is to be so many times as fast, as in the paper."""


class RealEvents(NamedTuple):
    """Events of a name, and the ranges of the windows over them."""

    name: str
    spans: Spans
    ranges_s: tuple[int, ...]

    def grids(self) -> list[RangeBySlide]:
        """Five slides a window."""
        return [RangeBySlide(size, size // SLIDES) for size in self.ranges_s]

    def events_a_slide(self, grid: RangeBySlide) -> float:
        """How many events begin in a slide, on average over those that have any."""
        starts_us = self.spans.starts_us
        return len(starts_us) / len(np.unique(starts_us // (grid.slide_s * SECOND_US)))


def real_figures(folder: Path, landing: Path, sizes: Sizes) -> list[Figure]:
    """Throughput, processor time and memory of the kernels alone, and their throughput in a replay."""
    sources = (
        RealEvents("calls", voice_calls(landing, sizes.most_real), (300, 1_800, 3_600, 10_800, 43_200, 86_400)),
        RealEvents("sessions", data_sessions(landing, sizes.most_real), (20, 100, 300, 1_800, 10_800, 43_200)),
    )
    alone = {
        source.name: [costs_alone(KERNELS, source.spans, grid, sizes.rounds) for grid in source.grids()]
        for source in sources
    }
    replayed = {
        source.name: [throughputs(named(*KERNELS), source.spans, grid, sizes.rounds) for grid in source.grids()]
        for source in sources
    }
    return [
        _throughput(folder, sources, alone),
        _processor_and_memory(sources, alone),
        _in_a_replay(sources, replayed),
    ]


def _throughput(folder: Path, sources: tuple[RealEvents, ...], alone: Mapping[str, list[KernelCost]]) -> Figure:
    rates = {
        name: [{kernel: cost.throughput for kernel, cost in line.items()} for line in lines]
        for name, lines in alone.items()
    }
    described = "; ".join(
        f"{source.name}: {len(source.spans.starts_us):,}, {source.spans.mean_s:.0f} s long on average"
        for source in sources
    )
    measured = (
        f"Real events as one key, by the kernels alone: each event is one insertion, each window one answer, as the "
        f"paper's programs do it. Calls are voice calls of students, sessions those of phones' data in two cities "
        f"({described}). Millions of events a processor second, by range, for windows of five slides; δ = 2.5 h, and "
        "what is longer left out. A slide: events that begin in one, of those with any."
    )
    panels = [
        Panel(
            source.name,
            {kernel: (list(source.ranges_s), [line[kernel] for line in rates[source.name]]) for kernel in KERNELS},
            "range, s",
            "events a second",
            base=10,
        )
        for source in sources
    ]
    rows = _rows(sources, rates, with_density=True)
    picture = draw(folder / "spans-real.png", panels)
    return Figure("Real calls, kernels alone (SPANS 14)", measured, rows, _verdicts(sources, rates), picture)


def _rows(sources: tuple[RealEvents, ...], rates: Mapping[str, list[dict]], with_density: bool = False) -> list[dict]:
    return [
        {"events": source.name, "range": f"{grid.size_s:,} s"}
        | ({"a slide": f"{source.events_a_slide(grid):.1f}"} if with_density else {})
        | {kernel: f"{line[kernel] / 1e6:.2f}" for kernel in KERNELS}
        for source in sources
        for grid, line in zip(source.grids(), rates[source.name], strict=True)
    ]


def _verdicts(sources: tuple[RealEvents, ...], rates: Mapping[str, list[dict]]) -> list[str]:
    verdicts = []
    for source in sources:
        for other, asked in ASKED.items():
            ratios = {
                size: line["se_slicing"] / line[other]
                for size, line in zip(source.ranges_s, rates[source.name], strict=True)
            }
            missed = [f"{ratio:.2f} at {size:,} s" for size, ratio in ratios.items() if ratio < asked]
            says = (
                f"{source.name}: SE-Slicing is {min(ratios.values()):.2f} to {max(ratios.values()):.2f} times as fast "
                f"as {other}; at least {asked} in the paper{': ' * bool(missed)}{', '.join(missed)}."
            )
            verdicts.append(verdict(not missed, says))
    return verdicts


def _processor_and_memory(sources: tuple[RealEvents, ...], alone: Mapping[str, list[KernelCost]]) -> Figure:
    rows = [
        {"events": source.name, "range": f"{size:,} s"}
        | {
            kernel: f"{1e9 / cost.throughput:.0f} ns, {cost.most_bytes / 1024:,.0f} KiB"
            for kernel, cost in line.items()
        }
        for source in sources
        for size, line in zip(source.ranges_s, alone[source.name], strict=True)
    ]
    verdicts = []
    for source in sources:
        lines = alone[source.name]
        of_tuples = max(line["tuple_buckets"].most_bytes / line["aggregate_buckets"].most_bytes for line in lines)
        says = f"{source.name}: tuple buckets take up to {of_tuples:.1f} times the memory of aggregate buckets."
        verdicts.append(verdict(of_tuples >= 1.5, says))
        of_slices = [line["se_slicing"].most_bytes / line["aggregate_buckets"].most_bytes for line in lines]
        says = f"{source.name}: SE-Slicing takes {min(of_slices):.1f} to {max(of_slices):.1f} times their memory."
        verdicts.append(verdict(max(of_slices) <= 2.5, says))
    measured = (
        "The same runs: processor time an event, and the most memory that the kernel had allocated, looked at every "
        "256 events. Of sweeping both kinds together."
    )
    return Figure("Real calls, processor time and memory (SPANS 14)", measured, rows, verdicts)


def _in_a_replay(sources: tuple[RealEvents, ...], replayed: Mapping[str, list[dict]]) -> Figure:
    measured = (
        "The same events in a replay: millions of events a processor second. Rows, their order and the watermark cost "
        "all kernels the same, and events of one slice that come in a row are one insertion for all of them, so that "
        "buckets lose less. The planner takes buckets where a slide has few events."
    )
    return Figure("Real calls in a replay", measured, _rows(sources, replayed), _verdicts(sources, replayed))
