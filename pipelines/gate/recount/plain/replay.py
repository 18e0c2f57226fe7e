"""The rows that the ticks of a key bring: after each burst all windows of its events so far are found anew, and
compared with their newest rows. One that is no more gets a closing revision without events.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from windrow.pipelines.gate.recount.plain.kinds import is_by_arrival, windows_of_key
from windrow.pipelines.gate.recount.plain.ticks import Event, HeldWindow, Staircase, Tick, to_us
from windrow.schemas.query import Query

Place = tuple[int, int, int]
"""Start, end and number of a window."""


class Emitted(NamedTuple):
    """The newest row of a window: its revision, and the events that it covered; none once it was closed."""

    revision: int
    events: list[Event]


class PlainRow(NamedTuple):
    """A row of a window; events in the order of its aggregates: by start, then by arrival."""

    place: Place
    revision: int
    pane: str
    emitted_at: int
    late_events: int
    events: list[Event]


class KeyReplay:
    """What a streaming system would hold and say of one key, tick by tick (semantics §1, "Within one arrival tick")."""

    def __init__(self, query: Query):
        self.query = query
        self.by_arrival = is_by_arrival(query.window)
        self.rows: list[PlainRow] = []
        self.accepted: list[Event] = []
        self.windows: dict[Place, HeldWindow] = {}
        self.emitted: dict[Place, Emitted] = {}

    def begin(self, earlier: list[Event], watermark: float, revisions: Mapping[Place, int]) -> None:
        """Go on from events that came before: windows that have rows have them of these, with such revisions."""
        self.accept(earlier)
        self.emitted = {place: Emitted(revision, []) for place, revision in revisions.items()}
        for place, window in self.windows.items():
            if self.query.emit == "arrival" or self._boundary(window) <= watermark:
                self.emitted[place] = Emitted(revisions.get(place, -1), window.events)

    def take(self, tick: Tick) -> None:
        """Insert what of the burst is not too late, advance the watermark, emit."""
        if tick.burst:
            self.accept(tick.burst)
        emit = {"final": self._emit_final, "watermark": self._emit_watermark, "arrival": self._emit_arrival}
        emit[self.query.emit](tick)

    def next_boundary(self, watermark: float) -> float | None:
        """The next watermark that brings rows without events; None where there is none."""
        if self.query.emit == "arrival":
            return None
        boundaries = (self._boundary(window) for window in self.windows.values())
        return min((each for each in boundaries if each > watermark), default=None)

    def accept(self, burst: list[Event]) -> None:
        """Take what is not too late, and find all windows anew. O(events so far)."""
        self.accepted += [event for event in burst if self.by_arrival or not is_too_late(event, self.query)]
        self.windows = numbered(windows_of_key(self.query.window, self.accepted), self.query)

    def _boundary(self, window: HeldWindow) -> float:
        """The watermark that brings a window its first row."""
        waits = self.query.emit == "final" and not self.by_arrival
        return window.passes + (to_us(self.query.allowed_lateness) if waits else 0)

    def _emit_final(self, tick: Tick) -> None:
        for place, window in self.windows.items():
            if self._boundary(window) <= tick.watermark_after and place not in self.emitted:
                self._add_row(tick, place, window.events, "final")

    def _emit_watermark(self, tick: Tick) -> None:
        passed = {
            place: window
            for place, window in self.windows.items()
            if window.passes <= tick.watermark_before and not (self.by_arrival and place not in self.emitted)
        }

        def pane(place: Place, window: HeldWindow | None) -> str:
            # Behind the end it is on time if it could be passed only now.
            if window is None or window.closed_by is None or place in self.emitted:
                return "late"
            return "on_time" if window.closed_by in tick.burst else "late"

        self._compare(tick, passed, pane)
        for place, window in self.windows.items():
            if place not in passed and window.passes <= tick.watermark_after:
                self._add_row(tick, place, window.events, "late" if place in self.emitted else "on_time")

    def _emit_arrival(self, tick: Tick) -> None:
        def pane(place: Place, window: HeldWindow | None) -> str:
            return "early" if self.by_arrival or tick.watermark_before < place[1] else "late"

        self._compare(tick, self.windows, pane)

    def _compare(
        self, tick: Tick, windows: dict[Place, HeldWindow], pane_of: Callable[[Place, HeldWindow | None], str]
    ) -> None:
        """Rows of what differs from the newest ones."""
        for place, window in windows.items():
            newest = self.emitted.get(place)
            if newest is None or newest.events != window.events:
                self._add_row(tick, place, window.events, pane_of(place, window))
        for place, newest in list(self.emitted.items()):
            if place not in windows and newest.events:
                self._add_row(tick, place, [], pane_of(place, None))

    def _add_row(self, tick: Tick, place: Place, events: list[Event], pane: str) -> None:
        before = self.emitted.get(place)
        revision = 0 if before is None else before.revision + 1
        self.emitted[place] = Emitted(revision, events)
        late = [event for event in events if event.watermark_before >= place[1] and not self.by_arrival]
        in_order = sorted(events, key=lambda event: event.start)  # events of one time stay in order of arrival
        self.rows.append(PlainRow(place, revision, pane, tick.at, len(late), in_order))


def go_through(replay: KeyReplay, bursts: Iterable[list[Event]], staircase: Staircase, times: tuple[int, int]) -> None:
    """A key's ticks from a time to before another: those of its bursts, and those at which a window is passed."""
    begin, end = times
    watermark = staircase.before(begin)
    for burst in bursts:
        watermark = _be_quiet(replay, staircase, watermark, burst[0].arrival)
        tick = staircase.tick(burst[0].arrival, burst)
        replay.take(tick)
        watermark = tick.watermark_after
    _be_quiet(replay, staircase, watermark, end)


def _be_quiet(replay: KeyReplay, staircase: Staircase, watermark: float, until: int) -> float:
    """The ticks before a time that bring none of the key's events. Returns the watermark then."""
    while (boundary := replay.next_boundary(watermark)) is not None:
        at = staircase.reaches(boundary)
        if at >= until:
            break
        tick = staircase.tick(int(at), [])
        replay.take(tick)
        watermark = tick.watermark_after
    return watermark


def is_too_late(event: Event, query: Query) -> bool:
    """Its start lies before the watermark − allowed lateness."""
    return event.start < _floor_before(event, query)


def numbered(windows: list[HeldWindow], query: Query) -> dict[Place, HeldWindow]:
    """Windows by start, end and number, in their order. Of one by arrival whose events are all too late for other
    windows, the number is its place among all."""
    found: dict[Place, HeldWindow] = {}
    same: Counter[tuple[int, int]] = Counter()
    for place, window in enumerate(windows):
        times = window.start, window.end
        is_old = is_by_arrival(query.window) and window.end <= _floor_before(window.events[-1], query)
        found[(*times, place if is_old else same[times])] = window
        same[times] += 1
    return found


def _floor_before(event: Event, query: Query) -> float:
    """The watermark − allowed lateness before an event's tick."""
    return event.watermark_before - to_us(query.allowed_lateness)
