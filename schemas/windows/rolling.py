"""Rolling windows, at event times."""

from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

from schemas.windows._requirements import MICROSECOND, require, require_positive
from schemas.windows._window import Window


@dataclass(frozen=True)
class Rolling(Window):
    """One window for each event time u that the key has seen: `(u − size, u]`; with closed="left" the events before
    u, `[u − size, u)`."""

    size: timedelta
    closed: str = "right"
    kind: ClassVar[str] = "rolling"
    context_free: ClassVar[bool] = True

    def __post_init__(self) -> None:
        require_positive("size", self.size)
        require(self.closed in ("left", "right"), "closed", self.closed, "'right' or 'left'")

    @property
    def size_us(self) -> int:
        """Microseconds."""
        return self.size // MICROSECOND

    @property
    def beyond_us(self) -> int:
        """How far behind its event time a window ends, which holds that time or doesn't."""
        return 1 if self.closed == "right" else 0
