"""How many events a row of a window that depends on its key's other events can hold, by the times that it names.

    start   ├──┼──┼──┼──┼──┤   end
            1  1  1  1  2                of the two at the last time one may stand behind the window's last

Windows are runs of a key's events in order; where several start at a window's first or last time, the order of their
arrival says which are in it, and only a walk over all of the key's events where the window ends. So there are bounds,
which mostly are one number.
"""

from typing import NamedTuple

import numpy as np

from pipelines.gate.recount.ordered_events import OrderedEvents


class Shape(NamedTuple):
    """What is known of a kind's windows. all_between: every event from the first to the last is in it, and no other
    than these; shared_first, shared_last: others may start at the same time; tail_us: how long behind its last event it
    ends; from_first: its first event starts at its start; alone_us: how long before and behind it there is none;
    length_us: of all windows, None where that differs; never_late: no event is late for one."""

    all_between: bool = True
    shared_first: bool = True
    shared_last: bool = True
    tail_us: int = 1
    from_first: bool = True
    alone_us: int = 0
    length_us: int | None = None
    never_late: bool = False


class RowsToCount(NamedTuple):
    """int64 arrays, one entry a row of the run: what it is of, when it came, when its window's end was reached."""

    keys: np.ndarray
    starts_us: np.ndarray
    ends_us: np.ndarray
    emitted_us: np.ndarray
    reached_us: np.ndarray


class HeldBounds(NamedTuple):
    """int64 arrays, one entry a row: fewest and most events that it can hold, none where there is no such window;
    fewest and most of them that were late; and all that ever came between its times."""

    least: np.ndarray
    most: np.ndarray
    least_late: np.ndarray
    most_late: np.ndarray
    ever: np.ndarray


def bounds(events: OrderedEvents, rows: RowsToCount, shape: Shape) -> HeldBounds:
    """O(events · log² events + rows · log events)."""
    places = _places(events, rows, shape)
    in_time_us = np.minimum(rows.reached_us, rows.emitted_us)
    known, in_time = _arrived(events, places, rows.emitted_us), _arrived(events, places, in_time_us)
    all_, inner = known[BEHIND_LAST] - known[FIRST], _inner(known, shape)
    at_first, at_last = known[BEHIND_FIRST] - known[FIRST], known[BEHIND_LAST] - known[LAST]
    one_time = rows.starts_us == rows.ends_us - shape.tail_us
    shared = np.where(shape.shared_first, np.minimum(at_first, 1), 0)
    shared += np.where(one_time & shape.shared_first, 0, np.where(shape.shared_last, np.minimum(at_last, 1), 0))
    alone = (known[FIRST] == known[NEAR_BEFORE]) & (known[BEHIND_LAST] == known[NEAR_BEHIND])
    fits = shape.length_us is None or rows.ends_us - rows.starts_us == shape.length_us
    has_ends = (at_last > 0) & ((at_first > 0) | (not shape.from_first))
    exists = fits & has_ends & alone & _unbroken(events, places, shape)
    least = inner + shared if shape.all_between else shared
    late = inner - _inner(in_time, shape) if shape.all_between else np.zeros_like(inner)
    most_late = np.zeros_like(all_) if shape.never_late else all_ - (in_time[BEHIND_LAST] - in_time[FIRST])
    ever = places[BEHIND_LAST] - places[FIRST]
    return HeldBounds(*(np.where(exists, each, 0) for each in (least, all_, late, most_late, ever)))


FIRST, BEHIND_FIRST, LAST, BEHIND_LAST, NEAR_BEFORE, NEAR_BEHIND = range(6)
"""Places among the events: of what starts at a row's first time, behind that, at its last time, behind that, and of the
first and behind the last that would be in its window for being near."""


def _unbroken(events: OrderedEvents, places: list[np.ndarray], shape: Shape) -> np.ndarray:
    """Whether no two neighbours in a window are so far apart that it would be two: later events can only lie between
    them."""
    if not shape.alone_us:
        return np.ones(len(places[FIRST]), bool)
    is_far = np.append(np.diff(events.starts_us) >= shape.alone_us, False)[: len(events.starts_us)]
    before = np.append(0, np.cumsum(is_far))
    return before[np.maximum(places[BEHIND_LAST] - 1, places[FIRST])] == before[places[FIRST]]


def _places(events: OrderedEvents, rows: RowsToCount, shape: Shape) -> list[np.ndarray]:
    first_us, last_us, near_us = rows.starts_us, rows.ends_us - shape.tail_us, max(0, shape.alone_us - 1)
    times = (first_us, first_us + 1, last_us, last_us + 1, first_us - near_us, last_us + near_us + 1)
    return [events.place(rows.keys, each) for each in times]


def _arrived(events: OrderedEvents, places: list[np.ndarray], by_us: np.ndarray) -> np.ndarray:
    """Of each place, how many events before it had arrived by then."""
    return events.arrived(np.concatenate(places), np.tile(by_us, len(places))).reshape(len(places), -1)


def _inner(known: np.ndarray, shape: Shape) -> np.ndarray:
    """How many events are in a window whatever the order of arrival was."""
    first = known[BEHIND_FIRST] if shape.shared_first else known[FIRST]
    last = known[LAST] if shape.shared_last else known[BEHIND_LAST]
    return np.maximum(last - first, 0)
