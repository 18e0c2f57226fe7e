"""Which windows an event time lies in, by trying every window near it (semantics §2): (start, end) in µs."""

from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from functools import cache
from itertools import pairwise
from zoneinfo import ZoneInfo

from windrow.pipelines.gate.recount.plain.ticks import EPOCH, to_us
from windrow.schemas.windows import Month, Window

DAY_US = 86_400_000_000


def windows_around(time: int, window: Window) -> list[tuple[int, int]]:
    """All tumbling or sliding windows that hold `time`, in order of their start."""
    if isinstance(window, Month):
        return [(start, end) for start, end in months_around(time, window) if start <= time < end]
    size, slide = to_us(window.size), to_us(getattr(window, "slide", window.size))
    near = calendar_windows(time, size, slide, window) if window.zone else plain_windows(time, size, slide, window)
    return [(start, end) for start, end in near if start <= time < end]


def part_that_counts(start: int, end: int, window: Window) -> tuple[int, int]:
    """Of an event, by the attribution of spanning windows; a point lasts one microsecond."""
    start, end = {"start": (start, start), "end": (end, end)}.get(window.attribution, (start, end))
    return start, max(end, start + 1)


def windows_met(start: int, end: int, window: Window) -> list[tuple[int, int]]:
    """All spanning windows that share a time with what counts of `[start, end)`, in order."""
    start, end = part_that_counts(start, end, window)
    size, slide, origin = to_us(window.size), to_us(window.slide), to_us(window.origin) if window.origin else 0
    first, last = (start - origin - size) // slide - 2, (end - origin) // slide + 2
    starts = [origin + i * slide for i in range(first, last + 1)]
    return [(each, each + size) for each in starts if each < end and start < each + size]


def share(start: int, end: int, window: tuple[int, int]) -> Fraction:
    """How much of the time of `[start, end)` lies in a window that it meets."""
    end = max(end, start + 1)
    return Fraction(min(end, window[1]) - max(start, window[0]), end - start)


def plain_windows(time: int, size: int, slide: int, window: Window) -> list[tuple[int, int]]:
    """`[origin + i·slide, + size)` for every i near the time."""
    origin = to_us(window.origin) if window.origin else 0
    near = (time - origin) // slide
    starts = [origin + i * slide for i in range(near - size // slide - 2, near + 3)]
    return [(start, start + size) for start in starts]


def calendar_windows(time: int, size: int, slide: int, window: Window) -> list[tuple[int, int]]:
    """The calendar windows of the days around the time.

    Days run from local midnight to local midnight, or from the origin's time of day to the same of the next. Parts of a
    day are cut by elapsed time from its start, as many as the day's true length holds. A window of whole days ends as
    long after the start of its last day as it starts after that of its first;
    one that is part of a day ends so many cuts after its start, or, where the size is no multiple of the slide, that
    and the rest of the size, but not beyond the next cut. So `zone="UTC"` is the same as no zone.
    """
    local = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=time)
    today, reach = local.astimezone(ZoneInfo(window.zone)).date().toordinal(), size // DAY_US + 3
    days = range(today - reach, today + reach + 1)
    cuts = [(day, cut) for day in days for cut in cuts_of_day(day, slide, window)]
    ends = [end_of(position, size, slide, cuts, window) for position in range(len(cuts))]
    return [(start, end) for (_, start), end in zip(cuts, ends, strict=True) if end is not None]


def months_around(time: int, window: Month) -> list[tuple[int, int]]:
    """Windows of so many months around the time: from the start of a month's first day to that of another's."""
    local, origin = (EPOCH + timedelta(microseconds=time)).astimezone(ZoneInfo(window.zone)), window.origin_date
    place = 12 * (local.year - origin.year) + local.month - origin.month
    first = place - place % window.months
    months = [first + each * window.months for each in (-1, 0, 1, 2)]
    counted = [origin.month - 1 + each for each in months]
    days = [date(origin.year + each // 12, each % 12 + 1, 1).toordinal() for each in counted]
    return list(pairwise(day_start(window, day) for day in days))


def cuts_of_day(day: int, slide: int, window: Window) -> list[int]:
    """The window starts of a day: its own if whole slides after the origin, or every slide from that on."""
    first, next_day = day_start(window, day), day_start(window, day + 1)
    if slide >= DAY_US:
        origin = (window.origin or date(1970, 1, 1)).toordinal()
        return [first] if (day - origin) % (slide // DAY_US) == 0 else []
    return list(range(first, next_day, slide))


def end_of(position: int, size: int, slide: int, cuts: list[tuple[int, int]], window: Window) -> int | None:
    """The end of the window that starts at a cut; None where the days looked at don't reach it."""
    day, start = cuts[position]
    if size >= DAY_US:
        days = size // DAY_US
        return min(day_start(window, day + days) + start - day_start(window, day), day_start(window, day + days + 1))
    if slide >= DAY_US:
        return min(start + size, day_start(window, day + 1))
    steps, rest = divmod(size, slide)
    if position + steps + 1 >= len(cuts):
        return None
    return min(cuts[position + steps][1] + rest, cuts[position + steps + 1][1])


@cache
def day_start(window: Window, day: int) -> int:
    """When a local day (its ordinal) begins, in µs UTC: the first time that clocks show it."""
    begins = window.origin.time() if isinstance(window.origin, datetime) else time(0)
    return to_us(datetime.combine(date.fromordinal(day), begins, ZoneInfo(window.zone)).astimezone(UTC))
