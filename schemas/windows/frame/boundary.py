"""Boundary frames (FRAMES): events with values between the same two multiples. Days carry state."""

from dataclasses import dataclass
from typing import ClassVar

from schemas.windows._requirements import require_above_zero, require_column, require_number
from schemas.windows._window import Window


@dataclass(frozen=True)
class BoundaryFrame(Window):
    """Consecutive events whose value falls between the same two multiples of `width`."""

    column: str
    width: float
    offset: float = 0.0
    kind: ClassVar[str] = "frame.boundary"

    def __post_init__(self) -> None:
        require_column(self.column)
        require_above_zero("width", self.width)
        require_number("offset", self.offset)
