"""Which tuples a window has, and when it is complete, for farms (FARM §2.2.3). Tuples come in order.

Context-free windows have closed forms of times, or of ordinals of a key's tuples: a tuple's windows are known when it
comes. Kinds of kernels/windows/ whose events are points are served by theirs, those of a new file too, and count
windows by those of sliding windows. Of delta and slide-by-tuple windows, which are forward-context aware, a tuple that
comes later says which windows one is in.

    size 15, slide 5, a tuple at 17     windows that end by 17 are complete: those that end at 5, 10, 15 and have tuples
    count 3, step 2                     tuples 0 1 2 3 4 5: windows [0 1 2] [2 3 4]; only full ones exist (§2.2.3.1)
    delta 5, threshold 2                attributes 1 2.5 3.1 4 9: 3.1 triggers [1, 2.5]; 9 triggers [4], of attributes
                                        ≥ 4; the attribute never falls, or a window would not be neighbouring tuples
    size 5, every 3 tuples              tuples at 1 2 9 │ 10 11 12: windows [4, 9]: the tuple at 9; [7, 12]: those at
                                        9 … 12; a tuple may be in none (§2.2.3.4; semantics §2 includes the trigger)
"""

from collections.abc import Callable
from math import gcd
from typing import Any, NamedTuple

import numpy as np

from kernels.bounds import LONGEST_US, Extent, first_end_after, require_length, window_end, window_start
from kernels.bounds.grid import Grid, bounds, grid
from kernels.farm.descriptors import has_room
from kernels.farm.layout import AGES, ATTRIBUTE_FALLS, ATTRIBUTES, FOREVER, GO_ON, NO_ROOM, ORDINALS, REFUSED, TIMES
from kernels.runtime.memory import as_float, as_word, inner
from kernels.windows import kinds, window_kind
from schemas.errors import NotServed, WrongParameter
from schemas.windows import MICROSECOND, Count, Delta, SlideByTuple, Window


@inner
def hand_out_before(farm, stream, batch, row):
    """What is complete before a tuple: GO_ON, or NO_ROOM for a window, or REFUSED."""
    if farm.selects == ATTRIBUTES:
        return hand_out_triggered(farm, stream, batch.values[farm.attribute * batch.count + row])
    if farm.selects != TIMES:
        return GO_ON
    time = batch.times[row]
    if stream.tuples == 0:
        stream.next_window = first_end_after(farm.window, time)
    while window_end(farm.window, stream.next_window) <= time:
        if window_start(farm.window, stream.next_window) > stream.newest:  # behind it are none with tuples
            stream.next_window = first_end_after(farm.window, time)
        elif has_room(farm):
            hand_out_next(farm, stream, stream.newest)
        else:
            return NO_ROOM
    return GO_ON


@inner
def hand_out_next(farm, stream, newest):
    """The key's next window, which is complete; one without tuples is passed over."""
    number = stream.next_window
    start, end = window_start(farm.window, number), window_end(farm.window, number)
    if newest >= start:
        farm.hand_out(farm, stream, start, number, start, end)
    stream.next_window = number + 1


@inner
def hand_out_triggered(farm, stream, attribute):
    """What an attribute triggers that is at least the threshold beyond the marker, the first one at first."""
    if stream.tuples == 0:
        stream.marker = stream.latest = attribute
    if attribute < stream.latest:
        farm.wrong = ATTRIBUTE_FALLS
        return REFUSED
    if attribute - stream.marker >= as_float(farm.slide):
        if not has_room(farm):
            return NO_ROOM
        farm.hand_out(farm, stream, as_word(attribute - as_float(farm.size)), stream.next_window, 0, 0)
        stream.next_window, stream.marker = stream.next_window + 1, attribute
    stream.latest = attribute
    return GO_ON


@inner
def hand_out_after(farm, stream):
    """The window that the newest tuple completes or triggers: at most one, since count windows are equally long."""
    if farm.selects == ORDINALS and stream.tuples == window_end(farm.window, stream.next_window):
        hand_out_next(farm, stream, stream.tuples - 1)
    elif farm.selects == AGES and stream.tuples % farm.slide == 0:
        low = stream.newest - farm.size
        farm.hand_out(farm, stream, low, stream.next_window, low, stream.newest + 1)
        stream.next_window += 1


@inner
def hand_out_rest(farm, stream):
    """All windows of times with tuples, when the key's tuples are over: GO_ON or NO_ROOM."""
    has_more = farm.selects == TIMES and stream.tuples > 0
    while has_more and window_start(farm.window, stream.next_window) <= stream.newest:
        if not has_room(farm):
            return NO_ROOM
        hand_out_next(farm, stream, stream.newest)
    return GO_ON


