"""Context-bound windows as semantics §2 says them: one walk over all tuples of a key, in order."""

import math
from collections.abc import Callable
from typing import NamedTuple

from schemas.query import agg
from schemas.windows import Count, Delta, Policy, Session, SlideByTuple, Window
from tests.support.kernels.plain_frames import Tuple, frames_of, reach
from tests.support.oracle.aggregates import aggregate
from tests.support.oracle.windows import to_us


class Held(NamedTuple):
    """A window that exists. passes: the watermark that passes it; closed_by: of a frame, the event that ended it."""

    start: int
    end: int
    passes: float
    events: list
    closed_by: object = None


def windows_of_key(window: Window, events: list) -> list[Held]:
    """All windows of a key's accepted events, which are in order of arrival."""
    ordered = events
    if not (isinstance(window, Count) and window.order == "arrival"):
        ordered = sorted(events, key=lambda event: event.start)  # events of one time stay in order of arrival
    return [held for held in KINDS.get(type(window), frames)(window, ordered) if held.events]


def frames(window: Window, events: list) -> list[Held]:
    """Runs of tuples; what ends one is the next tuple that has a value."""
    column = getattr(window, "column", None)
    value_of = {n: None if column is None else event.row[column] for n, event in enumerate(events)}
    tuples = [Tuple(event.start, n, value_of[n]) for n, event in enumerate(events)]
    close = getattr(window, "function", None)
    held = []
    for frame in frames_of(window, tuples, close and (lambda values: closing_aggregate(close, values))):
        behind = [each for each in tuples[frame[-1].order + 1 :] if each.value is not None]
        closed_by = events[behind[0].order] if behind else None
        passes = closed_by.start if closed_by else math.inf
        held.append(Held(frame[0].time, frame[-1].time + 1, passes, [events[each.order] for each in frame], closed_by))
    return held


def closing_aggregate(function: str, values: list) -> float | None:
    """Of the values of an aggregate frame."""
    return aggregate(agg(function, "value"), [{"value": value} for value in values])


def sessions(window: Session, events: list) -> list[Held]:
    value_of = [None if window.unit is None else event.row[window.gap] for event in events]
    held = []
    for run in frames_of(window, [Tuple(event.start, n, value_of[n]) for n, event in enumerate(events)]):
        end = max(reach(window, each) for each in run)
        held.append(Held(run[0].time, end, end, [events[each.order] for each in run]))
    return held


def counts(window: Count, events: list) -> list[Held]:
    held = []
    for first in range(0, len(events) - window.size + 1, window.step):
        within = events[first : first + window.size]
        starts = [event.start for event in within]
        passes = -math.inf if window.order == "arrival" else max(starts) + 1
        held.append(Held(min(starts), max(starts) + 1, passes, within))
    return held


def deltas(window: Delta, events: list) -> list[Held]:
    marker, before, held = None, [], []
    for event in events:
        value = event.row[window.column]
        if value is None:
            continue
        if marker is None:
            marker = value
        elif value - marker >= window.threshold:
            marker = value
            within = [each for each in before if value - window.extent <= each.row[window.column] < value]
            if within:
                held.append(Held(within[0].start, within[-1].start + 1, event.start + 1, within))
        before.append(event)
    return held


def slides_by_tuple(window: SlideByTuple, events: list) -> list[Held]:
    size, held = to_us(window.size), []
    for number in range(window.step, len(events) + 1, window.step):
        trigger = events[number - 1]
        within = [each for each in events[:number] if each.start >= trigger.start - size]
        held.append(Held(trigger.start - size, trigger.start + 1, trigger.start + 1, within))
    return held


def policies(window: Policy, events: list) -> list[Held]:
    kept, held = [], []
    out = POLICIES[window.name]
    for event in events:
        kept = [*kept, event]
        longest = max((n for n in range(1, len(kept) + 1) if out(kept, kept[:n], dict(window.parameters))), default=0)
        kept = kept[longest:]
        if kept:
            held.append(Held(kept[0].start, event.start + 1, event.start + 1, kept))
    return held


def until(total: list, prefix: list, given: dict) -> bool:
    """Once there are more than so many events, or they last so long, all but the newest go."""
    is_full = len(total) > given["most"] or total[-1].start - total[0].start >= given["length_us"]
    return is_full and len(prefix) < len(total)


POLICIES: dict[str, Callable] = {"until": until}
KINDS = {
    Session: sessions,
    Count: counts,
    Delta: deltas,
    SlideByTuple: slides_by_tuple,
    Policy: policies,
}
