"""What a replay means, written as plainly as possible: lists, dicts and a walk along the arrival ticks.

Nothing here is fast, and nothing is shared with `kernels/`: the windows of an event are found by trying all that are
near. The rows that ticks bring are those of the gate's plain replay (`pipelines/gate/recount/plain/`), with its windows
where these depend on their key's other events. Events are dicts with the key and value columns, aware datetimes
`start`, `end`, `arrival`, and `seq`; rows come back as dicts in the order of the result tables.
"""

import math
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta

from tests.support.oracle.history import history
from tests.support.oracle.shares import aggregate_shares
from tests.support.oracle.windows import part_that_counts, share, windows_around, windows_met
from windrow.pipelines.gate.recount.plain.aggregates import aggregate
from windrow.pipelines.gate.recount.plain.replay import KeyReplay, PlainRow, is_by_arrival, is_too_late
from windrow.pipelines.gate.recount.plain.ticks import Event, HeldWindow, to_time, to_us
from windrow.schemas.query import Query

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
    of_kind = ContextFreeReplay if query.context_free else KeyReplay
    replays, boundaries = defaultdict(lambda: of_kind(query)), {}
    for tick in history(events, query, complete, idle_after):
        bursts = defaultdict(list)
        for event in tick.burst:
            bursts[event.key].append(event)
        passed = {key for key, each in boundaries.items() if each is not None and each <= tick.watermark_after}
        for key in passed | bursts.keys():
            replays[key].take(tick._replace(burst=bursts[key]))
            boundaries[key] = replays[key].next_boundary(tick.watermark_after)
    rows = [(key, row) for key, of_key in replays.items() for row in of_key.rows]
    written = [(_written(query, key, row), [event.row for event in row.events]) for key, row in rows]
    return sorted(written, key=lambda pair: _place(pair[0], query))


def _place(row: dict, query: Query) -> tuple:
    window = (row["window_start"], row["window_end"], row.get("window_number", 0))
    return (_order(row[c] for c in query.key), window, row["revision"])


def _order(key) -> tuple:
    return tuple((value is None, value) for value in key)


def _written(query: Query, key: tuple, row: PlainRow) -> dict:
    start, end, number = row.place
    return {
        **dict(zip(query.key, key, strict=True)),
        "window_start": to_time(start),
        "window_end": to_time(end),
        **({} if query.context_free else {"window_number": number}),
        "revision": row.revision,
        "pane": row.pane,
        "emitted_at": to_time(row.emitted_at),
        "events": len(row.events),
        "late_events": row.late_events,
        **_values(query, row),
    }


def _values(query: Query, row: PlainRow) -> dict:
    held = [event.row for event in row.events]
    if not held:
        return dict.fromkeys(query.aggregates)
    if query.window.counts_shares:
        shares = [share(event.start, event.end, row.place[:2]) for event in row.events]
        return {name: aggregate_shares(each, held, shares) for name, each in query.aggregates.items()}
    return {name: aggregate(each, held) for name, each in query.aggregates.items()}


class ContextFreeReplay(KeyReplay):
    """Of windows that are known without their events: an event is too late for some of its windows, not for all."""

    def accept(self, burst: list[Event]) -> None:
        """Add what the windows hold of the burst. A rolling window also holds what came before it was shown; one that
        holds nothing, not even the time after which it is named, has no row."""
        self.accepted += burst
        for window in self._met(burst):
            known = self.windows.get((*window, 0))
            asked, held = (self.accepted, []) if known is None else (burst, known.events)
            of_window = [event for event in asked if lies_in(event, window, self.query)]
            held = held + [event for event in of_window if not too_late(event, window, self.query)]
            if held:
                self.windows[(*window, 0)] = HeldWindow(*window, passes=window[1], events=held)

    def _met(self, burst: list[Event]) -> Iterator[tuple[int, int]]:
        if self.query.window.kind != "rolling":
            yield from {window for event in burst for window in windows_of_event(event, self.query)}
            return
        own = {event.start: rolling_window(event.start, self.query) for event in self.accepted}
        shown = {event.start for event in self.accepted if not too_late(event, own[event.start], self.query)}
        # With emit `arrival` one that is overtaken gets no more rows: it stays as it was.
        asked = {max(shown)} if shown and self.query.emit == "arrival" else shown
        for time in asked:
            if any(event.start == time or lies_in(event, own[time], self.query) for event in burst):
                yield own[time]


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
    if not query.context_free:
        return _late_of_dependent(event, query)
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


def _late_of_dependent(event: Event, query: Query) -> dict | None:
    """No windows are missed, as which there are depends on the event."""
    if is_by_arrival(query.window) or not is_too_late(event, query):
        return None
    missed = dict.fromkeys(("first_missed", "last_missed", "windows_missed"))
    return {"reason": "too late", **missed, "late_by": event.watermark_before - (event.start + 1)}


def _of_event(event: Event, query: Query) -> dict:
    columns = {c: event.row[c] for c in ("start", "end", "arrival", "seq")}
    return dict(zip(query.key, event.key, strict=True)) | columns


def _windows_for_late(event: Event, seen: set[int], query: Query) -> list[tuple[int, int]]:
    if query.window.kind != "rolling":
        return windows_of_event(event, query)
    # Its own is one, whether it holds the event or not.
    windows = [(time, rolling_window(time, query)) for time in seen]
    return [window for time, window in windows if time == event.start or lies_in(event, window, query)]
