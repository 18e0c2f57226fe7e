"""Which tuples a window has, and when it is complete, for farms (FARM §2.2.3). Tuples come in order.

Context-free windows have closed forms of times, or of ordinals of a key's tuples: a tuple's windows are known when it
comes. Kinds of kernels/kinds/ whose events are points are served by theirs, those of a new file too, and count
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
from typing import Any

import numpy as np

from windrow.kernels.bounds import LONGEST_US, Extent, require_length
from windrow.kernels.bounds.grid import grid
from windrow.kernels.farm.layout import AGES, ATTRIBUTES, ORDINALS
from windrow.kernels.kinds import kinds, window_kind
from windrow.kernels.runtime.memory import as_word
from windrow.schemas.errors import NotServed, WrongParameter
from windrow.schemas.windows import MICROSECOND, Count, Delta, SlideByTuple, Window

FarmFields = dict[str, Any]
"""Of layout.Farm, those that say what a window is: `window` where its bounds are closed forms."""


def _require_tuples(parameter: str, count: int) -> None:
    """So that places of them can be added."""
    if count > LONGEST_US:
        raise WrongParameter(parameter, count, "from 1 to 2**60 tuples")


def _count(window: Count, columns: tuple[str, ...]) -> FarmFields:
    """By number, in order of event time, as a farm's tuples come."""
    if window.order != "event_time":
        raise NotServed("order", window.order, ["event_time"])
    _require_tuples("size", window.size)
    _require_tuples("step", window.step)
    return {"window": grid(window.size, window.step, 0), "selects": ORDINALS}


def _delta(window: Delta, columns: tuple[str, ...]) -> FarmFields:
    """size, slide: extent and threshold, as bits of floats."""
    if window.column not in columns:
        raise WrongParameter("column", window.column, f"one of {', '.join(columns)}", columns)
    fields = {"size": as_word(float(window.extent)), "slide": as_word(float(window.threshold))}
    return fields | {"selects": ATTRIBUTES, "attribute": columns.index(window.column)}


def _slide_by_tuple(window: SlideByTuple, columns: tuple[str, ...]) -> FarmFields:
    require_length("size", window.size // MICROSECOND)
    _require_tuples("step", window.step)
    return {"size": window.size // MICROSECOND, "slide": window.step, "selects": AGES}


OWN: dict[str, Callable[..., FarmFields]] = {"count": _count, "delta": _delta, "slide_by_tuple": _slide_by_tuple}


def served_kinds() -> list[str]:
    found = [(name, window_kind(name)) for name in kinds()]
    others = {name for name, kind in found if kind.events_last or kind.keeps_events or kind.depends_on_others}
    return sorted({*kinds()} - others | {*OWN})


def served_window(window: Window, columns: tuple[str, ...], span_us: tuple[int, int] | None) -> FarmFields:
    """Its extents. columns: names of the value columns; span_us: least and greatest event time, of
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
    return {"window": kind.make(kind.spec(window, np.array(span, np.int64)), span)}


def require_context_free(window: Window, served: FarmFields) -> None:
    """WrongParameter for windows of which active workers can't know the tuples when these come."""
    if "window" not in served:
        others = ", ".join(each for each in served_kinds() if each != window.kind)
        known = "one whose bounds are known when a tuple comes, with active workers"
        raise WrongParameter("window", window.kind, f"{known}; take one of {others}, or the model 'agnostic'")
