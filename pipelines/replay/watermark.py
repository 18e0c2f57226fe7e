"""The watermark's staircase: the arrival ticks that raised the newest event start of the whole stream.

Heartbeats are steps too. Those after a day's first arrival are among the day's pass ticks; those before it, and those
of days without arrivals, follow from the days alone and are made here.
"""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from windrow.kernels.api import PassTicks
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.rows.arrays import TIME
from windrow.pipelines.tables.arrival_days import (
    DAY_US,
    EPOCH_DATE,
    ArrivalDays,
    beats_between,
    beats_of_silences,
    day_start_us,
)
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas.windows import DAY, MICROSECOND


def ticks_of_events(arrival_us: np.ndarray, start_us: np.ndarray, idle_after: timedelta | None = None) -> PassTicks:
    """The watermark's staircase of events in any order: the ticks that raise the newest start. O(n · log n)."""
    if idle_after is not None:
        every_us = idle_after // MICROSECOND
        beats_us = beats_between(arrival_us, every_us)
        arrival_us, start_us = np.append(arrival_us, beats_us), np.append(start_us, beats_us - every_us)
    return _rising(arrival_us, start_us)


class PassTable(NamedTuple):
    """The table of a stream's pass ticks, at a version, and what ingest noted of each arrival day at that time."""

    lake: Lake
    source: StreamTables
    version: int
    days: ArrivalDays

    def ticks(self, first: date, last: date) -> PassTicks:
        """The stream's staircase over the arrival days from `first` to `last`, both included, rising; of earlier days
        one step, a microsecond before the first. O(steps of these days + arrival days)."""
        tick_us, newest_us = self._steps(first, last)
        before_us = self.newest_before_us(first)
        if before_us is not None:
            # How long before the first day changes no row.
            tick_us, newest_us = np.append(day_start_us(first) - 1, tick_us), np.append(before_us, newest_us)
        return _rising(tick_us, newest_us)

    def newest_before(self, days: Sequence[date]) -> list[int | None]:
        """The newest start before each of some days, in rising order, in µs. O(steps of these days + arrival days)."""
        steps = self.ticks(days[0], days[-1])
        places = np.searchsorted(steps.tick_us, [day_start_us(day) for day in days])
        return [int(steps.newest_start_us[place - 1]) if place else None for place in places]

    def newest_before_us(self, day: date) -> int | None:
        """The newest start before a day, of events or heartbeats; None where nothing had arrived."""
        noted = max((each.newest_start for date_, each in self.days.by_date.items() if date_ < day), default=None)
        if noted is None:
            return None
        newest_us = pa.scalar(noted, TIME).value
        if self.source.stream.idle_after is None:
            return newest_us
        # Of no earlier day can a heartbeat be newer.
        since = EPOCH_DATE + timedelta(days=newest_us // DAY_US)
        return max(newest_us, int(self._steps(since, day - DAY)[1].max(initial=newest_us)))

    def _steps(self, first: date, last: date) -> tuple[np.ndarray, np.ndarray]:
        idle_after = self.source.stream.idle_after
        of_days = [("arrival_date", ">=", first), ("arrival_date", "<=", last)]
        columns = ["tick", "newest_start", "arrival_date"]
        rows = self.lake.read(self.source.passes.name, self.version, filters=of_days, columns=columns)
        tick_us, newest_us = (rows[name].cast(pa.int64()).to_numpy() for name in columns[:2])
        if idle_after is None:
            return tick_us, newest_us
        every_us = idle_after // MICROSECOND
        # From the beginning of each day before which something had arrived until its first tick, or its end.
        arrived = rows.group_by("arrival_date").aggregate([("tick", "min")])
        ticks_us = arrived["tick_min"].cast(pa.int64()).to_pylist()
        first_us = dict(zip(arrived["arrival_date"].to_pylist(), ticks_us, strict=True))
        days = [day for day in self.days.changing(first, last, True) if self.days.span and day > self.days.span[0]]
        since_us = np.array([day_start_us(day) for day in days], np.int64)
        until_us = [first_us.get(day, day_start_us(day) + DAY_US) for day in days]
        beats_us = beats_of_silences(since_us, np.array(until_us, np.int64), every_us)
        return np.append(tick_us, beats_us), np.append(newest_us, beats_us - every_us)


def _rising(tick_us: np.ndarray, newest_us: np.ndarray) -> PassTicks:
    """Of ticks in any order those that raise the newest start so far."""
    order = np.argsort(tick_us, kind="stable")
    tick_us, so_far_us = tick_us[order], np.maximum.accumulate(newest_us[order])
    ends_tick = np.append(tick_us[1:] != tick_us[:-1], True)[: len(tick_us)]
    tick_us, so_far_us = tick_us[ends_tick], so_far_us[ends_tick]
    raised = np.append(True, so_far_us[1:] > so_far_us[:-1])[: len(tick_us)]
    return PassTicks(tick_us[raised], so_far_us[raised])
