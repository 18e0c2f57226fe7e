"""Spanning windows, of events that last."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar

from schemas.windows._regular import Regular, require_regular
from schemas.windows._requirements import DAY, MICROSECOND, require, require_positive

WHOLE, PRORATED, START, END = "whole", "prorated", "start", "end"
ATTRIBUTIONS = (WHOLE, PRORATED, START, END)


@dataclass(frozen=True)
class Spanning(Regular):
    """As sliding; an event belongs to every window that its interval meets. Events beyond `longest` are in none.

    attribution: how much of an event its windows get

        a trip of 20 min, [9:50, 10:10)      [9:00, 10:00)    [10:00, 11:00)
        whole      counts in both            1                1
        prorated   by the time spent in it   0.5              0.5
        start      where it began            1
        end        where it ended                             1

    With `prorated` count, sum and mean are float64, of values times shares; other aggregates say nothing of a part.
    """

    size: timedelta
    slide: timedelta
    origin: datetime | None = None
    longest: timedelta = DAY
    attribution: str = WHOLE
    kind: ClassVar[str] = "spanning"
    zone: ClassVar[None] = None

    def __post_init__(self) -> None:
        require_regular(self.size, self.slide, self.origin, None)
        require_positive("longest", self.longest)
        require(self.attribution in ATTRIBUTIONS, "attribution", self.attribution, ", ".join(ATTRIBUTIONS))

    @property
    def longest_event_us(self) -> int:
        """Longer events are in no window."""
        return self.longest // MICROSECOND

    @property
    def counts_shares(self) -> bool:
        """Whether a window counts an event by the time that it spends in it."""
        return self.attribution == PRORATED
