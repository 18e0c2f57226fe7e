"""Time windows and count windows: number i is from start(i) to end(i) of times, or of ordinals of a key's tuples, by
the closed forms of its kind (kernels/windows/). Context-free: a tuple's windows are known when it comes.

size 15, slide 5, a tuple at 17     windows that end by 17 are complete: those that end at 5, 10, 15 and have tuples
"""

from functools import cache
from math import gcd

import numpy as np

from kernels.bounds import Extent, KernelWindow, first_end_after, window_end, window_start
from kernels.bounds.grid import Grid, bounds
from kernels.farm.descriptors import has_room
from kernels.farm.extents._served import ServedWindow
from kernels.farm.layout import FOREVER, GO_ON, NO_ROOM, Chunk, Extents, Farm, Substream
from kernels.runtime.memory import inner
from kernels.runtime.tables import compiled_table
from kernels.windows import window_kind
from schemas.errors import WrongParameter
from schemas.windows import Window


@inner
def hand_out_next(farm, stream, newest):
    """The key's next window, which is complete; one without tuples is passed over."""
    number = stream.next_window
    start, end = window_start(farm.window, number), window_end(farm.window, number)
    if newest >= start:
        farm.hand_out(farm, stream, start, number, start, end)
    stream.next_window = number + 1


@inner
def hand_out_until(farm, stream, newest, low):
    """All windows that end by `low`; behind `newest`, the last tuple, are none with tuples."""
    while window_end(farm.window, stream.next_window) <= low:
        if window_start(farm.window, stream.next_window) > newest:
            stream.next_window = first_end_after(farm.window, low)
        elif has_room(farm):
            hand_out_next(farm, stream, newest)
        else:
            return NO_ROOM
    return GO_ON


def before_time(farm: Farm, stream: Substream, time, value):
    """Windows that end by the tuple's time."""
    if stream.tuples == 0:
        stream.next_window = first_end_after(farm.window, time)
    return hand_out_until(farm, stream, stream.newest, time)


def nothing_after(farm: Farm, stream: Substream):
    """No window ends at a tuple's time."""


def finish_times(farm: Farm, stream: Substream):
    """All windows with tuples."""
    while stream.tuples > 0 and window_start(farm.window, stream.next_window) <= stream.newest:
        if not has_room(farm):
            return NO_ROOM
        hand_out_next(farm, stream, stream.newest)
    return GO_ON


def is_before_time(farm: Farm, chunk: Chunk, place, low):
    return chunk.times[place] < low


def nothing_before(farm: Farm, stream: Substream, time, value):
    """A window of tuples is complete with its last one."""
    return GO_ON


def after_ordinal(farm: Farm, stream: Substream):
    """The window whose last tuple this is: at most one, since windows are equally long."""
    if stream.tuples == window_end(farm.window, stream.next_window):
        hand_out_next(farm, stream, stream.tuples - 1)


def no_more(farm: Farm, stream: Substream):
    """Only full windows exist."""
    return GO_ON


def is_before_ordinal(farm: Farm, chunk: Chunk, place, low):
    return chunk.first_ordinal + place < low


def next_start(farm: Farm, stream: Substream):
    return window_start(farm.window, stream.next_window)


def next_end(farm: Farm, stream: Substream):
    return window_end(farm.window, stream.next_window)


def until_last(farm: Farm, stream: Substream):
    """All but the last of the next window's tuples."""
    return window_end(farm.window, stream.next_window) - stream.tuples - 1


def no_end(farm: Farm, stream: Substream):
    return FOREVER


@cache
def extents() -> Extents:
    """Of times."""
    functions = {"before": before_time, "after": nothing_after, "finish": finish_times, "is_before": is_before_time}
    functions |= {"quiet_until": next_end, "quiet_tuples": no_end, "least_low": next_start}
    return compiled_table(Extents, "farm_times", functions)


@cache
def ordinal_extents() -> Extents:
    """Of ordinals."""
    functions = {"before": nothing_before, "after": after_ordinal, "finish": no_more, "is_before": is_before_ordinal}
    functions |= {"quiet_until": no_end, "quiet_tuples": until_last, "least_low": next_start}
    return compiled_table(Extents, "farm_ordinals", functions)


def served(window: Window, span_us: tuple[int, int] | None) -> ServedWindow:
    """Of times. WrongParameter where windows in a time zone have no span."""
    kind = window_kind(window.kind)
    kind.refuse_impossible(window)
    if getattr(window, "zone", None) is not None and span_us is None:
        raise WrongParameter("span_us", None, f"(least, greatest) event time, for windows in the zone {window.zone}")
    span = Extent(*(span_us or (0, 0)))
    made = kind.make(kind.spec(window, np.array(span, np.int64)), span)
    if not _starts_every_slide(made):
        return ServedWindow(extents(), {"window": made})
    return ServedWindow(extents(), {"window": made, "chunk_origin": made.origin}, gcd(made.size, made.slide))


def _starts_every_slide(made: KernelWindow) -> bool:
    """Whether windows are those of a grid by their closed forms too: a kind may have its fields only."""
    return isinstance(made, Grid) and (made.start, made.end) == (bounds().start, bounds().end)
