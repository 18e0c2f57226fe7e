"""Trips that Windrow and its peers make windows of, in files that each way reads, and the rows that they make."""

from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from benchmarks.first_light_trips import Sizes, make_trips

DAY_US, SLIDE_US = 86_400_000_000, 300_000_000
DAY, SLIDE = timedelta(microseconds=DAY_US), timedelta(microseconds=SLIDE_US)
SLIDING, ROLLING = "sliding", "rolling"
QUESTIONS = {SLIDING: "the last day, every 5 minutes", ROLLING: "the last day, before each trip"}
PARQUET, CSV = "parquet", "csv"
SOURCES = {PARQUET: "a Parquet file", CSV: "a CSV file"}
KEY, START, END, SECONDS = "start_station_id", "start", "end", "trip_duration_s"
MONTHLY, DAILY, ZONE = "bikes/generated-jc/*.csv.gz", "bikes/generated-nyc/trips-*.csv.gz", "America/New_York"
"""Where the landing folder has files of two layouts, and whose clock their times are of."""
COLUMNS = [KEY, "window_end", "trips", "total_s", "longest_s"]
"""Of the rows that each way writes to a Parquet file: window_end is a time in UTC, the rest are int64."""


class PeersCase(NamedTuple):
    """So many trips in two weeks."""

    trips: int
    stations: int

    @property
    def title(self) -> str:
        return f"{self.trips:,} trips of {self.stations:,} stations in 14 days"

    def write(self, folder: Path, data: Path) -> None:
        """trips.parquet and trips.csv: key, start, end and duration, by start."""
        trips, _ = make_trips(Sizes(self.trips, self.stations, 14), data)
        times = {START: trips.start_us, END: trips.arrival_us}
        made = pa.table({
            KEY: trips.station.astype(np.int64),
            **{name: pa.array(each.astype(np.int64)).cast(pa.timestamp("us", "UTC")) for name, each in times.items()},
            SECONDS: trips.duration_s.astype(np.int64),
        })  # fmt: skip
        folder.mkdir(parents=True, exist_ok=True)
        pq.write_table(made, folder / "trips.parquet")
        csv.write_csv(made, folder / "trips.csv")


def differing(ours: Path, theirs: Path) -> int:
    """Rows that only one of both has."""
    one, other = (_rows(each) for each in (ours, theirs))
    if one.num_rows != other.num_rows:
        return abs(one.num_rows - other.num_rows)
    same = np.ones(one.num_rows, bool)
    for name in COLUMNS:
        same &= np.asarray(one[name]) == np.asarray(other[name])
    return int((~same).sum())


def _rows(path: Path) -> pa.Table:
    rows = pq.read_table(path).select(COLUMNS)
    rows = rows.set_column(1, "window_end", rows["window_end"].cast(pa.timestamp("us", "UTC")).cast(pa.int64()))
    return rows.cast(pa.schema([(name, pa.int64()) for name in COLUMNS])).sort_by(
        [(n, "ascending") for n in COLUMNS[:2]]
    )
