"""Which events a revision covers by a definition, and its aggregates counted again from these, plainly and exactly."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import cached_property
from typing import Any

from windrow.pipelines.delta.day_files import AskedValues
from windrow.pipelines.gate.recount.plain.aggregates import EXACT, TOLERANCE, TOLERANCES, aggregate, is_same, read
from windrow.pipelines.gate.recount.plain.expressions import evaluate
from windrow.pipelines.gate.recount.plain.kinds import is_by_arrival, of_kind, windows_of_key
from windrow.pipelines.gate.recount.plain.replay import is_too_late, numbered
from windrow.pipelines.gate.recount.plain.ticks import Event, to_us
from windrow.pipelines.why.key_events import SeenEvent
from windrow.pipelines.why.published import Place
from windrow.schemas.query import Aggregate, Query
from windrow.schemas.windows import MICROSECOND
from windrow.schemas.windows.regular import END, START

FUNCTIONS = {*EXACT, *TOLERANCES}


def starts_of(query: Query, windows: Sequence[tuple[datetime, datetime]]) -> AskedValues:
    """When events start that decide what is in these windows."""
    low, high = min(start for start, _ in windows), max(end for _, end in windows) - MICROSECOND
    window = query.window
    before_us = (window.longest_event_us or 0) if query.context_free else of_kind(window).shape(window).before_us
    return AskedValues() if before_us is None else AskedValues(low - before_us * MICROSECOND, high)


@dataclass
class HeldEvents:
    """Of one window, by one definition of its query, from its key's events in order of arrival."""

    query: Query
    place: Place
    seen: Sequence[SeenEvent]

    @cached_property
    def counted(self) -> list[Event]:
        """The events that `where` lets through."""
        condition = self.query.condition
        return [self.event(each) for each in self.seen if evaluate(condition, each.row) is True]

    def at(self, emitted_at: datetime) -> list[Event]:
        """The events that a row of the window covers that was emitted then, in the order of its aggregates.
        O(events), and the plain walk over all of them where windows depend on others."""
        known = [event for event in self.counted if event.row["arrival"] <= emitted_at]
        held = self._in_times(known) if self.query.context_free else self._walked(known)
        return sorted(held, key=lambda event: event.start)  # events of one time stay in order of arrival

    def is_late(self, event: Event) -> bool:
        """The watermark had reached the window's end before its tick."""
        return event.watermark_before >= self._end_us and not is_by_arrival(self.query.window)

    def late_by_us(self, event: Event) -> int | None:
        """The watermark before its tick less the window's end; None before any watermark."""
        return None if event.watermark_before == -math.inf else int(event.watermark_before) - self._end_us

    def missing(self, event: Event, emitted_at: datetime) -> str:
        """Why a row that was emitted then doesn't cover an event of its key."""
        if evaluate(self.query.condition, event.row) is not True:
            return "`where` leaves it out"
        if event.row["arrival"] > emitted_at:
            return "it arrived later"
        return "it was too late" if self._too_late(event) else "it is in no such window"

    def event(self, seen: SeenEvent) -> Event:
        row, newest_us = seen
        before = -math.inf if newest_us is None else newest_us - to_us(self.query.lateness)
        key = tuple(row[name] for name in self.query.key)
        return Event(key, to_us(row["start"]), to_us(row["end"]), to_us(row["arrival"]), row, before)

    @property
    def _end_us(self) -> int:
        return to_us(self.place[1])

    def _in_times(self, events: list[Event]) -> list[Event]:
        """What is too late for the window comes after its last row: the watermark only rises."""
        low_us, high_us = (to_us(time) for time in self.place[:2])
        longest_us = self.query.window.longest_event_us
        short = [event for event in events if longest_us is None or event.end - event.start <= longest_us]
        return [event for event in short if (us := self.times_us(event))[0] < high_us and us[1] > low_us]

    def _too_late(self, event: Event) -> bool:
        if not self.query.context_free:
            return not is_by_arrival(self.query.window) and is_too_late(event, self.query)
        return event.watermark_before >= self._end_us + to_us(self.query.allowed_lateness)

    def times_us(self, event: Event) -> tuple[int, int]:
        """The time of the event that counts: a microsecond of points."""
        window = self.query.window
        if window.longest_event_us is None or getattr(window, "attribution", None) == START:
            return event.start, event.start + 1
        if getattr(window, "attribution", None) == END:
            return event.end, event.end + 1
        return event.start, max(event.end, event.start + 1)

    def _walked(self, events: list[Event]) -> list[Event]:
        by_arrival = is_by_arrival(self.query.window)
        accepted = [event for event in events if by_arrival or not is_too_late(event, self.query)]
        start, end, number = self.place
        windows = numbered(windows_of_key(self.query.window, accepted), self.query)
        found = windows.get((to_us(start), to_us(end), number))
        return found.events if found else []

    def share(self, event: Event) -> Fraction:
        """How much of it the window counts."""
        if not self.query.window.counts_shares:
            return Fraction(1)
        (start, end), (low_us, high_us) = self.times_us(event), (to_us(time) for time in self.place[:2])
        return Fraction(min(end, high_us) - max(start, low_us), end - start)

    def differences(self, row: dict, held: list[Event]) -> list[str]:
        """What of a row isn't what its events say."""
        late = sum(map(self.is_late, held))
        expected = {"events": len(held), "late_events": late}
        wrong = [
            f"{name} {row[name]}, and {value} by its events" for name, value in expected.items() if row[name] != value
        ]
        for name, each in self.query.aggregates.items():
            if name in row and is_counted(each):
                exact, is_right = self._counted(each, held, row[name])
                wrong += [] if is_right else [f"{name} {row[name]!r}, and {exact!r} by its events"]
        return wrong

    def value(self, each: Aggregate, held: list[Event]) -> Any:
        """An aggregate of events; None of none."""
        rows = [dict(event.row) for event in held]
        if self.query.window.counts_shares:
            return self._of_shares(each, held)
        return aggregate(each, rows) if rows else None

    def _counted(self, each: Aggregate, held: list[Event], found: Any) -> tuple[Any, bool]:
        try:
            exact = self.value(each, held)
        except OverflowError as error:  # no row can say it
            return str(error), False
        if isinstance(exact, float) and isinstance(found, float) and self.query.window.counts_shares:
            return exact, abs(exact - found) <= TOLERANCE * max(1.0, abs(exact))
        return exact, is_same(each, [dict(event.row) for event in held], found, exact)

    def _of_shares(self, each: Aggregate, held: list[Event]) -> float | None:
        """count, sum and mean of values by the shares that count: other aggregates say nothing of a part."""
        if not held:
            return None
        parts = [(event, self.share(event)) for event in held]
        column = each.columns[0] if each.columns else None
        weighted = [
            (row[column] if column else 1, share)
            for event, share in parts
            for row in read(each, [dict(event.row)])
            if column is None or row[column] is not None
        ]
        shares = sum((share for _, share in weighted), Fraction(0))
        if each.function == "count":
            return float(shares)
        total = sum((Fraction(value) * share for value, share in weighted), Fraction(0))
        return None if not weighted else float(total if each.function.endswith("sum") else total / shares)


def is_counted(each: Aggregate) -> bool:
    """Whether the plain recount knows the function."""
    return each.function in FUNCTIONS and dict(each.parameters).get("exact", True) is True
