"""Slices of one key: what ends in each, and what goes on from it, at one level or several (SPANS §3.2 and §4).

Slices are cut by Pairs (SPANS §5.1): at every start and every end of a window, so one or two a slide. They have levels:
level k of slice i covers slices i − k + 1 … i. An event goes into as few as cover it, from its end backwards: into φ of
the first, since it ends there, and into ϕ of the others, from which it goes on.

    windows of 15 by 5, height 3       0 ─── 5 ─── 10 ─── 15 ─── 20          an event [2, 18)
    slice of [15, 20)                           ├─────── level 3 ┤           φ, covers [5, 20)
    slice of [0, 5)                    ├─ 1 ┤                                ϕ, covers [0, 5)

A window of slices a … b is (table 3 for any height; table 2 is that of height 1)

    φ of slices a … b, all levels  +  ϕ of slice b, all levels  +  φ and ϕ of slices b + 1 … that reach back to b

An event counts once: of its pieces that meet the window only the last ends in it, or goes on from its end.
"""

from functools import cache

from kernels.aggregators._dispatch import FOREVER, Entry, PointKernel, entry_bytes
from kernels.runtime.fields import Address, Bytes, Count, Inline, Ref
from kernels.runtime.memory import WORD_BYTES, inner, not_inlined, release, resize
from kernels.runtime.struct import Struct, allocate
from kernels.runtime.tables import compiled_table
from kernels.spans._dispatch import SpanKernel
from kernels.spans._pages import (
    Pages,
    drop_all,
    drop_before,
    find_record,
    first_in,
    first_record_from,
    fold_records,
    last_record,
    page_at,
    record_to_write,
    release_pages,
)
from kernels.spans._saving import load_pages, save_pages
from kernels.states import clear, copy_words, fold, merge
from kernels.states.layout import StatePlan
from kernels.windows._grid import Grid


class Slices(Struct):
    """A record a slice: φ and ϕ of level 1, of level 2, … up to the height. result: a state to be answered with."""

    plan: Ref(StatePlan)
    window: Ref(Grid)
    height: Count
    state_bytes: Bytes
    pages: Inline(Pages)
    result: Address


