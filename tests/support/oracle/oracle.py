"""What a replay means, written as plainly as possible: lists, dicts and a walk along the arrival ticks.

Nothing here is fast, and nothing is shared with `kernels/`: the windows of an event are found by trying all that are
near, and a window's content is looked up from scratch for every row. Windows that depend on their key's other events
are those of `pipelines/gate/recount/plain/`, which the gate takes too. Events are dicts with the key and
value columns, aware datetimes `start`, `end`, `arrival`, and `seq`; rows come back as dicts in the order of the result
tables.
"""

import heapq
import math
from collections import defaultdict
from datetime import timedelta
from itertools import count

from pipelines.gate.recount.plain.aggregates import aggregate
from pipelines.gate.recount.plain.ticks import Event, Tick, to_time, to_us
from schemas.query import Query
from tests.support.oracle import context_bound
from tests.support.oracle.history import history
from tests.support.oracle.shares import aggregate_shares
from tests.support.oracle.windows import part_that_counts, share, windows_around, windows_met

ALL_TIMES = 2**61  # µs; no two event times are so far apart


def too_late(event: Event, window: tuple[int, int], query: Query) -> bool:
    """The watermark had reached end + allowed lateness before the event's tick."""
    return event.watermark_before >= window[1] + to_us(query.allowed_lateness)


def replay(events: list[dict], query: Query, complete: bool = False, idle_after: timedelta | None = None) -> list[dict]:
    """The rows of `replay_table`: sorted by key (nulls last), window_start, window_end, revision."""
    return [row for row, _ in contents(events, query, complete, idle_after)]


def contents(
    events: list[dict], query: Query, complete: bool = False, idle_after: timedelta | None = None
) -> list[tuple[dict, list[dict]]]:
    """Each of these rows with the events that it covers, in order of (start, arrival, seq)."""
    system = StreamingSystem(query) if query.window.context_free else context_bound.ContextBoundSystem(query)
    for tick in history(events, query, complete, idle_after):
        system.take(tick)
    rows = zip(system.rows, system.held, strict=True)
    return sorted(rows, key=lambda pair: _place(pair[0], query))


def _place(row: dict, query: Query) -> tuple:
    window = (row["window_start"], row["window_end"], row.get("window_number", 0))
    return (_order(row[c] for c in query.key), window, row["revision"])


def _order(key) -> tuple:
    return tuple((value is None, value) for value in key)


class StreamingSystem:
    """What a streaming system would hold and say, tick by tick (semantics §1, "Within one arrival tick")."""

    def __init__(self, query: Query):
        self.query = query
        self.rows: list[dict] = []
        self.held: list[list[dict]] = []  # the events of each row
        self.arrived = defaultdict(list)  # key → its events so far, in order of arrival
        self.rolling = defaultdict(set)  # key → event times that have a rolling window
        self.revisions = defaultdict(int)  # (key, window) → rows made of it
        self.waiting: list[tuple] = []  # heap of (boundary that the watermark must reach, tie-break, key, window)
        self.waits: set[tuple] = set()
        self.tie_break = count()

    def take(self, tick: Tick) -> None:
        """Check and insert the burst, advance the watermark, emit."""
        for event in tick.burst:
            self.arrived[event.key].append(event)
        changed = self.changed_windows(tick.burst)
        emit = {"final": self.emit_final, "watermark": self.emit_watermark, "arrival": self.emit_arrival}
        emit[self.query.emit](tick, changed)

    def changed_windows(self, burst: list[Event]) -> list[tuple]:
        """(key, window) of every window that takes an event of the burst, each once."""
        pairs = [(event, window) for event, window in self.windows_of(burst) if not too_late(event, window, self.query)]
        return list(dict.fromkeys((event.key, window) for event, window in pairs))

    def windows_of(self, burst: list[Event]):
        """(event, window) for every window that an event of the burst lies in."""
        if self.query.window.kind != "rolling":
            return [(event, window) for event in burst for window in windows_of_event(event, self.query)]
        made = set()
        for event in burst:
            if not too_late(event, rolling_window(event.start, self.query), self.query):
                made |= {(event.key, event.start)} - {(event.key, time) for time in self.rolling[event.key]}
                self.rolling[event.key].add(event.start)
        return [
            (event, window)
            for event in burst
            for time in self.rolling[event.key]
            for window in [rolling_window(time, self.query)]
            if lies_in(event, window, self.query) or (time == event.start and (event.key, time) in made)
        ]

    def emit_final(self, tick: Tick, changed: list[tuple]) -> None:
        """One row when the watermark reaches end + allowed lateness."""
        for key, window in changed:
            self.wait(window[1] + to_us(self.query.allowed_lateness), key, window)
        for key, window in self.due(tick.watermark_after):
            self.row(tick, key, window, "final")

    def emit_watermark(self, tick: Tick, changed: list[tuple]) -> None:
        """A row when the watermark reaches the end, and one for each later tick that brings late events."""
        for key, window in changed:
            if tick.watermark_before >= window[1]:
                self.row(tick, key, window, "late")
            else:
                self.wait(window[1], key, window)
        for key, window in self.due(tick.watermark_after):
            self.row(tick, key, window, "on_time")

    def emit_arrival(self, tick: Tick, changed: list[tuple]) -> None:
        """A row for each window that the tick changed; rolling: only for that of the key's youngest event time."""
        for key, window in changed:
            overtaken = self.query.window.kind == "rolling" and window != rolling_window(
                max(self.rolling[key]), self.query
            )
            if not overtaken:
                self.row(tick, key, window, "late" if tick.watermark_before >= window[1] else "early")

    def wait(self, boundary: int, key: tuple, window: tuple[int, int]) -> None:
        """Remember that a window has events, until the watermark reaches the boundary."""
        if (key, window) not in self.waits:
            self.waits.add((key, window))
            heapq.heappush(self.waiting, (boundary, next(self.tie_break), key, window))

    def due(self, watermark: float):
        """The windows whose boundary the watermark has reached."""
        while self.waiting and self.waiting[0][0] <= watermark:
            _, _, key, window = heapq.heappop(self.waiting)
            yield key, window

    def row(self, tick: Tick, key: tuple, window: tuple[int, int], pane: str) -> None:
        """Add a row: everything in the window so far that was not too late for it. Without any there is none: of a
        rolling window that doesn't hold the time after which it is named."""
        held = [
            event
            for event in self.arrived[key]
            if lies_in(event, window, self.query) and not too_late(event, window, self.query)
        ]
        if not held:
            return
        late_events = sum(event.watermark_before >= window[1] for event in held)
        held.sort(key=lambda event: event.start)  # events of one time stay in order of arrival
        rows = [event.row for event in held]
        shares = [share(event.start, event.end, window) for event in held] if self.query.window.counts_shares else []
        self.held.append(rows)
        self.rows.append(
            {
                **dict(zip(self.query.key, key, strict=True)),
                "window_start": to_time(window[0]),
                "window_end": to_time(window[1]),
                "revision": self.revisions[key, window],
                "pane": pane,
                "emitted_at": to_time(tick.at),
                "events": len(held),
                "late_events": late_events,
                **{
                    name: aggregate_shares(each, rows, shares) if shares else aggregate(each, rows)
                    for name, each in self.query.aggregates.items()
                },
            }
        )
        self.revisions[key, window] += 1


