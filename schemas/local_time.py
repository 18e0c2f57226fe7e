"""Local clock times to UTC, by a written rule for the hours that a clock change repeats or leaves out.

Python's `fold` (PEP 495) names the two meanings of a repeated time: 0 is the first. A time that a change
leaves out is read, with fold 0, by the offset that held before the change.
"""

import re
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from windrow.schemas.errors import BadInput
from windrow.schemas.instants import Rounding, fraction_us, require_rounding

REPEATED = "repeated hour"
MISSING = "missing hour"
MIDNIGHT = time(0)
_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
SECOND_US = 1_000_000
_HOUR_US = 3_600 * SECOND_US
_HOUR = re.compile(r"(\d{4})-(\d\d)-(\d\d) (\d\d)", re.ASCII)
_SUCH_AS = "a time such as 2018-08-01 06:40:33.3610"
_WITHIN_HOUR_US = {
    f":{minute:02}:{second:02}": (minute * 60 + second) * SECOND_US for minute in range(60) for second in range(60)
}


# Both meanings of a local time in µs since the epoch, UTC, and REPEATED, MISSING or None. The meanings are
# equal unless the time is repeated or missing. A plain tuple: named ones cost a tenth of reading a line.
Moment = tuple[int, int, str | None]


class LocalClock:
    """The clocks of one time zone. round: "down" or "nearest", for texts with a fraction of a microsecond, which are
    refused without it."""

    def __init__(self, zone: str, round: Rounding = None):
        self.zone, self.round = zone, require_rounding(round)
        self._zone = ZoneInfo(zone)
        # One look-up in the zone's rules serves all events of an hour (without it: 3 µs each).
        self._hour = lru_cache(maxsize=1 << 15)(self._read_hour)

    def to_utc_us(self, naive: datetime, fold: int = 0) -> tuple[int, str | None]:
        """(µs since the epoch, REPEATED or MISSING or None) of a local time without offset."""
        offsets = [_offset(naive.replace(tzinfo=self._zone, fold=each)) for each in (0, 1)]
        return (naive - _EPOCH - offsets[fold]) // _MICROSECOND, _note(*offsets)

    def read(self, text: str) -> Moment:
        """Both meanings of `YYYY-MM-DD HH:MM:SS` with up to six decimals, and zeros behind; ValueError names others."""
        within_us = _WITHIN_HOUR_US.get(text[13:19])
        if within_us is None:
            raise ValueError(f"{text[:60]!r} is not {_SUCH_AS}")
        try:
            within_us += fraction_us(text[19:], self.round)
            hour = self._hour(text[:13])
        except (ValueError, OverflowError) as wrong:
            raise ValueError(f"{text[:60]!r}: {wrong}") from None
        if hour is None:
            return self._moment(_start_of_hour(text[:13]) + timedelta(microseconds=within_us))
        first_us, second_us, note = hour
        return first_us + within_us, second_us + within_us, note

    def _moment(self, naive: datetime) -> Moment:
        first_us, note = self.to_utc_us(naive)
        return first_us, self.to_utc_us(naive, fold=1)[0], note

    def _read_hour(self, text: str) -> Moment | None:
        """The hour's start; None where a change falls inside it, so that each of its times is looked up."""
        start = _start_of_hour(text)
        first, last = self._moment(start), self._moment(start + timedelta(hours=1, microseconds=-1))
        lasted = {last[0] - first[0], last[1] - first[1]}
        return first if lasted == {_HOUR_US - 1} and first[2] == last[2] else None


def day_starts_us(zone: str, first_date: date, last_date: date, begins: time = MIDNIGHT) -> list[int]:
    """Starts of the days `first_date` to `last_date`, both included, which begin at a local time of day: µs since the
    epoch, UTC, never falling.

    Where midnight is left out the day starts at the change; where it is repeated, at its first meaning. So does a day
    that begins at another time, but one left out is read by the offset before the change: 02:30 as 03:30. A day
    that a zone left out altogether has length zero.
    """
    clock = LocalClock(zone)
    days = (last_date - first_date).days + 1
    start = datetime.combine(first_date, begins)
    return [clock.to_utc_us(start + timedelta(days=day))[0] for day in range(days)]


def days_around(zone: str, first_us: int, last_us: int, spare: int, begins: time) -> tuple[list[int], date]:
    """Starts of local days from some days before the UTC date of `first_us` to as many after that of `last_us`, and the
    first of these days. BadInput where these are no dates."""
    try:
        first, last = _utc_date(first_us) - timedelta(days=spare), _utc_date(last_us) + timedelta(days=spare)
        starts = day_starts_us(zone, first, last, begins)
    except (OverflowError, ValueError):
        raise BadInput(
            f"windows of a time zone need local dates from year 1 to 9999, {spare} days around each event; "
            "leave out the events near those years, or use a window without a zone"
        ) from None
    return starts, first


def _utc_date(time_us: int) -> date:
    return (_EPOCH + time_us * _MICROSECOND).date()


def _offset(local: datetime) -> timedelta:
    offset = local.utcoffset()
    assert offset is not None, "a zone of the database has an offset at every time"
    return offset


def _note(before: timedelta, after: timedelta) -> str | None:
    if before == after:
        return None
    return REPEATED if before > after else MISSING


def _start_of_hour(text: str) -> datetime:
    found = _HOUR.fullmatch(text)
    if not found:
        raise ValueError(f"not {_SUCH_AS}")
    year, month, day, hour = map(int, found.groups())
    return datetime(year, month, day, hour)
