"""Span kernels without a replay around them, as SPANS §6 measures: an insertion an event, an answer a window."""

import ctypes
from collections.abc import Callable
from functools import cache, partial
from statistics import median
from typing import NamedTuple

import numpy as np

from benchmarks.processor import timed
from benchmarks.spans_loops import DrivenSpans, release_until, take
from benchmarks.spans_source import AGGREGATES, ALL_AGGREGATES, SECOND_US, RangeBySlide, Spans, kernels_of
from windrow.kernels.bounds.grid import grid as made_grid
from windrow.kernels.objects.columns import Source
from windrow.kernels.runtime.memory import address_of
from windrow.kernels.spans import window_class
from windrow.kernels.states.state_plan import make_plan

EVENTS_A_LOOK = 256
"""Between two looks at how much memory is held."""


class AloneRun(NamedTuple):
    """seconds: of the processor; answered: (windows, events over all of them), the same by every kernel; most_bytes:
    allocated at most."""

    seconds: float
    answered: tuple[int, int]
    most_bytes: int


class KernelCost(NamedTuple):
    """Of a kernel on some events: a processor second's events, and bytes allocated at most."""

    throughput: float
    most_bytes: int


class _Memory(ctypes.Structure):
    """The C library's struct mallinfo2."""

    _fields_ = [(f"number_{place}", ctypes.c_size_t) for place in range(4)]
    _fields_ += [(name, ctypes.c_size_t) for name in ("mapped", "unused", "fast", "in_use", "free", "keep")]


@cache
def _ask_for_memory() -> Callable[[], _Memory]:
    """Of glibc 2.33 or newer."""
    asked = ctypes.CDLL(None).mallinfo2
    asked.restype = _Memory
    return asked


def allocated_bytes() -> int:
    """What is allocated by the C library and not given back."""
    memory = _ask_for_memory()()
    return memory.in_use + memory.mapped


def costs_alone(kernels: tuple[str, ...], spans: Spans, grid: RangeBySlide, rounds: int) -> dict[str, KernelCost]:
    """Medians of rounds in which the kernels take turns. ValueError where they don't answer the same."""
    runs: dict[str, list[list[AloneRun]]] = {kernel: [] for kernel in kernels}
    for _ in range(1 + rounds):
        for kernel, of_kernel in runs.items():
            of_kernel.append([_run(each, spans, grid) for each in kernels_of(kernel)])
    answers = {run.answered for of_kernel in runs.values() for parts in of_kernel for run in parts}
    if len(answers) > 1:
        raise ValueError(f"kernels answered windows and events differently: {sorted(answers)}")
    return {kernel: _cost(of_kernel[1:], len(spans.starts_us)) for kernel, of_kernel in runs.items()}


def _cost(rounds: list[list[AloneRun]], events: int) -> KernelCost:
    seconds = median(sum(run.seconds for run in parts) for parts in rounds)
    return KernelCost(events / seconds, sum(run.most_bytes for run in rounds[0]))


def _run(kernel: str, spans: Spans, grid: RangeBySlide) -> AloneRun:
    plan, made = make_plan(AGGREGATES.get(kernel, ALL_AGGREGATES)), window_class(kernel)
    window = made_grid(grid.size_s * SECOND_US, grid.slide_s * SECOND_US, 0)
    source = Source(spans.values[None], np.ones((1, len(spans.values)), np.bool_), spans.starts_us)
    state = np.zeros(plan.state_words, np.int64)
    driven = DrivenSpans.make(
        kernel=made.dispatch(),
        plan=plan.address,
        window=window,
        state=address_of(state),
        events=source.address,
        starts=spans.starts_us,
        ends=spans.ends_us,
        postponed=spans.postponed_s * SECOND_US,
        next=window.first_end_after(window.address, int(spans.starts_us.min())),
    )
    before = allocated_bytes()
    driven.structure = made.dispatch().create(plan.address, window.address, made.pane_option({}))
    seconds, most = _drive(driven, spans)
    made.dispatch().destroy(driven.structure)
    return AloneRun(seconds, (driven.windows, driven.covered), most - before)


def _drive(driven: DrivenSpans, spans: Spans) -> tuple[float, int]:
    seconds, most, events = 0.0, 0, len(spans.ends_us)
    for first in range(0, events, EVENTS_A_LOOK):
        seconds += timed(partial(take, driven.address, first, min(events, first + EVENTS_A_LOOK)))[0]
        most = max(most, allocated_bytes())
    last = int(spans.ends_us[-1]) + driven.window.size
    return seconds + timed(lambda: release_until(driven.address, last))[0], most
