"""Count windows: so many events, every so many of them. Days carry state."""

from dataclasses import dataclass
from typing import ClassVar

from schemas.windows._requirements import require, require_count
from schemas.windows._window import Window


@dataclass(frozen=True)
class Count(Window):
    """The last `size` events, every `step` events, in order of "arrival" or of "event_time"."""

    size: int
    step: int
    order: str = "arrival"
    kind: ClassVar[str] = "count"

    def __post_init__(self) -> None:
        require_count("size", self.size)
        require_count("step", self.step)
        require(self.order in ("arrival", "event_time"), "order", self.order, "'arrival' or 'event_time'")
