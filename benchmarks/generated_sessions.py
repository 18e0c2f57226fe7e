"""A lake whose silver has generated phone sessions of some days, as an ingest leaves it, for large replays.

The events of an antenna are as many whatever the day's size, so that rows grow with events. Files are written as they
are made, a few antennas at a time: memory does not grow with the day.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from windrow.pipelines.config import Config
from windrow.pipelines.delta.file_commits import append_files
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import NewFile, write_batches
from windrow.pipelines.ledger import run_table, snapshots
from windrow.pipelines.ledger.entry import Run
from windrow.pipelines.rows.arrays import times
from windrow.pipelines.tables.arrival_days import day_start_us
from windrow.pipelines.tables.stream_tables import Snapshot, StreamTables
from windrow.schemas.streams.cdr import STREAM
from windrow.schemas.tables import bucket_of

DAY = date(2024, 3, 9)
DAY_S, SECOND_US = 86_400, 1_000_000
MEAN_LENGTH_S, MEAN_BYTES, CELLS_PER_AREA, SUBSCRIBERS = 300.0, 50_000.0, 50, 100_000
ANTENNAS_AT_ONCE = 20
NO_START_US = np.iinfo(np.int64).min


class Day(NamedTuple):
    """How many antennas, how many sessions end at each of them, and when."""

    antennas: int
    sessions_each: int = 5_000
    date: date = DAY

    @property
    def events(self) -> int:
        """Of all antennas."""
        return self.antennas * self.sessions_each

    @property
    def start_us(self) -> int:
        """When it begins."""
        return day_start_us(self.date)


class Sessions(NamedTuple):
    """Of some antennas, in silver's order: their antenna, and times in whole seconds since their day began."""

    day: Day
    antenna: np.ndarray
    end_s: np.ndarray
    length_s: np.ndarray

    @property
    def start_us(self) -> np.ndarray:
        """Some began the day before."""
        return self.day.start_us + (self.end_s - self.length_s) * SECOND_US

    @property
    def end_us(self) -> np.ndarray:
        """When they are known, too."""
        return self.day.start_us + self.end_s * SECOND_US


class Newest:
    """The newest start among the sessions that end in each second of the day."""

    def __init__(self, day: Day) -> None:
        self.day, self.start_us = day, np.full(DAY_S, NO_START_US)

    def add(self, sessions: Sessions) -> None:
        """Note some more."""
        np.maximum.at(self.start_us, sessions.end_s, sessions.start_us)

    def ticks(self) -> pa.Table:
        """The day's staircase."""
        before = np.concatenate(([NO_START_US], np.maximum.accumulate(self.start_us)[:-1]))
        steps = np.flatnonzero(self.start_us > before)
        tick_us = self.day.start_us + steps * SECOND_US
        dates = pa.array([self.day.date] * len(steps))
        return pa.table({"tick": times(tick_us), "newest_start": times(self.start_us[steps]), "arrival_date": dates})


def build(config: Config, *days: Day) -> None:
    """Silver, its pass ticks, and the ledger's row of an ingest that left them."""
    lake, tables = Lake(config), StreamTables.of(STREAM)
    for table in tables.all:
        lake.ensure(table)
    for day in days:
        newest = Newest(day)
        append_files(lake, tables.silver, _files(lake, tables, newest))
        lake.append(tables.passes, newest.ticks())
        lake.append(tables.partitions, [_noted(lake, tables, newest)])
    with run_table.step(lake, Run("made", STREAM.name), "ingest") as entry:
        entry.outputs = snapshots.outputs(Snapshot.taken(lake, tables))


def _files(lake: Lake, tables: StreamTables, newest: Newest) -> list[NewFile]:
    """One for each bucket, as ingest writes it."""
    by_bucket: defaultdict[int, list[int]] = defaultdict(list)
    for antenna in range(newest.day.antennas):
        by_bucket[bucket_of(_key(antenna), STREAM.buckets)].append(antenna)
    written = (
        write_batches(
            lake, tables.silver, {"arrival_date": newest.day.date, "bucket": bucket}, _batches(lake, numbers, newest)
        )
        for bucket, numbers in sorted(by_bucket.items())
    )
    return [file for file in written if file is not None]


def _key(antenna: int) -> tuple[int, int]:
    return 1 + antenna // CELLS_PER_AREA, 1 + antenna % CELLS_PER_AREA


def _batches(lake: Lake, antennas: Sequence[int], newest: Newest) -> Iterator[pa.RecordBatch]:
    schema = lake.schema(StreamTables.of(STREAM).silver)
    for first in range(0, len(antennas), ANTENNAS_AT_ONCE):
        some = np.array(antennas[first : first + ANTENNAS_AT_ONCE])
        chance = np.random.default_rng([int(some[0]), newest.day.date.toordinal()])
        sessions = _sessions(some, newest.day, chance)
        newest.add(sessions)
        made = _columns(sessions, chance)
        nothing = {each.name: pa.nulls(len(sessions.end_s), each.type) for each in schema if each.name not in made}
        partition = ("arrival_date", "bucket")
        names = [name for name in schema.names if name not in partition]
        yield from pa.table(nothing | made).select(names).combine_chunks().to_batches()


def _sessions(antennas: np.ndarray, day: Day, chance: np.random.Generator) -> Sessions:
    end_s = np.sort(chance.integers(0, DAY_S, (len(antennas), day.sessions_each)), axis=1).ravel()
    length_s = chance.exponential(MEAN_LENGTH_S, len(end_s)).astype(np.int64)
    return Sessions(day, np.repeat(antennas, day.sessions_each), end_s, length_s)


def _columns(sessions: Sessions, chance: np.random.Generator) -> dict[str, pa.Array]:
    """Those that may not be null, and those that queries read."""
    count, each = len(sessions.end_s), sessions.day.sessions_each
    up, down = (chance.exponential(MEAN_BYTES, count).astype(np.int64) for _ in range(2))
    line = sessions.antenna * each + np.tile(np.arange(each), count // each) + 1
    columns = {
        "location_area": 1 + sessions.antenna // CELLS_PER_AREA, "cell": 1 + sessions.antenna % CELLS_PER_AREA,
        "length_s": sessions.length_s.astype(np.float64), "reported_length_s": sessions.length_s,
        "uplink_bytes": up, "downlink_bytes": down, "whole_bytes": up + down,
        "radio_type": chance.integers(1, 3, count), "line": line, "reading": np.zeros(count, np.int64),
    }  # fmt: skip
    subscriber = pa.array(chance.integers(0, SUBSCRIBERS, count)).cast(pa.string())
    texts = {"path": pa.repeat("generated", count), "definition": pa.repeat("made", count), "subscriber": subscriber}
    moments = {"start": sessions.start_us, "end": sessions.end_us, "arrival": sessions.end_us}
    return {name: pa.array(column) for name, column in columns.items()} | texts | {
        name: times(moment) for name, moment in moments.items()
    }  # fmt: skip


def _noted(lake: Lake, tables: StreamTables, newest: Newest) -> dict:
    return {
        "arrival_date": newest.day.date, "events": newest.day.events,
        "newest_start": times(newest.start_us.max(keepdims=True))[0].as_py(),
        "silver_digest": "made", "pass_digest": "made",
        "silver_version": lake.existing_version(tables.silver.name),
    }  # fmt: skip
