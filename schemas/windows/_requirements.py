"""What parameters of windows must be."""

import sys
from datetime import UTC, date, datetime, timedelta
from typing import TypeGuard
from zoneinfo import ZoneInfo

from schemas.errors import WrongParameter

DAY = timedelta(days=1)
MICROSECOND = timedelta(microseconds=1)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def require(holds: bool, parameter: str, value: object, allowed: str) -> None:
    """Raise WrongParameter unless `holds`."""
    if not holds:
        raise WrongParameter(parameter, value, allowed)


def require_positive(parameter: str, value: object) -> None:
    """A timedelta above zero."""
    require(isinstance(value, timedelta) and value > timedelta(0), parameter, value, "a timedelta above zero")


def require_duration(parameter: str, value: object) -> None:
    """A timedelta of zero or more."""
    require(isinstance(value, timedelta) and value >= timedelta(0), parameter, value, "a timedelta of zero or more")


def require_number(parameter: str, value: object) -> None:
    """A number that a float64 can hold."""
    require(_is_number(value), parameter, value, "a finite number")


def require_above_zero(parameter: str, value: object) -> None:
    """Such a number above zero."""
    require(_is_number(value) and value > 0, parameter, value, "a finite number above zero")


def _is_number(value: object) -> TypeGuard[float]:
    # Compared and not converted: an int may be beyond all floats.
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def require_column(value: object) -> None:
    """The name of a column; which columns there are, the stream knows."""
    require(isinstance(value, str) and value != "", "column", value, "the name of a column")


def require_count(parameter: str, value: object) -> None:
    """A whole number of at least one."""
    require(
        isinstance(value, int) and not isinstance(value, bool) and value >= 1,
        parameter,
        value,
        "a whole number of at least 1",
    )


def require_zone(zone: str) -> None:
    """A name of the time zone database."""
    try:
        ZoneInfo(zone)
    except Exception as unknown:
        allowed = "a name of the IANA time zone database, such as America/New_York"
        raise WrongParameter("zone", zone, allowed) from unknown


def require_calendar(parameter: str, value: timedelta) -> None:
    """Whole days, or a part that divides a day."""
    fits = value % DAY == timedelta(0) or DAY % value == timedelta(0)
    require(fits, parameter, value, "with a zone: whole days, or a part that divides a day")


def require_origin(origin: object, zone: str | None) -> None:
    """An aware datetime; with a zone, a local date, or a local time where days begin elsewhere than at midnight."""
    if zone is None:
        aware = isinstance(origin, datetime) and origin.tzinfo is not None
        require(origin is None or aware, "origin", origin, "an aware datetime (or None for the Unix epoch)")
    else:
        local = isinstance(origin, date) and getattr(origin, "tzinfo", None) is None
        allowed = "with a zone: a local date, or a datetime without a tzinfo for days that begin at its time of day"
        require(origin is None or local, "origin", origin, f"{allowed} (or None for 1970-01-01)")
