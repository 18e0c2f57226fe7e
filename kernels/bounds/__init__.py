"""Bounds of windows as kernels see them: numbered windows whose starts and ends are closed forms behind addresses. All
times in µs.

    sliding 15 by 5    start ─▶ compiled function   end ─▶ …   first_end_after ─▶ …  │ size 15  slide 5  origin 0 …
                       the operations of Bounds, first in every kind's struct        │ the kind's own

Starts and ends never fall as the number rises, so the windows that hold a time are always a range of numbers. Behind
addresses a new kind recompiles nothing else; a switch over the kinds, compiled into the replay, was no faster. What is
asked of bounds, replays, spans and farms alike, knows no kinds; kernels/kinds/ makes kinds of bounds.
"""

from typing import NamedTuple

import numpy as np

from windrow.kernels.runtime.fields import Count, Microseconds, Pointer, Word
from windrow.kernels.runtime.memory import entry, inner
from windrow.kernels.runtime.operations import Operation
from windrow.kernels.runtime.struct import Struct
from windrow.schemas.errors import WrongParameter

LONGEST_US = 1 << 60


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

    start: Operation("KernelWindow", Count)
    end: Operation("KernelWindow", Count)
    first_end_after: Operation("KernelWindow", Microseconds)
    last_start_until: Operation("KernelWindow", Microseconds)
    find_pane: Operation("KernelWindow", Microseconds, "Pane")


class KernelWindow(Bounds):
    """What all kinds have; each goes on with fields of its own."""

    size: Microseconds


class Extent(NamedTuple):
    """The least and the greatest event start, in µs; first > last if there are no events."""

    first: int
    last: int


def made_window(struct: type[KernelWindow], bounds: Bounds, **fields) -> KernelWindow:
    """The struct of a kind with some fields; it keeps the arrays given alive."""
    return struct.make(**{name: getattr(bounds, name) for name in Bounds.fields}, **fields)


def require_length(parameter: str, length_us: int) -> None:
    """WrongParameter unless a size or slide is above zero and within the range of times."""
    if not 0 < length_us <= LONGEST_US:
        raise WrongParameter(parameter, length_us, "from 1 µs to 2**60 µs")


@inner
def window_start(window, number):
    return window.start(window, number)


@inner
def window_end(window, number):
    return window.end(window, number)


@inner
def first_end_after(window, time):
    return window.first_end_after(window, time)


@inner
def last_start_until(window, time):
    return window.last_start_until(window, time)


class _Asked(Struct):
    """One of the operations of Bounds, words, and where its answers go."""

    bound: Operation("KernelWindow", Word)
    words: Pointer(Word)
    answers: Pointer(Word)


@entry
def _ask_each(asked, window, count):
    asked, window = _Asked(asked), KernelWindow(window)
    for place in range(count):
        asked.answers[place] = asked.bound(window, asked.words[place])


def each_of(window: KernelWindow, bound: str, words: np.ndarray) -> np.ndarray:
    """What one of the operations of Bounds, by its name, says of each word, a time in µs or a number. O(words)."""
    words, answers = np.ascontiguousarray(words, np.int64), np.empty(len(words), np.int64)
    asked = _Asked.make(bound=getattr(window, bound), words=words, answers=answers)
    _ask_each(asked.address, window.address, len(words))
    return answers


def pane_around(window: KernelWindow, time, pane: Pane):
    """find_pane by the other operations."""
    first, last = first_end_after(window, time), last_start_until(window, time)
    first_end = window_end(window, first)
    pane.first, pane.last = first, last
    pane.first_end, pane.last_end = first_end, window_end(window, last)
    pane.low = max(window_start(window, last), window_end(window, first - 1))
    pane.high = min(window_start(window, last + 1), first_end)
