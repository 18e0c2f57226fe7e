"""A window kind as kernels see it: numbered windows whose bounds are closed forms behind addresses. All times in µs.

    sliding 15 by 5    start ─▶ compiled function   end ─▶ …   first_end_after ─▶ …  │ size 15  slide 5  origin 0 …
                       the operations of Bounds, first in every kind's struct        │ the kind's own

Starts and ends never fall as the number rises, so the windows that hold a time are always a range of numbers. Behind
addresses a new kind recompiles nothing else; a switch over the kinds, compiled into the replay, was no faster.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple, TypeVar

from kernels.runtime.fields import Count, Microseconds, Word
from kernels.runtime.memory import inner
from kernels.runtime.operations import Operation
from kernels.runtime.struct import Struct
from kernels.runtime.tables import compiled_table

T = TypeVar("T", bound=Struct)


class Pane(Struct):
    """A stretch of time between the two nearest edges among starts and ends of windows, so that the same windows, from
    first to last, hold all of it."""

    low: Microseconds
    high: Microseconds
    first: Word
    last: Word
    first_end: Microseconds
    last_end: Microseconds


class Bounds(Struct):
    """The closed forms of a kind; `window` is its struct.

    start(window, number), end(window, number) → µs: first time of a window, first time after it
    first_end_after(window, time) → number of the first window that ends after the time: if any holds it, the first
    last_start_until(window, time) → number of the last that starts at or before it: if any holds it, the last
    find_pane(window, time, pane): the pane that holds a time; 0 of kinds whose events aren't held in panes
    """

    start: Operation("Window", Count)
    end: Operation("Window", Count)
    first_end_after: Operation("Window", Microseconds)
    last_start_until: Operation("Window", Microseconds)
    find_pane: Operation("Window", Microseconds, "Pane")


class Window(Bounds):
    """What all kinds have; each goes on with fields of its own."""

    size: Microseconds


class Extent(NamedTuple):
    """The least and the greatest event start, in µs; first > last if there are no events."""

    first: int
    last: int


def made_window(struct: type[Window], bounds: Bounds, **fields) -> Window:
    """The struct of a kind with some fields; it keeps the arrays given alive."""
    return struct.make(**{name: getattr(bounds, name) for name in Bounds.fields}, **fields)


@inner
def window_start(window, number):
    """First time of a window."""
    return window.start(window, number)


@inner
def window_end(window, number):
    """First time after a window."""
    return window.end(window, number)


@inner
def first_end_after(window, time):
    """Number of the first window that ends after `time`: if any window holds `time`, the first that does."""
    return window.first_end_after(window, time)


@inner
def last_start_until(window, time):
    """Number of the last window that starts at or before `time`: if any window holds `time`, the last that does."""
    return window.last_start_until(window, time)


@inner
def find_pane(window, time, pane):
    window.find_pane(window, time, pane)


def pane_around(window: Window, time, pane: Pane):
    """find_pane by the other operations."""
    first, last = first_end_after(window, time), last_start_until(window, time)
    first_end = window_end(window, first)
    pane.first, pane.last = first, last
    pane.first_end, pane.last_end = first_end, window_end(window, last)
    pane.low = max(window_start(window, last), window_end(window, first - 1))
    pane.high = min(window_start(window, last + 1), first_end)


def lazy_table(kind: type[T], name: str, *functions: Callable, **others: Callable) -> Callable[[], T]:
    """A table with functions that are named as its operations, and others by name; compiled, or loaded from the disk
    cache, when it is first asked for."""
    operations = {function.__name__: function for function in functions} | others
    return cache(lambda: compiled_table(kind, name, operations))


def compiled_bounds_in_panes(name: str, *functions: Callable) -> Bounds:
    """The closed forms of a kind whose events are held in panes, named as the operations of Bounds, compiled now or
    loaded from the disk cache; panes are found by the other operations."""
    return lazy_table(Bounds, f"{name}_bounds", *functions, find_pane=pane_around)()
