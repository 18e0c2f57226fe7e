"""SE-Slicing (SPANS §3.2 and §5.2.1): windows over events that last, from slices that windows share.

    window of 15 by 5     slices  [0, 5)  [5, 10)  [10, 15)  [15, 20)
    an event [7, 16)      φ          ·       ·        ·         1
                          ϕ          ·       1        1         ·
    window [0, 15): φ 0 + 0 + 0, ϕ of [10, 15) 1: one event.

An event is added to the slice in which it ends (φ). So that no window counts it twice, it is added to a second state
(ϕ) of each earlier slice that it meets. A window is all φ of its slices and the ϕ of its last slice (table 2,
combine*). The paper finds an event's slices by going back from the newest slice; this kernel finds them from the
interval of the event, however late it comes. A selective aggregate (min, max) alone could do without ϕ (§3.2.1), but
windows count events too.

Slices are cut by Pairs (SPANS §5.1): at every start and every end of a window, so there are one or two in a slide. They
have levels: level k of slice i covers slices i − k + 1 … i. An event is added to as few levels as cover it, from its
end backwards: to φ of the first, since the event ends there, and to ϕ of the others.

    windows of 15 by 5, height 3       0 ─── 5 ─── 10 ─── 15 ─── 20          an event [2, 18)
    slice of [15, 20)                           ├─────── level 3 ┤           φ, covers [5, 20)
    slice of [0, 5)                    ├─ 1 ┤                                ϕ, covers [0, 5)

A window of slices a … b is (table 3 for any height; table 2 is that of height 1)

    φ of slices a … b, all levels  +  ϕ of slice b, all levels  +  φ and ϕ of slices b + 1 … that reach back to b

An event counts once: of its pieces that meet the window only the last ends in it, or goes on from its end.
"""

from collections.abc import Mapping

from windrow.kernels.aggregators._dispatch import FOREVER, Entry, PointKernel, entry_bytes
from windrow.kernels.bounds.grid import Grid
from windrow.kernels.runtime.fields import Bytes, Count, Microseconds, Word
from windrow.kernels.runtime.memory import WORD_BYTES, inner, resize
from windrow.kernels.runtime.struct import allocate
from windrow.kernels.runtime.tables import lazy_table
from windrow.kernels.spans import _pages as pages
from windrow.kernels.spans._dispatch import SpanKernel
from windrow.kernels.spans._pages import SHARED, PagedSpans
from windrow.kernels.spans._window import SpanWindow, held_records
from windrow.kernels.states import clear, copy_words, fold, merge
from windrow.kernels.states.layout import StatePlan
from windrow.kernels.states.state_plan import Plan

MOST_FOLDED = 16
"""Slices times levels of a window that are folded sooner than walked over: with 12 slices a window and a row for each
event folds were quicker, with 24 a walk."""


class Slices(PagedSpans):
    """A record a slice: φ and ϕ of level 1, of level 2, … up to the height. asked, first_asked: where the window began
    that was asked for last, and its first slice."""

    height: Count
    state_bytes: Bytes
    asked: Microseconds
    first_asked: Word


