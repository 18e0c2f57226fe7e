"""What a replay of context-bound windows means (semantics §2, §3): after each tick all windows of all tuples so far are
found anew, and they are compared with their newest rows.

A window is known by its start, its end and its number among those of the same two. One that is no more gets a closing
revision without events.
"""

from collections import defaultdict
from typing import NamedTuple

from schemas.query import Query
from schemas.windows import Count
from tests.support.oracle.aggregates import aggregate
from tests.support.oracle.context_windows import Held, windows_of_key
from tests.support.oracle.history import Event, Tick, span, to_time


class Emitted(NamedTuple):
    """The newest row of a window: its revision, and the events that it covered; none once it was closed."""

    revision: int
    events: list[Event]


class ContextBoundSystem:
    """As oracle.StreamingSystem, which takes one tick after the other."""

    def __init__(self, query: Query):
        self.query = query
        self.by_arrival = is_by_arrival(query)
        self.rows: list[dict] = []
        self.held: list[list[dict]] = []
        self.accepted = defaultdict(list)
        self.emitted: defaultdict[tuple, dict[tuple, Emitted]] = defaultdict(dict)

    def take(self, tick: Tick) -> None:
        for event in tick.burst:
            if self.by_arrival or not is_too_late(event, self.query):
                self.accepted[event.key].append(event)
        emit = {"final": self.emit_final, "watermark": self.emit_watermark, "arrival": self.emit_arrival}
        for key, events in self.accepted.items():
            emit[self.query.emit](tick, key, numbered(windows_of_key(self.query.window, events), self.query))

    def emit_final(self, tick: Tick, key: tuple, windows: dict[tuple, Held]) -> None:
        for place, window in windows.items():
            if self.final_at(window) <= tick.watermark_after and place not in self.emitted[key]:
                self.row(tick, key, place, window.events, "final")

    def final_at(self, window: Held) -> float:
        return window.passes if self.by_arrival else window.passes + span(self.query.allowed_lateness)

    def emit_watermark(self, tick: Tick, key: tuple, windows: dict[tuple, Held]) -> None:
        passed = {
            place: window
            for place, window in windows.items()
            if window.passes <= tick.watermark_before and not (self.by_arrival and place not in self.emitted[key])
        }
        self.compare(tick, key, passed, lambda place, window: self.pane_behind(tick, key, place, window))
        for place, window in windows.items():
            if place not in passed and window.passes <= tick.watermark_after:
                self.row(tick, key, place, window.events, "late" if place in self.emitted[key] else "on_time")

    def pane_behind(self, tick: Tick, key: tuple, place: tuple, window: Held | None) -> str:
        """Of a window that the watermark has passed: on time if it could be passed only now."""
        is_new = window is not None and place not in self.emitted[key]
        return "on_time" if is_new and window.closed_by in tick.burst else "late"

    def emit_arrival(self, tick: Tick, key: tuple, windows: dict[tuple, Held]) -> None:
        def pane(place: tuple, window: Held | None) -> str:
            return "early" if self.by_arrival or tick.watermark_before < place[1] else "late"

        self.compare(tick, key, windows, pane)

    def compare(self, tick: Tick, key: tuple, windows: dict[tuple, Held], pane_of) -> None:
        """Rows of what differs from the newest ones."""
        for place, window in windows.items():
            newest = self.emitted[key].get(place)
            if newest is None or newest.events != window.events:
                self.row(tick, key, place, window.events, pane_of(place, window))
        for place, newest in list(self.emitted[key].items()):
            if place not in windows and newest.events:
                self.row(tick, key, place, [], pane_of(place, None))

    def row(self, tick: Tick, key: tuple, place: tuple, events: list[Event], pane: str) -> None:
        before = self.emitted[key].get(place)
        revision = 0 if before is None else before.revision + 1
        self.emitted[key][place] = Emitted(revision, events)
        start, end, number = place
        rows = [event.row for event in sorted(events, key=lambda event: event.start)]
        late = [event for event in events if event.watermark_before >= end and not self.by_arrival]
        self.held.append(rows)
        self.rows.append(
            {
                **dict(zip(self.query.key, key, strict=True)),
                "window_start": to_time(start),
                "window_end": to_time(end),
                "window_number": number,
                "revision": revision,
                "pane": pane,
                "emitted_at": to_time(tick.at),
                "events": len(events),
                "late_events": len(late),
                **{name: aggregate(each, rows) if rows else None for name, each in self.query.aggregates.items()},
            }
        )


def is_too_late(event: Event, query: Query) -> bool:
    """Its start lies before the watermark − allowed lateness."""
    return event.start < floor_before(event, query)


def numbered(windows: list[Held], query: Query) -> dict[tuple, Held]:
    """Windows by start, end and number, in their order. Of one by arrival whose events are all too late for other
    windows, the number is its place among all."""
    found: dict[tuple, Held] = {}
    for place, window in enumerate(windows):
        number = sum(1 for start, end, _ in found if (start, end) == (window.start, window.end))
        if is_by_arrival(query) and window.end <= floor_before(window.events[-1], query):
            number = place
        found[window.start, window.end, number] = window
    return found


def is_by_arrival(query: Query) -> bool:
    return isinstance(query.window, Count) and query.window.order == "arrival"


def floor_before(event: Event, query: Query) -> float:
    """The watermark − allowed lateness before an event's tick."""
    return event.watermark_before - span(query.allowed_lateness)


def late_row(event: Event, query: Query) -> dict | None:
    """What the late table says of an event, apart from the event; None if it isn't late."""
    if is_by_arrival(query):
        return None
    if not is_too_late(event, query):
        return None
    return {
        "reason": "too late",
        "first_missed": None,
        "last_missed": None,
        "windows_missed": None,
        "late_by": event.watermark_before - (event.start + 1),
    }
