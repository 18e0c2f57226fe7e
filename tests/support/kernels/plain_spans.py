"""Windows over events that last, as semantics §1 to §3 say it: every window looks at every event. It shares no code
with kernels/. Times are whole numbers of µs."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

NEVER = None


class Span(NamedTuple):
    """An event of [start, end), a point if end = start."""

    key: int
    start: int
    end: int
    arrival: int
    value: int


class Question(NamedTuple):
    """Windows [origin + i·slide, + size), and what a replay emits of them. complete: the tick at which the watermark
    goes to infinity, or None."""

    size: int
    slide: int
    origin: int
    lateness: int
    allowed: int
    emit: str
    complete: int | None


class Row(NamedTuple):
    """total and greatest: of the values."""

    key: int
    low: int
    high: int
    revision: int
    firing: str
    tick: int
    events: int
    late: int
    total: int
    greatest: int


def rows_of(spans: list[Span], asked: Question) -> list[Row]:
    """All rows, by key, window and revision."""
    passed, found = _pass_ticks(spans, asked), []
    for key in sorted({each.key for each in spans}):
        of_key = [each for each in spans if each.key == key]
        for low in _starts(of_key, asked):
            held = [each for each in of_key if each.start < low + asked.size and max(each.end, each.start + 1) > low]
            found += _rows_of_window(key, low, held, passed, asked)
    return found


def _starts(spans: list[Span], asked: Question) -> list[int]:
    found = set()
    for each in spans:
        first = (each.start - asked.size - asked.origin) // asked.slide + 1
        last = (max(each.end, each.start + 1) - 1 - asked.origin) // asked.slide
        found |= set(range(first, last + 1))
    return [asked.origin + number * asked.slide for number in sorted(found)]


def _pass_ticks(spans: list[Span], asked: Question) -> Callable[[int], int | None]:
    """P of a time: the first tick at which the watermark reaches it."""
    arriving = sorted(spans, key=lambda each: each.arrival)

    def passed(time: int) -> int | None:
        ticks = [each.arrival for each in arriving if each.start >= time + asked.lateness]
        if asked.complete is not None:
            ticks.append(asked.complete)
        return min(ticks, default=NEVER)

    return passed


def _rows_of_window(key: int, low: int, held: list[Span], passed: Callable, asked: Question) -> Iterator[Row]:
    high = low + asked.size
    end, final = passed(high), passed(high + asked.allowed)
    taken = [each for each in held if final is NEVER or each.arrival <= final]
    for revision, (tick, firing) in enumerate(_firings(taken, end, final, asked.emit)):
        known = [each for each in taken if each.arrival <= tick]
        late = sum(end is not NEVER and each.arrival > end for each in known)
        values = [each.value for each in known]
        yield Row(key, low, high, revision, firing, tick, len(known), late, sum(values), max(values))


def _firings(taken: list[Span], end: int | None, final: int | None, emit: str) -> list[tuple[int, str]]:
    """Ticks and panes of a window's rows."""
    ticks = sorted({each.arrival for each in taken})
    if emit == "final":
        return [(final, "final")] if taken and final is not NEVER else []
    if emit == "arrival":
        return [(tick, "late" if end is not NEVER and tick > end else "early") for tick in ticks]
    if end is NEVER:
        return []
    on_time = [(end, "on_time")] if any(tick <= end for tick in ticks) else []
    return on_time + [(tick, "late") for tick in ticks if tick > end]
