"""What must be true before a run goes on."""

from datetime import date

from schemas.errors import OutsideStream
from schemas.stream import Stream


def require_day(stream: Stream, day: date) -> None:
    """OutsideStream unless the day is one of the stream's."""
    if day < stream.first_day or (stream.last_day is not None and day > stream.last_day):
        raise OutsideStream(stream.name, day, stream.first_day, stream.last_day)