def windows_of_event(event: Event, query: Query) -> list[tuple[int, int]]:
    """All windows that an event is in, in order of their start."""
    if query.window.kind == "spanning":
        return [] if too_long(event, query) else windows_met(event.start, event.end, query.window)
    return windows_around(event.start, query.window)


def lies_in(event: Event, window: tuple[int, int], query: Query) -> bool:
    """Whether a window holds an event: its start, or for spanning windows any part of it."""
    if query.window.kind != "spanning":
        return window[0] <= event.start < window[1]
    start, end = part_that_counts(event.start, event.end, query.window)
    return not too_long(event, query) and start < window[1] and window[0] < end


def too_long(event: Event, query: Query) -> bool:
    """Spanning windows hold no event that is longer than they say."""
    return query.window.kind == "spanning" and event.end - event.start > to_us(query.window.longest)


def rolling_window(time: int, query: Query) -> tuple[int, int]:
    """(u − size, u] in half-open form, or [u − size, u)."""
    end = time + 1 if query.window.closed == "right" else time
    return end - to_us(query.window.size), end


def late(events: list[dict], query: Query, complete: bool = False, idle_after: timedelta | None = None) -> list[dict]:
    """The rows of `late_table`: sorted by key (nulls last), arrival, seq."""
    rows, seen = [], defaultdict(set)
    for tick in history(events, query, complete, idle_after):
        for event in tick.burst:
            seen[event.key].add(event.start)
        for event in tick.burst:
            said = _late_of(event, seen[event.key], query)
            rows += [] if said is None else [_of_event(event, query) | said]
    return sorted(rows, key=lambda row: (_order(row[c] for c in query.key), row["arrival"], row["seq"]))


def _late_of(event: Event, seen: set[int], query: Query) -> dict | None:
    """What the late table says of an event, apart from the event; None if it isn't late."""
    if not query.window.context_free:
        return context_bound.late_of(event, query)
    if too_long(event, query):
        reason, missed = "too long", windows_met(event.start, event.end, query.window)
    else:
        windows = sorted(_windows_for_late(event, seen, query))
        reason, missed = "too late", [window for window in windows if too_late(event, window, query)]
        if not missed:
            return None
    knows_how_late = missed and event.watermark_before > -math.inf and to_us(query.lateness) < ALL_TIMES
    return {
        "reason": reason,
        "first_missed": to_time(missed[0][0]) if missed else None,
        "last_missed": to_time(missed[-1][0]) if missed else None,
        "windows_missed": len(missed),
        "late_by": event.watermark_before - missed[0][1] if knows_how_late else None,
    }


def _of_event(event: Event, query: Query) -> dict:
    columns = {c: event.row[c] for c in ("start", "end", "arrival", "seq")}
    return dict(zip(query.key, event.key, strict=True)) | columns


def _windows_for_late(event: Event, seen: set[int], query: Query) -> list[tuple[int, int]]:
    if query.window.kind != "rolling":
        return windows_of_event(event, query)
    # Its own is one, whether it holds the event or not.
    windows = [(time, rolling_window(time, query)) for time in seen]
    return [window for time, window in windows if time == event.start or lies_in(event, window, query)]
