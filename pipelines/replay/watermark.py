"""The watermark's staircase as kernels take it: the arrival ticks that raised the newest event start of the whole
stream, and its heartbeats."""

from collections.abc import Sequence
from datetime import date, timedelta

import numpy as np

from windrow.kernels.api import PassTicks
from windrow.pipelines.tables.arrival_days import beats_between, day_start_us
from windrow.pipelines.tables.pass_steps import PassSteps, rising
from windrow.schemas.windows import MICROSECOND


def ticks_of_events(arrival_us: np.ndarray, start_us: np.ndarray, idle_after: timedelta | None = None) -> PassTicks:
    """The watermark's staircase of events in any order: the ticks that raise the newest start. O(n · log n)."""
    if idle_after is not None:
        every_us = idle_after // MICROSECOND
        beats_us = beats_between(arrival_us, every_us)
        arrival_us, start_us = np.append(arrival_us, beats_us), np.append(start_us, beats_us - every_us)
    return PassTicks(*rising(arrival_us, start_us))


class PassTable(PassSteps):
    """The table of a stream's pass ticks, at a version."""

    def ticks(self, first: date, last: date) -> PassTicks:
        """The stream's staircase over the arrival days from `first` to `last`, both included, rising; of earlier days
        one step, a microsecond before the first. O(steps of these days + arrival days)."""
        return PassTicks(*self.between(first, last))

    def newest_before(self, days: Sequence[date]) -> list[int | None]:
        """The newest start before each of some days, in rising order, in µs. O(steps of these days + arrival days)."""
        steps = self.ticks(days[0], days[-1])
        places = np.searchsorted(steps.tick_us, [day_start_us(day) for day in days])
        return [int(steps.newest_start_us[place - 1]) if place else None for place in places]
