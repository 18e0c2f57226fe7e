"""What is different of a window in two versions of its query's table, and the events that the difference comes from.

Each version's newest revision is held against the events of the silver that its run read, by its own definition. So the
difference of two rows is the events that one covers and the other doesn't; of counts and sums it is their sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate.recount.plain.aggregates import read
from windrow.pipelines.gate.recount.plain.ticks import Event
from windrow.pipelines.why.asked import AskedWindow
from windrow.pipelines.why.explain import EventChange, ExplainedRevision, Explanation, explain
from windrow.pipelines.why.published import Place
from windrow.schemas.errors import WrongParameter
from windrow.schemas.query import Aggregate, Query
from windrow.schemas.windows import MICROSECOND

_PLACE = ("path", "line", "reading")
_ADDITIVE = ("count", "sum", "fast_sum")


@dataclass(frozen=True)
class DifferingEvent:
    """An event that only one of two rows covers, and why the other doesn't."""

    change: EventChange
    why: str


@dataclass(frozen=True)
class ValueDifference:
    """A column of the two rows. by_events: of counts and sums what the events of the difference add; None of others,
    which are counted again from all events of each row."""

    column: str
    first: Any
    second: Any
    by_events: int | float | None
    adds_up: bool


@dataclass(frozen=True)
class WindowDifference:
    """Of one window, from the first version to the second; a revision is None where that version has no such window.
    rows: by revision how the two versions' rows differ."""

    place: Place
    first: ExplainedRevision | None
    second: ExplainedRevision | None
    reasons: list[DifferingEvent]
    values: list[ValueDifference]
    rows: dict[int, str]


@dataclass(frozen=True)
class Difference:
    """definition: by part of the definition what was changed to what, where that is known."""

    first: Explanation | None
    second: Explanation | None
    windows: list[WindowDifference]
    definition: dict[str, tuple[str, str]]

    @property
    def adds_up(self) -> bool:
        both = all(each.adds_up for each in (self.first, self.second) if each is not None)
        return both and all(value.adds_up for window in self.windows for value in window.values)


def difference(lake: Lake, asked: AskedWindow, first: int, second: int) -> Difference:
    """Of two versions. Raises as `explain` where neither has the window."""
    one, other = (_explained(lake, asked, version) for version in (first, second))
    if one is None and other is None:
        explain(lake, asked, second)  # which says what is wrong
    before, after = _revisions(one), _revisions(other)
    windows = [
        _of_window(asked.query, place, before.get(place, []), after.get(place, []))
        for place in sorted({*before, *after})
    ]
    return Difference(one, other, windows, _of_definition(windows))


def _revisions(found: Explanation | None) -> dict[Place, list[ExplainedRevision]]:
    return {window.place: window.revisions for window in found.windows} if found else {}


def _explained(lake: Lake, asked: AskedWindow, version: int) -> Explanation | None:
    try:
        return explain(lake, asked, version)
    except WrongParameter as wrong:
        if wrong.parameter in ("--window", "--key"):
            return None
        raise


def _of_window(
    query: Query, place: Place, first: list[ExplainedRevision], second: list[ExplainedRevision]
) -> WindowDifference:
    one, other = (each[-1] if each else None for each in (first, second))
    gone, came = _events(one), _events(other)
    reasons = [_reason("−", event, one, other) for each, event in gone.items() if each not in came]
    reasons += [_reason("+", event, other, one) for each, event in came.items() if each not in gone]
    names = ("events", *query.aggregates)
    values = [_value(name, query.aggregates.get(name), (one, other), reasons) for name in names]
    return WindowDifference(place, one, other, reasons, values, _rows(first, second))


def _events(revision: ExplainedRevision | None) -> dict[tuple, Event]:
    held = revision.held if revision else []
    return {(*(event.row[name] for name in _PLACE), *map(repr, event.row.values())): event for event in held}


def _reason(sign: str, event: Event, of: ExplainedRevision | None, other: ExplainedRevision | None) -> DifferingEvent:
    assert of is not None, "a row that isn't there covers nothing"
    late_us = of.by.late_by_us(event)
    change = EventChange(sign, event, None if late_us is None else late_us * MICROSECOND)
    return DifferingEvent(change, "the window has no row" if other is None else _why_not(event, other))


def _why_not(event: Event, other: ExplainedRevision) -> str:
    place = [event.row[name] for name in _PLACE]
    there = next((seen for seen in other.by.seen if [seen.row[name] for name in _PLACE] == place), None)
    if there is None:
        later = event.row["arrival"].date() > other.day  # which is as far as silver was read
        return "it arrived later" if later else "it is not in the silver of the other version"
    if there.row != event.row:
        return "its values are others in the silver of the other version"
    return other.by.missing(other.by.event(there), other.row["emitted_at"])


def _value(
    name: str, each: Aggregate | None, ends: Sequence[ExplainedRevision | None], reasons: list[DifferingEvent]
) -> ValueDifference:
    first, second = (None if end is None else end.row.get(name) for end in ends)
    right = not any(text.startswith(f"{name} ") for end in ends if end is not None for text in end.wrong)
    changed = {end.by.query.aggregates.get(name) for end in ends if end is not None} - {each}
    shares = any(end.by.query.window.counts_shares for end in ends if end is not None)
    if changed or (each is not None and (each.function not in _ADDITIVE or shares)):
        return ValueDifference(name, first, second, None, right)
    added = _added(each, reasons, "+") - _added(each, reasons, "−")
    is_whole = not isinstance(first, float) and not isinstance(second, float)
    whole = not is_whole or (second or 0) - (first or 0) == added
    return ValueDifference(name, first, second, int(added) if is_whole else float(added), right and whole)


def _added(each: Aggregate | None, reasons: list[DifferingEvent], sign: str) -> Fraction:
    rows = [dict(reason.change.event.row) for reason in reasons if reason.change.sign == sign]
    if each is None:
        return Fraction(len(rows))
    known = [row for row in read(each, rows) if all(row[column] is not None for column in each.columns)]
    if each.function == "count":
        return Fraction(len(known))
    return sum((Fraction(row[each.columns[0]]) for row in known), Fraction(0))


def _rows(first: list[ExplainedRevision], second: list[ExplainedRevision]) -> dict[int, str]:
    """By revision."""
    before, after = ({each.row["revision"]: each.row for each in rows} for rows in (first, second))
    found = {}
    for number in sorted({*before, *after}):
        if number not in before or number not in after:
            found[number] = "only in the second" if number not in before else "only in the first"
        elif changed := [name for name, value in after[number].items() if before[number].get(name) != value]:
            found[number] = "other " + ", ".join(changed)
    return found


def _of_definition(windows: Sequence[WindowDifference]) -> dict[str, tuple[str, str]]:
    found = {}
    for window in windows:
        if window.first is not None and window.second is not None:
            one, other = window.first.by.query, window.second.by.query
            for field in fields(one):
                values = getattr(one, field.name), getattr(other, field.name, None)
                if values[0] != values[1]:
                    found[field.name] = (repr(values[0]), repr(values[1]))
    return found
