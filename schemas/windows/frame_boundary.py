"""Boundary frames (FRAMES): they depend on earlier events, so days carry state; no kernel serves them yet."""

from dataclasses import dataclass
from typing import ClassVar

from schemas.windows._requirements import require
from schemas.windows._window import Window


@dataclass(frozen=True)
class BoundaryFrame(Window):
    """Consecutive events whose value falls between the same two multiples of `width`."""

    column: str
    width: float
    offset: float = 0.0
    kind: ClassVar[str] = "frame.boundary"

    def __post_init__(self) -> None:
        require(self.width > 0, "width", self.width, "a number above zero")
