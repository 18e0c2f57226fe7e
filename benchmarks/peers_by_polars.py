"""Windows by Polars on its streaming engine: a process of its own.

python -m benchmarks.peers_by_polars WAY parquet|csv FOLDER
python -m benchmarks.peers_by_polars landing LANDING TABLE      of its files, a Delta table of last rows
"""

import os
import sys
from pathlib import Path

os.environ["POLARS_MAX_THREADS"] = "2"

import polars as pl
from deltalake import write_deltalake

from benchmarks.peers_source import (
    COLUMNS,
    DAILY,
    DAY,
    DAY_US,
    KEY,
    MONTHLY,
    PARQUET,
    ROLLING,
    SECONDS,
    SLIDE,
    SLIDE_US,
    SLIDING,
    START,
    ZONE,
)  # fmt: skip

PANES_A_DAY = DAY_US // SLIDE_US
S = pl.col(SECONDS)
COUNTED = (pl.len().cast(pl.Int64).alias("trips"), S.sum().alias("total_s"), S.max().alias("longest_s"))


def dynamic(trips: pl.LazyFrame) -> pl.LazyFrame:
    """Polars' own sliding windows."""
    grouped = trips.sort(START).group_by_dynamic(START, every=SLIDE, period=DAY, offset=SLIDE - DAY, group_by=KEY)
    return grouped.agg(*COUNTED).with_columns(window_end=pl.col(START) + DAY)


def panes(trips: pl.LazyFrame) -> pl.LazyFrame:
    """Panes of a slide, also those without trips, and rolling sums and maxima over a day's."""
    pane = pl.col(START).cast(pl.Int64) // SLIDE_US
    of_trips = trips.group_by(KEY, pane=pane).agg(*COUNTED)
    first, last = pl.col("pane").min(), pl.col("pane").max()
    every = of_trips.group_by(KEY).agg(pane=pl.int_ranges(first, last + PANES_A_DAY)).explode("pane")
    whole = every.join(of_trips, on=[KEY, "pane"], how="left").sort(KEY, "pane")
    sums = (
        pl.col(name).fill_null(0).rolling_sum(PANES_A_DAY, min_samples=1).over(KEY) for name in ("trips", "total_s")
    )
    most = pl.col("longest_s").rolling_max(PANES_A_DAY, min_samples=1).over(KEY)
    end = ((pl.col("pane") + 1) * SLIDE_US).cast(pl.Datetime("us", "UTC"))
    return whole.select(KEY, *sums, most, window_end=end).filter(pl.col("trips") > 0)


def frames(trips: pl.LazyFrame) -> pl.LazyFrame:
    """Polars' own rolling windows; of trips of one moment, which have one window, one."""
    made = trips.sort(KEY, START).rolling(START, period=DAY, group_by=KEY).agg(*COUNTED)
    return made.unique([KEY, START], keep="any").with_columns(window_end=pl.col(START) + pl.duration(microseconds=1))


def by_frames(trips: pl.LazyFrame) -> pl.LazyFrame:
    """The same by `rolling_*_by`, which share their bounds."""
    ordered = trips.sort(KEY, START)
    made = ordered.select(
        KEY, START,
        trips=S.is_not_null().cast(pl.Int64).rolling_sum_by(START, DAY).over(KEY),
        total_s=S.rolling_sum_by(START, DAY).over(KEY), longest_s=S.rolling_max_by(START, DAY).over(KEY),
    )  # fmt: skip
    return made.unique([KEY, START], keep="any").with_columns(window_end=pl.col(START) + pl.duration(microseconds=1))


WAYS = {
    f"{SLIDING}_dynamic": dynamic, f"{SLIDING}_panes": panes, f"{ROLLING}_frames": frames, f"{ROLLING}_by": by_frames,
}  # fmt: skip


def landing(folder: str, table: str) -> None:
    """Of the landing folder's files, a Delta table. Damaged lines, and those that are there twice, are skipped."""
    monthly = _read(f"{folder}/{MONTHLY}").filter(pl.col("gender").is_not_null(), _time("stoptime").is_not_null())
    trips = pl.concat([
        _typed(monthly, "start station id", "starttime", "tripduration"),
        _typed(_read(f"{folder}/{DAILY}"), "start_station", "start_ts", "duration"),
    ])  # fmt: skip
    mean = (pl.col("total_s") / pl.col("trips")).alias("mean_trip_duration_s")
    rows = dynamic(trips.drop_nulls([START, SECONDS])).select(
        KEY, pl.col(START).alias("window_start"), "window_end", "trips", mean, longest_trip_duration_s="longest_s"
    )
    write_deltalake(table, rows.collect(engine="streaming"))


def _read(files: str) -> pl.LazyFrame:
    return pl.scan_csv(files, infer_schema=False, truncate_ragged_lines=True).unique()


def _typed(trips: pl.LazyFrame, key: str, start: str, seconds: str) -> pl.LazyFrame:
    local = _time(start).dt.replace_time_zone(ZONE, ambiguous="earliest", non_existent="null")
    station, duration_s = (pl.col(name).cast(pl.Int64, strict=False) for name in (key, seconds))
    return trips.select(station.alias(KEY), local.dt.convert_time_zone("UTC").alias(START), duration_s.alias(SECONDS))


def _time(name: str) -> pl.Expr:
    return pl.col(name).str.to_datetime("%Y-%m-%d %H:%M:%S%.f", time_unit="us", strict=False)


def main(way: str, source: str, folder: Path) -> None:
    """Of a file of trips, a file of rows."""
    path = folder / f"trips.{source}"
    trips = pl.scan_parquet(path) if source == PARQUET else pl.scan_csv(path, try_parse_dates=True)
    made = WAYS[way](trips.with_columns(pl.col(START).dt.convert_time_zone("UTC")))
    made.select(COLUMNS).sink_parquet(folder / f"polars_{way}_{source}.parquet", engine="streaming")


if __name__ == "__main__":
    if sys.argv[1] == "landing":
        landing(*sys.argv[2:])
    else:
        main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
