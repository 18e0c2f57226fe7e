"""Which tuples each window of a farm has (semantics §2): by the gate's plain walks over a key's tuples where these
trigger windows, else by a scan for each window."""

import math
from typing import NamedTuple

from tests.support.oracle.windows import windows_around
from windrow.pipelines.gate.recount.plain.kinds import of_kind
from windrow.pipelines.gate.recount.plain.ticks import Event
from windrow.schemas.windows import Window


class FarmedWindow(NamedTuple):
    """A window's bounds in µs, and the places of its tuples."""

    start: int
    end: int
    places: list[int]


def windows_of(window: Window, times: list[int], values: list[float]) -> list[FarmedWindow]:
    """Of one key's tuples, in order; delta windows are those of `value`."""
    if window.context_free:
        bounds = sorted({each for time in times for each in windows_around(time, window)})
        return [FarmedWindow(*each, _within(times, *each)) for each in bounds]
    tuples = zip(times, values, strict=True)
    rows = [Event((), time, time, time, {"place": place, "value": value}, -math.inf)
            for place, (time, value) in enumerate(tuples)]  # fmt: skip
    found = of_kind(window).windows(window, rows)
    return [FarmedWindow(each.start, each.end, [event.row["place"] for event in each.events]) for each in found]


def _within(times: list[int], start: int, end: int) -> list[int]:
    return [place for place, time in enumerate(times) if start <= time < end]
