"""Sessions: each event keeps its session open for the gap behind it."""

import math
from collections.abc import Callable
from typing import Any

from windrow.pipelines.gate.recount.plain.ticks import Event, HeldWindow, Shape
from windrow.schemas.windows import Session


def windows(window: Session, events: list[Event]) -> list[HeldWindow]:
    """They end where the last of their gaps does."""

    def gap_us(event: Event) -> int:
        return gap_of(window, None if window.column is None else event.row[window.column])

    held = []
    for run in runs_of(events, gap_us):
        end = max(event.start + gap_us(event) for event in run)
        held.append(HeldWindow(run[0].start, end, end, run))
    return held


def shape(window: Session) -> Shape:
    """All events from their start to before their end; with a fixed gap an earlier event that is nearer joins them."""
    return Shape(before_us=window.gap_us if window.column is None else None)


def runs_of(events: list, gap_us: Callable[[Any], int]) -> list[list]:
    """Of events in order of their `start`: one that starts behind all that is covered begins a session. One without a
    gap above zero is in none."""
    runs: list[list] = []
    covered: float = -math.inf
    for event in events:
        if gap_us(event) > 0:
            if event.start >= covered:
                runs.append([])
            runs[-1].append(event)
            covered = max(covered, event.start + gap_us(event))
    return runs


def gap_of(window: Session, value: int | None) -> int:
    """The gap behind an event, by its value where a column has it; none without a value."""
    if window.column is None:
        return window.gap_us
    return 0 if value is None else value * window.unit_us