@inner
def slice_of(grid, time):
    """Number of the slice that holds a time."""
    into_grid = time - grid.origin
    if grid.rest == 0:
        return into_grid // grid.slide
    return 2 * (into_grid // grid.slide) + (1 if into_grid % grid.slide >= grid.rest else 0)


@inner
def slice_start(grid, number):
    """First time of a slice."""
    if grid.rest == 0:
        return grid.origin + number * grid.slide
    return grid.origin + (number >> 1) * grid.slide + (number & 1) * grid.rest


def create(plan: StatePlan, window: Grid, height):
    slices = allocate(Slices)
    slices.plan, slices.window, slices.height = plan, window, height
    slices.state_bytes = WORD_BYTES * plan.state_words
    record_bytes = 2 * height * slices.state_bytes
    slices.pages.record_bytes = record_bytes
    slices.pages.blank = resize(0, record_bytes // WORD_BYTES)
    slices.result = resize(0, plan.state_words)
    for state in range(2 * height):
        clear(plan, slices.pages.blank + state * slices.state_bytes)
    return slices.address


def destroy(slices: Slices):
    release_pages(slices.pages)
    release(slices.pages.blank)
    release(slices.result)
    release(slices.address)


def reset(slices: Slices):
    drop_all(slices.pages)


def insert_span(slices: Slices, low, high, state):
    """SPANS algorithm 7, from the event's own end instead of the newest slice. O(slices / height) combines."""
    number = slice_of(slices.window, high - 1)
    left, goes_on = number - slice_of(slices.window, low) + 1, 0
    while left > 0:
        level = min(left, slices.height)
        at = record_to_write(slices.pages, number) + (2 * (level - 1) + goes_on) * slices.state_bytes
        merge(slices.plan, at, at, state)
        number -= level
        left -= level
        goes_on = 1


def state(slices: Slices, cursor, low, high):
    """All at once: O(slices · height)."""
    clear(slices.plan, slices.result)
    append_range(slices, low, high, slices.result)
    _append_beyond(slices, high, slices.result)
    return slices.result


def complete(slices: Slices, low, high, state):
    """What goes on from the window's last slice, and the levels of later slices that reach back to it. O(height²)."""
    if slices.height == 1:
        at = find_record(slices.pages, slice_of(slices.window, high - 1))
        if at == 0:
            return state
        merge(slices.plan, slices.result, state, at + slices.state_bytes)
        return slices.result
    copy_words(slices.result, state, slices.plan.state_words)
    _append_beyond(slices, high, slices.result)
    return slices.result


@inner
def _append_beyond(slices, high, into):
    """into ⊗= all that meets the slice before `high` and does not end in a level of a slice up to it."""
    not_inlined()
    size, last = slices.state_bytes, slice_of(slices.window, high - 1)
    at = find_record(slices.pages, last)
    if at != 0:
        fold(slices.plan, into, at + size, 2 * size, slices.height)
    for behind in range(1, slices.height):
        at = find_record(slices.pages, last + behind)
        if at != 0:
            fold(slices.plan, into, at + 2 * behind * size, size, 2 * (slices.height - behind))


@inner
def append_range(slices, low, high, into):
    """into ⊗= what ends in the slices of [low, high)."""
    first, end = slice_of(slices.window, low), slice_of(slices.window, high - 1) + 1
    for level in range(slices.height):
        fold_records(slices.pages, slices.plan, into, 2 * level * slices.state_bytes, first, end)


def evict(slices: Slices, time):
    drop_before(slices.pages, slice_of(slices.window, time + 1))


def is_empty(slices: Slices):
    return slices.pages.first == slices.pages.end


def oldest(slices: Slices):
    if slices.pages.first == slices.pages.end:
        return FOREVER
    number = first_in(page_at(slices.pages, slices.pages.first))
    return slice_start(slices.window, number - slices.height + 1)


def first_from(slices: Slices, time):
    """The levels of a slice reach back; which of them hold something isn't looked at."""
    least = slice_of(slices.window, time)
    number = first_record_from(slices.pages, least)
    return FOREVER if number == FOREVER else slice_start(slices.window, max(least, number - slices.height + 1))


def save(slices: Slices, into):
    return save_pages(slices.pages, into)


def load(slices: Slices, words):
    load_pages(slices.pages, words)


def youngest(slices: Slices):
    if slices.pages.first == slices.pages.end:
        return -FOREVER
    return slice_start(slices.window, last_record(slices.pages))


def range_query(slices: Slices, low, high):
    clear(slices.plan, slices.result)
    append_range(slices, low, high, slices.result)
    return slices.result


def append_ending(slices: Slices, low, high, into):
    append_range(slices, low, high, into)


def count_between(slices: Slices, low, high):
    count, end = 0, slice_of(slices.window, high - 1) + 1
    number = first_record_from(slices.pages, slice_of(slices.window, low))
    while number < end:
        count += 1
        number = first_record_from(slices.pages, number + 1)
    return count


def copy_entries(slices: Slices, low, high, target):
    stride, end = entry_bytes(slices.state_bytes), slice_of(slices.window, high - 1) + 1
    number = first_record_from(slices.pages, slice_of(slices.window, low))
    while number < end:
        entry = Entry(target)
        entry.time = slice_start(slices.window, number)
        clear(slices.plan, entry.state.address)
        at = find_record(slices.pages, number)
        fold(slices.plan, entry.state.address, at, 2 * slices.state_bytes, slices.height)
        target += stride
        number = first_record_from(slices.pages, number + 1)


def slice_kernel(name: str) -> SpanKernel:
    """The table of a kernel of that name."""
    operations = (create, destroy, reset, insert_span, state, complete, evict, oldest, first_from, is_empty, save, load)
    return compiled_table(SpanKernel, name, {each.__name__: each for each in operations})


@cache
def slice_ends() -> PointKernel:
    """What ends in each slice, as entries that a walk takes."""
    functions = {"range_query": range_query, "append_range": append_ending, "copy_entries": copy_entries}
    functions |= {"youngest": youngest, "count_between": count_between}
    return compiled_table(PointKernel, "slice_ends", functions)
