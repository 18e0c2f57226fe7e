"""Windows by Polars on its streaming engine: a process of its own.

python -m benchmarks.peers_by_polars WAY parquet|csv FOLDER
"""

import os
import sys
from pathlib import Path

os.environ["POLARS_MAX_THREADS"] = "2"

import polars as pl

from benchmarks.peers_source import (
    COLUMNS,
    DAY,
    DAY_US,
    KEY,
    PARQUET,
    ROLLING,
    SECONDS,
    SLIDE,
    SLIDE_US,
    SLIDING,
    START,
)

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


def main(way: str, source: str, folder: Path) -> None:
    """Of a file of trips, a file of rows."""
    path = folder / f"trips.{source}"
    trips = pl.scan_parquet(path) if source == PARQUET else pl.scan_csv(path, try_parse_dates=True)
    made = WAYS[way](trips.with_columns(pl.col(START).dt.convert_time_zone("UTC")))
    made.select(COLUMNS).sink_parquet(folder / f"polars_{way}_{source}.parquet", engine="streaming")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
