"""Times as whole numbers: microseconds since the epoch, UTC."""

from datetime import datetime, timedelta

from schemas.windows import EPOCH, MICROSECOND


def to_us(time: datetime | timedelta) -> int:
    """Microseconds since the epoch, or of a duration."""
    return (time if isinstance(time, timedelta) else time - EPOCH) // MICROSECOND


def to_time(us: int) -> datetime:
    """A UTC time from microseconds since the epoch."""
    return EPOCH + timedelta(microseconds=us)
