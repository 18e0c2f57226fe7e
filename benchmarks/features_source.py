"""Trips and labels that features are made of, and the feature set: five windows of ten aggregates."""

from datetime import date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from windrow.pipelines.rows.arrays import TIME, times
from windrow.schemas.feature_set import FeatureSet
from windrow.schemas.query import agg
from windrow.schemas.windows import MICROSECOND

KEY, SECONDS, NORTH, YEAR = "start_station_id", "trip_duration_s", "end_latitude_deg", "birth_year"
YOUNG = f"{YEAR} >= 1990"
WINDOWS = {"1h": timedelta(hours=1), "6h": timedelta(hours=6)} | {f"{n}d": timedelta(days=n) for n in (1, 7, 30)}
SIZES_US = {name: size // MICROSECOND for name, size in WINDOWS.items()}
FEATURES = FeatureSet(
    "trips_before",
    "bikes",
    (KEY,),
    WINDOWS,
    {
        "trips": agg("count"),
        "of_young": agg("count", where=YOUNG),
        "sum_s": agg("sum", SECONDS),
        "mean_s": agg("mean", SECONDS),
        "shortest_s": agg("min", SECONDS),
        "longest_s": agg("max", SECONDS),
        "sum_north": agg("sum", NORTH),
        "mean_north": agg("mean", NORTH),
        "northernmost": agg("max", NORTH),
        "last_s": agg("last", SECONDS),
    },
)
COLUMNS = FEATURES.columns()
# Summer, so that no clock changes.
FIRST_DAY, DAYS, SECOND_US = date(2018, 6, 1), 90, 1_000_000
DAY_US = 86_400 * SECOND_US
BEHIND_UTC_US = 4 * 3_600 * SECOND_US
"""The clocks of the files, in summer."""
MEAN_S, LATE_SHARE, LATEST_SHARE, LATEST_S = 600, 0.005, 0.0003, 20 * 86_400
"""A bike is away for ten minutes, of one in 200 for up to a day, of three in 10,000 for up to 20."""


class TripsCase(NamedTuple):
    """How many trips of how many stations."""

    trips: int
    stations: int

    @property
    def title(self) -> str:
        """Of a page."""
        return f"{self.trips // self.stations:,} trips a station"

    def events(self) -> pa.Table:
        """As silver has them, by station and start; no two trips of a station start at one time."""
        chance, count = np.random.default_rng(self.stations), self.trips
        start = chance.integers(0, (DAYS - 1) * DAY_US // 100, count) * 100 + first_us()
        station = 1 + chance.integers(0, self.stations, count)
        away_s = chance.exponential(MEAN_S, count).astype(np.int64) + 1
        late = chance.random(count)
        away_s[late < LATE_SHARE] = chance.integers(3_600, 86_400, (late < LATE_SHARE).sum())
        away_s[late < LATEST_SHARE] = chance.integers(86_400, LATEST_S, (late < LATEST_SHARE).sum())
        firsts = np.unique(np.stack([station, start]), axis=1, return_index=True)[1]
        columns = {
            KEY: station,
            SECONDS: away_s,
            NORTH: 40.7 + chance.integers(0, 1_000, count) / 10_000,
            YEAR: chance.integers(1950, 2003, count),
            "start": times(start),
            "end": times(start + away_s * SECOND_US),
            "arrival": times(start + away_s * SECOND_US),
            "seq": np.arange(count),
        }
        return pa.table(columns).take(firsts)

    def labels(self, count: int) -> pa.Table:
        """At any time of the last 60 days, of any station."""
        chance = np.random.default_rng(count)
        at = first_us() + chance.integers(30 * DAY_US, DAYS * DAY_US, count)
        stations = 1 + chance.integers(0, self.stations, count)
        return pa.table({"label": np.arange(count), KEY: stations, "asked_at": times(at)})


def first_us() -> int:
    return int(np.datetime64(datetime.combine(FIRST_DAY, datetime.min.time()), "us").astype(np.int64)) + DAY_US // 4


def write_landing(events: Path, landing: Path) -> None:
    """The trips in the layout of the monthly files, for an ingest."""
    folder = landing / "bikes" / "generated-jc"
    folder.mkdir(parents=True)
    clock = f"make_timestamp(epoch_us({{}}) - {BEHIND_UTC_US})".format
    local = f"strftime({clock('{}')}, '%Y-%m-%d %H:%M:%S.%f')[:-3]".format
    with duckdb.connect() as database:
        for month in (6, 7, 8):
            database.execute(f"""
            COPY (SELECT {SECONDS} AS tripduration, {local("start")} AS starttime, {local("arrival")} AS stoptime,
                {KEY} AS "start station id", 'a' AS "start station name", 40.7 AS "start station latitude",
                -74.0 AS "start station longitude", 1 AS "end station id", 'b' AS "end station name",
                {NORTH} AS "end station latitude", -74.0 AS "end station longitude", 1 AS bikeid,
                'Subscriber' AS usertype, {YEAR} AS "birth year", 1 AS gender
            FROM '{events}' WHERE month({clock("start")}) = {month} ORDER BY {KEY}, start)
            TO '{folder}/JC-2018{month:02}-generated.csv' (HEADER)""")


def write(folder: Path, case: TripsCase, labels: int) -> None:
    """The files that every way reads."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "events.parquet").exists():
        pq.write_table(case.events(), folder / "events.parquet")
    pq.write_table(case.labels(labels), folder / "labels.parquet")


assert TIME.tz == "UTC"
