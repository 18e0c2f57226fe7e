"""Delta windows, triggered by values that are far enough beyond the last that triggered. Days carry state."""

from dataclasses import dataclass
from typing import ClassVar

from schemas.windows._requirements import require_above_zero, require_column
from schemas.windows._window import Window


@dataclass(frozen=True)
class Delta(Window):
    """An event whose `column` is at least `threshold` beyond the marker triggers; the extent reaches `extent` back."""

    column: str
    extent: float
    threshold: float
    kind: ClassVar[str] = "delta"

    def __post_init__(self) -> None:
        require_column(self.column)
        require_above_zero("extent", self.extent)
        require_above_zero("threshold", self.threshold)
