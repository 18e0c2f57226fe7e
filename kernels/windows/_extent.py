"""From when to when there are events."""

from typing import NamedTuple


class Extent(NamedTuple):
    """The least and the greatest event start, in µs; first > last if there are no events."""

    first: int
    last: int
