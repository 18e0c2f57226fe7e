"""The calendar windows over a range of time, listed one by one (semantics §2, "Calendar windows")."""

from bisect import bisect_right
from collections.abc import Sequence
from datetime import timedelta
from itertools import chain, pairwise

import pyarrow

from windrow.pipelines.gate.recount.kinds._windows import NumberedWindows
from windrow.pipelines.gate.recount.query_days import QueryConnection, Recount
from windrow.pipelines.tables.arrival_days import DAY_US
from windrow.schemas.windows import Regular


class CalendarWindows(NumberedWindows[Regular]):
    """All windows over the time that events cover, by number. They reach beyond all events at both ends, so that the
    first and the last window of an event are always found."""

    def longest(self) -> timedelta:
        return timedelta(microseconds=self.window.longest_us)

    def listed(self, recount: Recount | QueryConnection) -> str:
        # Without events any time will do: a window that holds none says nothing.
        first_us, last_us = recount.one("""
            SELECT coalesce(min(start_us), 0), coalesce(max(reach_us), 0)
            FROM (SELECT start_us, reach_us FROM candidates UNION ALL SELECT start_us, reach_us FROM arrived)""")
        starts, ends = zip(*calendar_windows(self.window, first_us, last_us), strict=True)
        calendar = {"number": range(len(starts)), "window_start_us": starts, "window_end_us": ends}
        recount.connection.register("calendar", pyarrow.table(calendar))
        return "SELECT * FROM calendar"

    def numbered(self, relation: str) -> str:
        return f"""
            SELECT e.*, f.number AS first, l.number AS last
            FROM {relation} e
            ASOF LEFT JOIN (SELECT window_end_us, min(number) AS number FROM windows GROUP BY ALL) f
                ON e.start_us < f.window_end_us
            ASOF LEFT JOIN windows l ON e.reach_us >= l.window_start_us"""


def calendar_windows(window: Regular, first_us: int, last_us: int) -> list[tuple[int, int]]:
    """(start, end) in µs, by start, of all windows that may hold a time of the range, and of some more."""
    # Of months these are months in their place.
    days_us, after_origin = window.days_around(first_us, last_us)
    starts_us = _starts(days_us, after_origin, window.slide_us)
    ended = ((start, _end(window, days_us, starts_us, number)) for number, start in enumerate(starts_us))
    return [(start, end) for start, end in ended if end is not None]


def _starts(days_us: Sequence[int], after_origin: int, slide_us: int) -> Sequence[int]:
    """Those of days whole slides after the origin, or every slide from each of them on."""
    if slide_us >= DAY_US:
        slide = slide_us // DAY_US
        return [us for number, us in enumerate(days_us[:-1]) if (after_origin + number) % slide == 0]
    return list(chain.from_iterable(range(start, end, slide_us) for start, end in pairwise(days_us)))


def _end(window: Regular, days_us: Sequence[int], starts_us: Sequence[int], number: int) -> int | None:
    start, size_us, slide_us = starts_us[number], window.size_us, window.slide_us
    day = bisect_right(days_us, start) - 1
    if size_us >= DAY_US:
        # As long after its last day's start as the window starts after its first's, but within that day.
        last = day + size_us // DAY_US
        return min(days_us[last] + start - days_us[day], days_us[last + 1]) if last + 1 < len(days_us) else None
    if slide_us >= DAY_US:
        return min(start + size_us, days_us[day + 1])
    slides, rest_us = divmod(size_us, slide_us)
    last = number + slides
    return min(starts_us[last] + rest_us, starts_us[last + 1]) if last + 1 < len(starts_us) else None
