"""Local clock times to UTC, by a written rule for the hours that a clock change repeats or leaves out.

Python's `fold` (PEP 495) names the two meanings of a repeated time: 0 is the first. A time that a change
leaves out is read, with fold 0, by the offset that held before the change.
"""

import re
from datetime import date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from schemas.errors import BadInput

REPEATED = "repeated hour"
MISSING = "missing hour"
_EPOCH = datetime(1970, 1, 1)
_MICROSECOND = timedelta(microseconds=1)
_SECOND_US = 1_000_000
_HOUR_US = 3_600 * _SECOND_US
_HOUR = re.compile(r"\d{4}-\d\d-\d\d \d\d", re.ASCII)
_FRACTION = re.compile(r"\.\d{1,6}", re.ASCII)
_WITHIN_HOUR_US = {
    f":{minute:02}:{second:02}": (minute * 60 + second) * _SECOND_US for minute in range(60) for second in range(60)
}


# Both meanings of a local time in µs since the epoch, UTC, and REPEATED, MISSING or None. The meanings are
# equal unless the time is repeated or missing. A plain tuple: named ones cost a tenth of reading a line.
Moment = tuple[int, int, str | None]


class LocalClock:
    """The clocks of one time zone."""

    def __init__(self, zone: str):
        self.zone = zone
        self._zone = ZoneInfo(zone)
        # One look-up in the zone's rules serves all events of an hour (without it: 3 µs each).
        self._hour = lru_cache(maxsize=1 << 15)(self._read_hour)

    def to_utc_us(self, naive: datetime, fold: int = 0) -> tuple[int, str | None]:
        """(µs since the epoch, REPEATED or MISSING or None) of a local time without offset."""
        offsets = [_offset(naive.replace(tzinfo=self._zone, fold=each)) for each in (0, 1)]
        return (naive - _EPOCH - offsets[fold]) // _MICROSECOND, _note(*offsets)

    def read(self, text: str) -> Moment:
        """Both meanings of `YYYY-MM-DD HH:MM:SS` with up to six decimals; ValueError names other texts."""
        within_us = _WITHIN_HOUR_US.get(text[13:19])
        if within_us is None:
            raise ValueError(f"{text!r} is not a time such as 2018-08-01 06:40:33.3610")
        within_us += _fraction_us(text[19:])
        try:
            hour = self._hour(text[:13])
        except (ValueError, OverflowError) as wrong:
            raise ValueError(f"{text!r} is not a time: {wrong}") from None
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


def local_midnights_us(zone: str, first_date: date, last_date: date) -> list[int]:
    """Starts of the days `first_date` to `last_date`, both included: µs since the epoch, UTC, never falling.

    Where midnight is left out the day starts at the change; where it is repeated, at its first meaning. A day
    that a zone left out altogether has length zero.
    """
    clock = LocalClock(zone)
    days = (last_date - first_date).days + 1
    midnight = datetime(first_date.year, first_date.month, first_date.day)
    return [clock.to_utc_us(midnight + timedelta(days=day))[0] for day in range(days)]


def midnights_around(zone: str, first_us: int, last_us: int, spare: int, origin: date) -> tuple[list[int], int]:
    """Local midnights from some days before the UTC date of `first_us` to as many after that of `last_us`, and how many
    days behind `origin` the first is. BadInput where these are no dates."""
    try:
        first, last = _utc_date(first_us) - timedelta(days=spare), _utc_date(last_us) + timedelta(days=spare)
        midnights = local_midnights_us(zone, first, last)
    except (OverflowError, ValueError):
        raise BadInput(
            f"windows of a time zone need local dates from year 1 to 9999, {spare} days around each event; "
            "leave out the events near those years, or use a window without a zone"
        ) from None
    return midnights, (first - origin).days


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
    if not _HOUR.fullmatch(text):
        raise ValueError(f"{text!r} is not a date and an hour such as 2018-08-01 06")
    return datetime(int(text[:4]), int(text[5:7]), int(text[8:10]), int(text[11:]))


@lru_cache(maxsize=1 << 14)
def _fraction_us(text: str) -> int:
    if not text:
        return 0
    if not _FRACTION.fullmatch(text):
        raise ValueError(f"{text!r} is not a fraction of a second of one to six digits")
    return int(text[1:].ljust(6, "0"))
