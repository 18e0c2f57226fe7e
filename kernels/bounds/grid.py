"""Windows that start every slide, by their closed forms: what slices are cut by too."""

from windrow.kernels.bounds import Bounds, KernelWindow, Pane, made_window
from windrow.kernels.runtime.fields import Count, Microseconds
from windrow.kernels.runtime.tables import lazy_table


class Grid(KernelWindow):
    """Window i starts at origin + i·slide. slides: how many fit into the size; rest: of the size behind them."""

    slide: Microseconds
    origin: Microseconds
    slides: Count
    rest: Microseconds


def start(window: Grid, number):
    return window.origin + number * window.slide


def end(window: Grid, number):
    return window.origin + number * window.slide + window.size


def first_end_after(window: Grid, time):
    return (time - window.origin - window.size) // window.slide + 1


def last_start_until(window: Grid, time):
    return (time - window.origin) // window.slide


def find_pane(window: Grid, time, pane: Pane):
    last = (time - window.origin) // window.slide
    last_start = window.origin + last * window.slide
    first = last - window.slides + (1 if time - last_start >= window.rest else 0)
    first_end = window.origin + first * window.slide + window.size
    pane.first, pane.last = first, last
    pane.first_end, pane.last_end = first_end, last_start + window.size
    pane.low = max(last_start, first_end - window.slide)
    pane.high = min(last_start + window.slide, first_end)


bounds = lazy_table(Bounds, "sliding_bounds", start, end, first_end_after, last_start_until, find_pane)
"""The closed forms of all grids."""


def grid(size: int, slide: int, origin: int) -> Grid:
    """The struct, of windows on any axis of int64."""
    fields = {"origin": origin % slide, "slides": size // slide, "rest": size % slide}
    return made_window(Grid, bounds(), size=size, slide=slide, **fields)
