"""What both kinds of buckets share: a record for each window that has events, by its number."""

from kernels.aggregators._dispatch import FOREVER
from kernels.runtime.fields import Inline, Ref
from kernels.runtime.memory import inner
from kernels.runtime.struct import Struct
from kernels.spans._pages import Pages, first_in, first_record_from, page_at
from kernels.states.layout import StatePlan
from kernels.windows._grid import Grid
from kernels.windows._window import first_end_after, last_start_until, window_end


class Buckets(Struct):
    """Each kind goes on with fields of its own."""

    plan: Ref(StatePlan)
    window: Ref(Grid)
    pages: Inline(Pages)


@inner
def windows_of(buckets, low, high):
    """First and last number of the windows that [low, high) meets."""
    return first_end_after(buckets.window, low), last_start_until(buckets.window, high - 1)


@inner
def number_at(buckets, low):
    """Number of the window that starts at `low`."""
    return last_start_until(buckets.window, low)


@inner
def _last_time(buckets, number):
    return window_end(buckets.window, number) - 1


def is_empty(buckets: Buckets):
    return buckets.pages.first == buckets.pages.end


def oldest(buckets: Buckets):
    if buckets.pages.first == buckets.pages.end:
        return FOREVER
    return _last_time(buckets, first_in(page_at(buckets.pages, buckets.pages.first)))


def first_from(buckets: Buckets, time):
    number = first_record_from(buckets.pages, last_start_until(buckets.window, time - 1) + 1)
    return FOREVER if number == FOREVER else _last_time(buckets, number)


SHARED = {"is_empty": is_empty, "oldest": oldest, "first_from": first_from}
"""Operations of their tables."""