@inner
def slice_of(grid, time):
    into_grid = time - grid.origin
    if grid.rest == 0:
        return into_grid // grid.slide
    return 2 * (into_grid // grid.slide) + (1 if into_grid % grid.slide >= grid.rest else 0)


@inner
def slice_start(grid, number):
    if grid.rest == 0:
        return grid.origin + number * grid.slide
    return grid.origin + (number >> 1) * grid.slide + (number & 1) * grid.rest


def create(plan: StatePlan, window: Grid, height):
    slices = allocate(Slices)
    pages.start_records(slices, plan, window, 2 * height)
    slices.height, slices.state_bytes = height, WORD_BYTES * plan.state_words
    slices.result = resize(0, plan.state_words)
    slices.asked, slices.first_asked = window.origin, 0
    return slices.address


def insert_span(slices: Slices, low, high, state):
    """SPANS algorithm 7, over the event's own slices instead of the newest; pieces are cut from its end backwards, and
    put in from its start on: pages of slices come in order then. O(slices / height) combines."""
    number, last = slice_of(slices.window, low) - 1, slice_of(slices.window, high - 1)
    while number < last:
        level = (last - number - 1) % slices.height + 1
        number += level
        offset = (2 * (level - 1) + (1 if number < last else 0)) * slices.state_bytes
        pages.merge_into_record(slices.pages, slices.plan, number, offset, state)


def state(slices: Slices, cursor, low, high):
    """O(height · (slices + height)). The first state is copied: to begin with nothing costs as much as a fold."""
    first = _first_slice(slices, low)
    last = first + _slices_a_window(slices.window) - 1
    number = pages.first_record_from(slices.pages, first)
    if number > last:
        copy_words(slices.result, slices.pages.blank, slices.plan.state_words)
    else:
        copy_words(slices.result, pages.find_record(slices.pages, number), slices.plan.state_words)
        pages.fold_records(slices.pages, slices.plan, slices.result, 0, number + 1, last + 1)
        _append_higher_levels(slices, number, last + 1, slices.result)
    _append_crossing(slices, last, slices.result)
    return slices.result


@inner
def _first_slice(slices, low):
    """Of a window, mostly the one behind that which was asked for last: no division then, a tenth of the answer."""
    grid = slices.window
    if low == slices.asked + grid.slide:
        slices.first_asked += 1 if grid.rest == 0 else 2
    elif low != slices.asked:
        slices.first_asked = slice_of(grid, low)
    slices.asked = low
    return slices.first_asked


def slices_a_window(grid):
    """How many slices a window has, for Python too."""
    return grid.slides if grid.rest == 0 else 2 * grid.slides + 1


_slices_a_window = inner(slices_a_window)


def complete(slices: Slices, low, high, state):
    last = slice_of(slices.window, high - 1)
    if slices.height == 1 and pages.find_record(slices.pages, last) == 0:
        return state
    copy_words(slices.result, state, slices.plan.state_words)
    _append_crossing(slices, last, slices.result)
    return slices.result


@inner
def _append_crossing(slices, last, into):
    """into ⊗= what goes on from the slice `last`, and the levels of later slices that reach back to it. O(height²)."""
    at, size = pages.find_record(slices.pages, last), slices.state_bytes
    if at != 0 and slices.height == 1:
        merge(slices.plan, into, into, at + size)
    elif at != 0:
        fold(slices.plan, into, at + size, 2 * size, slices.height)
    for behind in range(1, slices.height):
        at = pages.find_record(slices.pages, last + behind)
        if at != 0:
            fold(slices.plan, into, at + 2 * behind * size, size, 2 * (slices.height - behind))


@inner
def append_range(slices: Slices, low, high, into):
    """Of what ends in the slices of [low, high)."""
    first, end = slice_of(slices.window, low), slice_of(slices.window, high - 1) + 1
    pages.fold_records(slices.pages, slices.plan, into, 0, first, end)
    _append_higher_levels(slices, first, end, into)


@inner
def _append_higher_levels(slices, first, end, into):
    for level in range(1, slices.height):
        pages.fold_records(slices.pages, slices.plan, into, 2 * level * slices.state_bytes, first, end)


def evict(slices: Slices, time):
    pages.drop_before(slices.pages, slice_of(slices.window, time + 1))


def oldest(slices: Slices):
    number = pages.first_in_pages(slices.pages, slices.pages.first)
    return FOREVER if number == FOREVER else slice_start(slices.window, number - slices.height + 1)


def first_from(slices: Slices, time):
    """The levels of a slice reach back; which of them hold something isn't looked at."""
    least = slice_of(slices.window, time)
    number = pages.first_record_from(slices.pages, least)
    return FOREVER if number == FOREVER else slice_start(slices.window, max(least, number - slices.height + 1))


def youngest(slices: Slices):
    if slices.pages.first == slices.pages.end:
        return -FOREVER
    return slice_start(slices.window, pages.last_record(slices.pages))


def range_query(slices: Slices, low, high):
    clear(slices.plan, slices.result)
    append_range(slices, low, high, slices.result)
    return slices.result


def count_between(slices: Slices, low, high):
    count, end = 0, slice_of(slices.window, high - 1) + 1
    number = pages.first_record_from(slices.pages, slice_of(slices.window, low))
    while number < end:
        count += 1
        number = pages.first_record_from(slices.pages, number + 1)
    return count


def copy_entries(slices: Slices, low, high, target):
    stride, end = entry_bytes(slices.state_bytes), slice_of(slices.window, high - 1) + 1
    number = pages.first_record_from(slices.pages, slice_of(slices.window, low))
    while number < end:
        entry = Entry(target)
        entry.time = slice_start(slices.window, number)
        clear(slices.plan, entry.state.address)
        at = pages.find_record(slices.pages, number)
        fold(slices.plan, entry.state.address, at, 2 * slices.state_bytes, slices.height)
        target += stride
        number = pages.first_record_from(slices.pages, number + 1)


slice_kernel = lazy_table(
    SpanKernel, "slices", *SHARED, create, insert_span, state, complete, evict, oldest, first_from
)
# What ends in each slice, as entries that a walk takes.
slice_ends = lazy_table(PointKernel, "slice_ends", range_query, append_range, copy_entries, youngest, count_between)


def check(address: int, plan: Plan) -> None:
    """O(slices · height)."""
    slices = Slices(address)
    shape = (slices.height, 2, plan.state_words)
    going, reaching = {}, {}
    for number, record in held_records(slices.pages):
        events = record.reshape(shape)[:, :, 0]
        assert (events >= 0).all() and events.any(), f"marks: slice {number} has events"
        going[number] = int(events[:, 1].sum())
        for below in range(slices.height):
            reaching[number - below] = reaching.get(number - below, 0) + int(events[below].sum())
    for number, events in going.items():
        found = reaching.get(number + 1, 0)
        assert events <= found, (
            f"going on: {events} events go on from slice {number}, and {found} pieces begin behind it"
        )


class SESlicing(SpanWindow):
    """insert_span O(slices that the event meets), state O(slices of the window), or O(1) amortised in a walk over
    windows; evict O(slices).

    Memory: two states for each slice that has events, in pages of 32, from the oldest open window to the youngest
    event.
    """

    dispatch, _check = staticmethod(slice_kernel), staticmethod(check)

    @classmethod
    def pane_option(cls, options: Mapping[str, int]) -> int:
        """Their height."""
        return 1

    @classmethod
    def ends(cls, window: Grid, option: int) -> PointKernel | None:
        """Where windows have so many slices that a walk over them pays."""
        return slice_ends() if slices_a_window(window) * option > MOST_FOLDED else None

    def _pieces(self, low: int, high: int) -> int:
        cuts = 1 if self._grid.rest == 0 else 2
        return cuts * ((high - low) // self._grid.slide + 1) // Slices(self._address).height


KERNEL = SESlicing
