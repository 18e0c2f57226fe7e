"""The steps of a stream's watermark, as ingest keeps them: the arrival ticks that raised its newest event start.

Heartbeats are steps too. Those after a day's first arrival are among the day's pass ticks; those before it, and those
of days without arrivals, follow from the days alone and are made here.
"""

from datetime import date, timedelta
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from windrow.pipelines import storage
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.rows.arrays import TIME
from windrow.pipelines.tables.arrival_days import (
    DAY_US,
    EPOCH_DATE,
    ArrivalDays,
    beats_of_silences,
    day_start_us,
)
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas.windows import DAY, MICROSECOND

_COLUMNS = ("tick", "newest_start")


class PassSteps(NamedTuple):
    """The table of a stream's pass ticks, at a version, and what ingest noted of each arrival day at that time."""

    lake: Lake
    source: StreamTables
    version: int
    days: ArrivalDays

    def between(self, first: date, last: date) -> tuple[np.ndarray, np.ndarray]:
        """The steps over the arrival days from `first` to `last`, both included, rising: ticks and newest starts, in
        µs; of earlier days one step, a microsecond before the first. O(steps of these days + arrival days)."""
        tick_us, newest_us = self._steps(first, last)
        before_us = self.newest_before_us(first)
        if before_us is not None:
            # How long before the first day changes no row.
            tick_us, newest_us = np.append(day_start_us(first) - 1, tick_us), np.append(before_us, newest_us)
        return rising(tick_us, newest_us)

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
        tick_us, newest_us = self._kept(first, last)
        idle_after = self.source.stream.idle_after
        if idle_after is None:
            return tick_us, newest_us
        every_us = idle_after // MICROSECOND
        # From the beginning of each day before which something had arrived until its first tick, or its end.
        since_us, until_us = self._silences(tick_us, first, last)
        beats_us = beats_of_silences(since_us, until_us, every_us)
        return np.append(tick_us, beats_us), np.append(newest_us, beats_us - every_us)

    def _kept(self, first: date, last: date) -> tuple[np.ndarray, np.ndarray]:
        """Those that the table has. Only the days' files are opened: a dataset of all took a millisecond for each."""
        of_days = [("arrival_date", ">=", first.isoformat()), ("arrival_date", "<=", last.isoformat())]
        found = {name: [np.empty(0, np.int64)] for name in _COLUMNS}
        for path in self.lake.files(self.source.passes.name, self.version, of_days):
            with storage.parquet(path) as file:
                rows = file.read([*_COLUMNS], use_threads=False)
            for name, parts in found.items():
                parts.append(rows[name].cast(TIME).cast(pa.int64()).to_numpy())
        tick_us, newest_us = (np.concatenate(found[name]) for name in _COLUMNS)
        return tick_us, newest_us

    def _silences(self, tick_us: np.ndarray, first: date, last: date) -> tuple[np.ndarray, np.ndarray]:
        days = [day for day in self.days.changing(first, last, True) if self.days.span and day > self.days.span[0]]
        since_us = np.array([day_start_us(day) for day in days], np.int64)
        ticks_us = np.append(np.sort(tick_us), np.iinfo(np.int64).max)
        first_us = ticks_us[np.searchsorted(ticks_us, since_us)]
        return since_us, np.minimum(first_us, since_us + DAY_US)


def rising(tick_us: np.ndarray, newest_us: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of ticks in any order those that raise the newest start so far."""
    order = np.argsort(tick_us, kind="stable")
    tick_us, so_far_us = tick_us[order], np.maximum.accumulate(newest_us[order])
    ends_tick = np.append(tick_us[1:] != tick_us[:-1], True)[: len(tick_us)]
    tick_us, so_far_us = tick_us[ends_tick], so_far_us[ends_tick]
    raised = np.append(True, so_far_us[1:] > so_far_us[:-1])[: len(tick_us)]
    return tick_us[raised], so_far_us[raised]
