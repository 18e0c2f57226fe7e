"""Generated phone calls of one day, as benchmarks of large replays take them: a stream, a query, and silver's rows."""

from datetime import date, timedelta
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from windrow.pipelines.rows.arrays import times
from windrow.pipelines.tables.arrival_days import DAY_US, day_start_us
from windrow.schemas import registry
from windrow.schemas.query import Query, agg, sliding
from windrow.schemas.stream import Column, Stream

DAY = date(2024, 3, 9)
MEAN_DELAY_US = 60e6
QUERY = Query(
    "calls_by_minute",
    "calls",
    ("antenna",),
    sliding(timedelta(minutes=10), timedelta(minutes=1)),
    {"calls": agg("count"), "total": agg("sum", "seconds"), "longest": agg("max", "seconds")},
    timedelta(minutes=5),
    timedelta(hours=1),
)


def registered(buckets: int) -> Stream:
    """The stream, known to this process with its query."""
    stream = Stream(
        name="calls",
        title="generated",
        source="generated",
        layouts=(),
        columns=(Column("antenna", "string", "where"), Column("seconds", "int64", "how long", "s")),
        key=("antenna",),
        buckets=buckets,
        ahead_at_most=timedelta(0),
        zone="UTC",
        clock_rule="UTC",
        first_day=date(2020, 1, 1),
    )
    registry.streams()[stream.name], registry.queries()[QUERY.name] = stream, QUERY
    return stream


class Calls(NamedTuple):
    """How many, of how many antennas, and which part of them of one antenna."""

    events: int
    antennas: int
    hot_share: float


def rows(calls: Calls, stream: Stream) -> pa.Table:
    """Silver's rows of the day, a minute late on average."""
    chance = np.random.default_rng(1)
    arrival_us = day_start_us(DAY) + np.sort(chance.integers(0, DAY_US, calls.events))
    delay_us = chance.exponential(MEAN_DELAY_US, calls.events).astype(np.int64)
    start_us = np.maximum(arrival_us - delay_us, day_start_us(DAY))
    hot = chance.random(calls.events) < calls.hot_share
    key = np.where(hot, 0, chance.integers(1, calls.antennas, calls.events))
    names = pa.array([f"antenna-{number:04}" for number in range(calls.antennas)])
    count, none = np.arange(calls.events), np.zeros(calls.events, np.int64)
    return pa.table({
        "antenna": names.take(pa.array(key)), "seconds": chance.integers(1, 3_600, calls.events),
        "start": times(start_us), "end": times(start_us), "arrival": times(arrival_us),
        "path": pa.array(["calls.csv"]).take(pa.array(none)), "line": count + 1, "reading": none,
        "identity": pa.nulls(calls.events, pa.string()), "definition": pa.array(["made"]).take(pa.array(none)),
        "arrival_date": pa.array([DAY]).take(pa.array(none)), "bucket": key % stream.buckets,
    })  # fmt: skip
