"""Aggregate frames (FRAMES): they depend on earlier events, so days carry state; no kernel serves them yet."""

from dataclasses import dataclass
from typing import ClassVar

from schemas.windows._window import Window


@dataclass(frozen=True)
class AggregateFrame(Window):
    """Grows while the aggregate `function` of `column`, before the new event, is below `bound`."""

    function: str
    column: str
    bound: float
    kind: ClassVar[str] = "frame.aggregate"
