"""Delta frames (FRAMES): events whose values stay near that of the first. Days carry state."""

from dataclasses import dataclass
from typing import ClassVar

from schemas.windows._requirements import require_above_zero, require_column
from schemas.windows._window import Window


@dataclass(frozen=True)
class DeltaFrame(Window):
    """Opened by an event's value; grows while values stay within `change` of it."""

    column: str
    change: float
    kind: ClassVar[str] = "frame.delta"

    def __post_init__(self) -> None:
        require_column(self.column)
        require_above_zero("change", self.change)