@inner
def quiet_limits(farm, stream):
    """Until which time, and how many, the next tuples complete no window. Each attribute has to be looked at."""
    if farm.selects == TIMES:
        return window_end(farm.window, stream.next_window), FOREVER
    if farm.selects == ORDINALS:
        return FOREVER, window_end(farm.window, stream.next_window) - stream.tuples - 1
    return FOREVER, farm.slide - stream.tuples % farm.slide - 1 if farm.selects == AGES else 0


@inner
def least_low(farm, stream):
    """No window that is still to be handed out begins before."""
    if farm.selects == ATTRIBUTES:
        return as_word(stream.latest - as_float(farm.size))
    if farm.selects == AGES:
        return stream.newest - farm.size
    return window_start(farm.window, stream.next_window)


@inner
def is_before(farm, chunk, place, low):
    if farm.selects == ATTRIBUTES:
        return chunk.values[farm.attribute * chunk.room + place] < as_float(low)
    return (chunk.first_ordinal + place if farm.selects == ORDINALS else chunk.times[place]) < low


class ServedWindow(NamedTuple):
    """A window as a farm takes it. fields: of layout.Farm, `window` where its bounds are closed forms;
    greatest_chunk_us: the longest chunk that no such window cuts, or 0."""

    fields: dict[str, Any]
    greatest_chunk_us: int = 0


def _require_tuples(parameter: str, count: int) -> None:
    """So that places of them can be added."""
    if count > LONGEST_US:
        raise WrongParameter(parameter, count, "from 1 to 2**60 tuples")


def _count(window: Count, columns: tuple[str, ...]) -> ServedWindow:
    """By number, in order of event time, as a farm's tuples come."""
    if window.order != "event_time":
        raise NotServed("order", window.order, ["event_time"])
    _require_tuples("size", window.size)
    _require_tuples("step", window.step)
    ordinals = grid(window.size, window.step, 0)
    return ServedWindow({"window": ordinals, "selects": ORDINALS, "ends_at_tuples": True})


def _delta(window: Delta, columns: tuple[str, ...]) -> ServedWindow:
    """size, slide: extent and threshold, as bits of floats."""
    if window.column not in columns:
        raise WrongParameter("column", window.column, f"one of {', '.join(columns)}", columns)
    fields = {"size": as_word(float(window.extent)), "slide": as_word(float(window.threshold))}
    attribute = columns.index(window.column)
    return ServedWindow(fields | {"selects": ATTRIBUTES, "attribute": attribute, "ends_at_tuples": True})


def _slide_by_tuple(window: SlideByTuple, columns: tuple[str, ...]) -> ServedWindow:
    require_length("size", window.size // MICROSECOND)
    _require_tuples("step", window.step)
    return ServedWindow({"size": window.size // MICROSECOND, "slide": window.step, "selects": AGES})


OWN: dict[str, Callable[..., ServedWindow]] = {"count": _count, "delta": _delta, "slide_by_tuple": _slide_by_tuple}


def served_kinds() -> list[str]:
    found = [(name, window_kind(name)) for name in kinds()]
    others = {name for name, kind in found if kind.events_last or kind.keeps_events or kind.depends_on_others}
    return sorted({*kinds()} - others | {*OWN})


def served_window(window: Window, columns: tuple[str, ...], span_us: tuple[int, int] | None) -> ServedWindow:
    """Its extents, and what these need. columns: names of the value columns; span_us: least and greatest event time, of
    windows in a time zone. Raises NotServed, WrongParameter."""
    if window.kind in OWN:
        return OWN[window.kind](window, columns)
    if window.kind not in served_kinds():
        raise NotServed("window", window.kind, served_kinds())
    kind = window_kind(window.kind)
    kind.refuse_impossible(window)
    if getattr(window, "zone", None) is not None and span_us is None:
        raise WrongParameter("span_us", None, f"(least, greatest) event time, for windows in the zone {window.zone}")
    span = Extent(*(span_us or (0, 0)))
    made = kind.make(kind.spec(window, np.array(span, np.int64)), span)
    # Whether windows are those of a grid by their closed forms too: a kind may have its fields only.
    if isinstance(made, Grid) and (made.start, made.end) == (bounds().start, bounds().end):
        return ServedWindow({"window": made, "chunk_origin": made.origin}, gcd(made.size, made.slide))
    return ServedWindow({"window": made})


def require_context_free(window: Window, served: ServedWindow) -> None:
    """WrongParameter for windows of which active workers can't know the tuples when these come."""
    if "window" not in served.fields:
        others = ", ".join(each for each in served_kinds() if each != window.kind)
        known = "one whose bounds are known when a tuple comes, with active workers"
        raise WrongParameter("window", window.kind, f"{known}; take one of {others}, or the model 'agnostic'")
