"""Sliding windows: number i is [origin + i·slide, + size) for every integer i (FARM eq. 8, its closed form, 0-based).

size 15, slide 5      -10 ─────────── 5         window -2      holds 2 and 4: windows -2, -1, 0
                           -5 ─────────── 10    window -1
                                0 ─────────── 15
"""

from functools import cache

from kernels.replay.regular import regular_placement
from kernels.replay.types import WindowSpec
from kernels.windows._calendar import calendar_window, zone_around
from kernels.windows._grid import Grid
from kernels.windows._kind import WindowKind, require_length
from kernels.windows._window import Bounds, Pane, compiled_bounds, made_window


def start(window: Grid, number):
    return window.origin + number * window.slide


def end(window: Grid, number):
    return window.origin + number * window.slide + window.size


def first_end_after(window: Grid, time):
    """⌊(time − origin − size)/slide⌋ + 1."""
    return (time - window.origin - window.size) // window.slide + 1


def last_start_until(window: Grid, time):
    """⌊(time − origin)/slide⌋."""
    return (time - window.origin) // window.slide


def find_pane(window: Grid, time, pane: Pane):
    """All of it by one division."""
    last = (time - window.origin) // window.slide
    last_start = window.origin + last * window.slide
    first = last - window.slides + (1 if time - last_start >= window.rest else 0)
    first_end = window.origin + first * window.slide + window.size
    pane.first, pane.last = first, last
    pane.first_end, pane.last_end = first_end, last_start + window.size
    pane.low = max(last_start, first_end - window.slide)
    pane.high = min(last_start + window.slide, first_end)


@cache
def bounds() -> Bounds:
    """The closed forms, compiled."""
    return compiled_bounds("sliding", start, end, first_end_after, last_start_until, find_pane)


def grid_fields(size: int, slide: int, origin: int) -> dict[str, int]:
    """Fields of the struct."""
    return {
        "size": size,
        "slide": slide,
        "origin": origin % slide,
        "slides": size // slide,
        "rest": size % slide,
    }


class SlidingKind(WindowKind):
    """Also of tumbling windows, which slide by their size, and of spanning ones, which differ in what they hold."""

    placement = staticmethod(regular_placement)

    def spec(self, window, starts_us=None):
        lengths = (window.kind, window.size_us, window.slide_us)
        if window.zone is None:
            return WindowSpec(*lengths, window.origin_us)
        return WindowSpec(*lengths, zone=None if starts_us is None else zone_around(window, starts_us))

    def make(self, spec, extent):
        require_length("size", spec.size_us)
        require_length("slide", spec.slide_us)
        if spec.zone is not None:
            return calendar_window(spec.size_us, spec.slide_us, spec.zone, extent)
        return made_window(Grid, bounds(), **grid_fields(spec.size_us, spec.slide_us, spec.origin_us))

    def longest_us(self, window):
        return window.longest_us


KIND = SlidingKind()
