"""Delta windows: they depend on earlier events, so days carry state; no kernel serves them yet."""

from dataclasses import dataclass
from typing import ClassVar

from schemas.windows._requirements import require
from schemas.windows._window import Window


@dataclass(frozen=True)
class Delta(Window):
    """An event whose `column` is at least `threshold` beyond the marker triggers; the extent reaches `extent` back."""

    column: str
    extent: float
    threshold: float
    kind: ClassVar[str] = "delta"

    def __post_init__(self) -> None:
        require(self.extent > 0, "extent", self.extent, "a number above zero")
        require(self.threshold > 0, "threshold", self.threshold, "a number above zero")
