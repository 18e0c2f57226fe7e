"""Times as whole numbers: microseconds since the epoch, UTC."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def to_us(time: datetime | timedelta) -> int:
    """Microseconds since the epoch, or of a duration."""
    span = time if isinstance(time, timedelta) else time - EPOCH
    return span // MICROSECOND


def to_time(us: int) -> datetime:
    """A UTC time from microseconds since the epoch."""
    return EPOCH + timedelta(microseconds=us)
