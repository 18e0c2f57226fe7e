"""Generated bike trips, as arrays and as rows of silver: what first light is measured on."""

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from benchmarks.first_light_kernel import trip_durations_us
from windrow.pipelines.rows.arrays import arrow_schema
from windrow.pipelines.tables.arrival_days import DAY_US, EPOCH_DATE
from windrow.schemas.streams.bikes import STREAM
from windrow.schemas.tables import silver_table

FIRST_DAY = date(2017, 6, 1)
SECOND_US = 1_000_000


@dataclass(frozen=True)
class Sizes:
    """How much is measured: trips in all, over stations and days, and how often.

    By default a tenth of New York's stations, each as busy as in June 2017: Spark's way takes minutes for all of them.
    """

    trips: int = 100_000
    stations: int = 60
    days: int = 14
    rounds: int = 2


class Trips(NamedTuple):
    """Generated trips as arrays: station numbers and durations in seconds, starts in µs."""

    station: np.ndarray
    start_us: np.ndarray
    duration_s: np.ndarray

    @property
    def arrival_us(self) -> np.ndarray:
        """A trip is known when it ends."""
        return self.start_us + self.duration_s * SECOND_US


def make_trips(sizes: Sizes, data: Path) -> tuple[Trips, str]:
    """Trips in the order of their files, and where their durations come from."""
    random = np.random.default_rng(20_170_601)
    durations_us, source = trip_durations_us(data, random)
    short = durations_us[durations_us < DAY_US] // SECOND_US
    first_us = (FIRST_DAY - EPOCH_DATE).days * DAY_US
    start_us = first_us + np.sort(random.integers(0, sizes.days * DAY_US // SECOND_US, sizes.trips)) * SECOND_US
    trips = Trips(random.integers(1, sizes.stations + 1, sizes.trips), start_us, random.choice(short, sizes.trips))
    return trips, f"{source}, {len(durations_us) - len(short)} of a day or more left out"


def silver_rows(trips: Trips) -> pa.Table:
    schema, count = arrow_schema(silver_table(STREAM)), len(trips.station)
    arrival_day = (trips.arrival_us // DAY_US).astype(np.int32)
    arrival = pa.array(trips.arrival_us, schema.field("arrival").type)
    columns = {
        "start_station_id": trips.station, "trip_duration_s": trips.duration_s,
        "user_type": pa.repeat("subscriber", count), "start": pa.array(trips.start_us, schema.field("start").type),
        "end": arrival, "arrival": arrival, "path": pa.repeat("generated", count), "line": np.arange(2, count + 2),
        "reading": np.zeros(count, np.int64), "definition": pa.repeat("generated", count),
        "arrival_date": pa.array(arrival_day, pa.int32()).cast(pa.date32()), "bucket": trips.station % STREAM.buckets,
    }  # fmt: skip
    nothing = {name: pa.nulls(count, schema.field(name).type) for name in schema.names if name not in columns}
    rows = pa.table({**columns, **nothing}).select(schema.names).cast(schema)
    # As ingest leaves it: each day and bucket in order of key and arrival.
    return rows.take(np.lexsort((trips.arrival_us, trips.station, trips.station % STREAM.buckets, arrival_day)))
