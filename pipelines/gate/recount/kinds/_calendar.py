"""The calendar windows over a range of time, listed one by one (semantics §2, "Calendar windows")."""

from bisect import bisect_right
from datetime import timedelta
from itertools import chain, pairwise

import pyarrow

from pipelines.gate.recount import sql
from pipelines.gate.recount.kinds._numbered import NumberedWindows
from pipelines.gate.recount.query_days import QueryConnection
from schemas.windows import DAY, Regular

DAY_US = sql.microseconds(DAY)


class CalendarWindows(NumberedWindows[Regular]):
    """All windows over the time that events cover, by number. They reach beyond all events at both ends, so that the
    first and the last window of an event are always found."""

    def longest(self) -> timedelta:
        return timedelta(microseconds=self.window.longest_us)

    def listed(self, recount: QueryConnection) -> str:
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


class Days:
    """The days of a calendar around a range of time; of months, its months in their place."""

    def __init__(self, window: Regular, first_us: int, last_us: int):
        self.starts_us, self.after_origin = window.days_around(first_us, last_us)

    def cuts(self, slide_us: int) -> list[int]:
        """Window starts: those of days whole slides after the origin, or every slide from each of them on."""
        if slide_us >= DAY_US:
            days = slide_us // DAY_US
            return [us for number, us in enumerate(self.starts_us[:-1]) if (self.after_origin + number) % days == 0]
        pairs = pairwise(self.starts_us)
        return list(chain.from_iterable(range(start, end, slide_us) for start, end in pairs))

    def number(self, us: int) -> int:
        """The day that a time lies in."""
        return bisect_right(self.starts_us, us) - 1


def calendar_windows(window: Regular, first_us: int, last_us: int) -> list[tuple[int, int]]:
    """(start, end) in µs, by start, of all windows that may hold a time of the range, and of some more."""
    days = Days(window, first_us, last_us)
    cuts = days.cuts(window.slide_us)
    ended = ((start, _end(days, cuts, number, window.size_us, window.slide_us)) for number, start in enumerate(cuts))
    return [(start, end) for start, end in ended if end is not None]


def _end(days: Days, cuts: list[int], position: int, size_us: int, slide_us: int) -> int | None:
    start = cuts[position]
    if size_us >= DAY_US:
        return _end_after_days(days, start, size_us // DAY_US)
    if slide_us >= DAY_US:
        return min(start + size_us, days.starts_us[days.number(start) + 1])
    slides, rest_us = divmod(size_us, slide_us)
    if position + slides + 1 >= len(cuts):
        return None
    return min(cuts[position + slides] + rest_us, cuts[position + slides + 1])


def _end_after_days(days: Days, start: int, count: int) -> int | None:
    """As long after its last day's start as the window starts after its first's, but within that day."""
    first = days.number(start)
    if first + count + 1 >= len(days.starts_us):
        return None
    elapsed_us = start - days.starts_us[first]
    return min(days.starts_us[first + count] + elapsed_us, days.starts_us[first + count + 1])
