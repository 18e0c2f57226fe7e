"""Aggregate frames (FRAMES): they grow until an aggregate of them reaches a bound. Days carry state."""

from dataclasses import dataclass
from typing import ClassVar

from schemas.windows._requirements import require, require_column, require_number
from schemas.windows._window import Window


@dataclass(frozen=True)
class AggregateFrame(Window):
    """Grows while the aggregate `function` of `column`, before the new event, is below `bound`."""

    function: str
    column: str
    bound: float
    kind: ClassVar[str] = "frame.aggregate"

    def __post_init__(self) -> None:
        named = isinstance(self.function, str) and self.function != ""
        require(named, "function", self.function, "the name of an aggregate, such as sum")
        require_column(self.column)
        require_number("bound", self.bound)
