"""Rolling windows, at event times."""

from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

from schemas.windows._requirements import MICROSECOND, require_positive
from schemas.windows._window import Window


@dataclass(frozen=True)
class Rolling(Window):
    """One window `(u − size, u]` for each event time u that the key has seen."""

    size: timedelta
    kind: ClassVar[str] = "rolling"
    context_free: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_positive("size", self.size)

    @property
    def size_us(self) -> int:
        """Microseconds."""
        return self.size // MICROSECOND
