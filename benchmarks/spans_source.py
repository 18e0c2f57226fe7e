"""What the experiments of spans share: events as SPANS §6.1 generates them, and a replay by one kernel."""

import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

import numpy as np

from windrow.kernels.api import (
    AggregatePlan,
    EventColumns,
    KernelChoice,
    PassTicks,
    ReplayRules,
    ResultRows,
    WindowSpec,
    replay_keys,
)
from windrow.kernels.monoids import AggregateSpec

SECOND_US = 1_000_000
SPREAD_S = 10
"""Standard deviation of generated lengths."""
POSTPONED_S = 15_000
"""δ, by which the paper's windows are released later."""
COUNT, TOTAL, GREATEST = AggregateSpec("count"), AggregateSpec("sum", 0), AggregateSpec("max", 0)
ALL_AGGREGATES = (COUNT, TOTAL, GREATEST)
AGGREGATES = {"cumulative_sweeping": (COUNT, TOTAL), "selective_sweeping": (GREATEST,)}
"""Of kernels that don't serve count, sum and max at once."""
SWEEPING = "sweeping"
"""Both kinds one after the other, which then have all three."""
KERNELS = ("se_slicing", "se_ml_slicing", "aggregate_buckets", "tuple_buckets", SWEEPING)


class Sizes(NamedTuple):
    """events: generated; most_real: real ones; rounds: of which the median counts."""

    events: int = 60_000
    rounds: int = 3
    most_real: int = 1 << 20


class Spans(NamedTuple):
    """Events of one key in order of arrival, which is their end: int64[events], in µs; δ in seconds."""

    starts_us: np.ndarray
    ends_us: np.ndarray
    values: np.ndarray
    postponed_s: int

    @property
    def mean_s(self) -> float:
        """Their mean length."""
        return float(np.mean(self.ends_us - self.starts_us)) / SECOND_US


class Way(NamedTuple):
    """A kernel, and the height of its slices where it takes one."""

    kernel: str
    height: int | None = None


class RangeBySlide(NamedTuple):
    """Windows of a size and a slide, in seconds."""

    size_s: int
    slide_s: int


def generated(events: int, mean_s: int, apart_s: int = 1) -> Spans:
    """An event in so many seconds, of lengths that are normal around their mean, at least a second."""
    chance = np.random.default_rng(1)
    ends = np.arange(events, dtype=np.int64) * apart_s
    lengths = np.maximum(1, chance.normal(mean_s, SPREAD_S, events).astype(np.int64))
    return Spans((ends - lengths) * SECOND_US, ends * SECOND_US, chance.integers(0, 1000, events), POSTPONED_S)


def throughputs(ways: Mapping[str, Way], spans: Spans, grid: RangeBySlide, rounds: int) -> dict[str, float]:
    """Events a processor second by each way, on one core: medians of some rounds in which they take turns, since what
    else the machine does makes one half of a run a quarter slower than the other."""
    calls = {name: _calls(way, spans, grid) for name, way in ways.items()}
    for each in calls.values():
        _seconds(each)
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, each in calls.items():
            found[name].append(_seconds(each))
    return {name: len(spans.starts_us) / median(seconds) for name, seconds in found.items()}


def named(*kernels: str) -> dict[str, Way]:
    """Kernels without options."""
    return {kernel: Way(kernel) for kernel in kernels}


def kernels_of(kernel: str) -> tuple[str, ...]:
    """Those that together have all aggregates."""
    return tuple(AGGREGATES) if kernel == SWEEPING else (kernel,)


def _calls(way: Way, spans: Spans, grid: RangeBySlide) -> list[Callable[[], object]]:
    options = () if way.height is None else (("height", way.height),)
    return [
        replay_of(spans, grid, AGGREGATES.get(each, ALL_AGGREGATES), KernelChoice(each, options))
        for each in kernels_of(way.kernel)
    ]


def _seconds(calls: Sequence[Callable[[], object]]) -> float:
    began_s = time.process_time()
    for call in calls:
        call()
    return time.process_time() - began_s


def replay_of(
    spans: Spans, grid: RangeBySlide, aggregates: tuple[AggregateSpec, ...], choice: KernelChoice | None
) -> Callable[[], ResultRows]:
    """A replay of some events as one key; without a choice by the planner's kernel."""
    events = len(spans.starts_us)
    valid, one_key = np.ones((1, events), np.bool_), np.array([0, events])
    columns = EventColumns(one_key, spans.starts_us, spans.ends_us, spans.values[None], valid, spans.ends_us)
    window = WindowSpec("spanning", grid.size_s * SECOND_US, grid.slide_s * SECOND_US)
    rules = ReplayRules(spans.postponed_s * SECOND_US, 0, "watermark", int(spans.ends_us[-1]) + SECOND_US)
    ticks = _pass_ticks(spans)
    return lambda: replay_keys(columns, window, AggregatePlan(aggregates), ticks, rules, choice)


def _pass_ticks(spans: Spans) -> PassTicks:
    """The newest start by each end."""
    ticks, first = np.unique(spans.ends_us, return_index=True)
    last = np.append(first[1:], len(spans.ends_us)) - 1
    return PassTicks(ticks, np.maximum.accumulate(spans.starts_us)[last])
