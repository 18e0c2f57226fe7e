"""Polars on its streaming engine, over all files at once. `known` is asked of the moments that the questions name."""

import os
from datetime import timedelta
from pathlib import Path

os.environ["POLARS_MAX_THREADS"] = "2"

import polars as pl

from benchmarks.latemark.generator import AskedMoments, landing_of
from benchmarks.latemark.questions import (
    AHEAD_AT_MOST,
    DAY,
    GAP,
    KNOWN_SIZE,
    MEDIAN_SIZE,
    NEXMARK_SIZE,
    SECOND,
    TOP,
    TOP_SIZE,
    TUMBLING_SIZE,
    us,
)

TITLE = "Polars"
NO_ANSWER: dict[str, str] = {}
AT, ARRIVAL, PRICE = pl.col("at"), pl.col("arrival"), pl.col("price")
BIDS, HIGHEST = pl.len().cast(pl.Int64).alias("bids"), PRICE.max().alias("top_price")
TOTAL = PRICE.sum().alias("total_price")


def answer(question: str, folder: Path, into: Path) -> None:
    """Two threads."""
    asked = {
        "tumbling": lambda bids: _tumbling(bids, ["channel"], TUMBLING_SIZE, BIDS, TOTAL, HIGHEST),
        "sliding": _sliding,
        "sessions": lambda bids: _sessions(bids, GAP, BIDS, TOTAL),
        "top_k": _top_k,
        "median": lambda bids: _tumbling(bids, ["source"], MEDIAN_SIZE, PRICE.median().alias("median_price")),
        "known": lambda bids: _known(bids, AskedMoments.of(folder).moments_us),
        "q7": _highest,
        "q11": lambda bids: _sessions(bids, NEXMARK_SIZE, BIDS),
    }[question]
    asked(_bids(folder)).sink_parquet(into, compression="uncompressed", engine="streaming")


def _bids(folder: Path) -> pl.LazyFrame:
    read = pl.scan_parquet(landing_of(folder) / "*.parquet").with_columns(
        at=pl.col("date_time").dt.epoch("us"), arrival=ARRIVAL.dt.epoch("us")
    )
    # Files are in the order of arrival
    return read.filter(us(AHEAD_AT_MOST) >= AT - ARRIVAL).unique("id", keep="first", maintain_order=False)


def _grid(size: timedelta) -> pl.Expr:
    return (AT // us(size) * us(size)).alias("start")


def _bounds(start: pl.Expr, size: timedelta) -> list[pl.Expr]:
    return [_time(start).alias("window_start"), _time(start + us(size)).alias("window_end")]


def _time(at_us: pl.Expr) -> pl.Expr:
    return at_us.cast(pl.Datetime("us", "UTC"))


def _tumbling(bids: pl.LazyFrame, keys: list[str], size: timedelta, *values: pl.Expr) -> pl.LazyFrame:
    rows = bids.with_columns(_grid(size)).group_by(*keys, "start").agg(*values)
    return rows.with_columns(*_bounds(pl.col("start"), size)).drop("start")


def _sliding(bids: pl.LazyFrame) -> pl.LazyFrame:
    panes = bids.group_by((AT // us(SECOND)).alias("pane")).agg(BIDS, HIGHEST)
    width, pane = us(DAY) // us(SECOND), pl.col("pane")
    grid = panes.select(pl.int_range(pane.min(), pane.max() + width).alias("pane"))
    day = grid.join(panes, on="pane", how="left", maintain_order="left").with_columns(
        pl.col("bids").rolling_sum(width, min_samples=1), pl.col("top_price").rolling_max(width, min_samples=1)
    )
    start = (pane - width + 1) * us(SECOND)
    return day.drop_nulls("bids").select(*_bounds(start, DAY), "bids", "top_price")


def _sessions(bids: pl.LazyFrame, gap: timedelta, *values: pl.Expr) -> pl.LazyFrame:
    bidder = pl.col("bidder")
    begins = (AT.diff() >= us(gap)) | (bidder.diff() != 0)
    numbered = bids.sort("bidder", "at").with_columns(number=begins.fill_null(True).cum_sum())
    bounds = _time(AT.min()).alias("window_start"), _time(AT.max() + us(gap)).alias("window_end")
    return numbered.group_by("bidder", "number").agg(*bounds, *values).drop("number")


def _top_k(bids: pl.LazyFrame) -> pl.LazyFrame:
    counted = bids.with_columns(_grid(TOP_SIZE)).group_by("start", "auction").agg(BIDS)
    ordered = counted.sort("bids", "auction", descending=[True, False])
    ranks = [pl.col("auction").get(k - 1, null_on_oob=True).alias(f"auction_{k}") for k in range(1, TOP + 1)]
    rows = ordered.group_by("start", maintain_order=True).agg(*ranks)
    return rows.with_columns(*_bounds(pl.col("start"), TOP_SIZE)).drop("start")


def _highest(bids: pl.LazyFrame) -> pl.LazyFrame:
    ordered = bids.with_columns(_grid(NEXMARK_SIZE)).sort("price", "at", "arrival", descending=[True, False, False])
    winner = [pl.col(name).first() for name in ("auction", "bidder")]
    rows = ordered.group_by("start", maintain_order=True).agg(PRICE.first().alias("top_price"), *winner)
    return rows.with_columns(*_bounds(pl.col("start"), NEXMARK_SIZE)).drop("start")


def _known(bids: pl.LazyFrame, moments_us: list[int]) -> pl.LazyFrame:
    moments = pl.LazyFrame({"moment": moments_us}).set_sorted("moment")
    reached = bids.sort("arrival").join_asof(moments, left_on="arrival", right_on="moment", strategy="forward")
    window = ["source", "start"]
    parts = reached.drop_nulls("moment").with_columns(_grid(KNOWN_SIZE)).group_by(*window, "moment").agg(BIDS, HIGHEST)
    rows = parts.sort("moment").with_columns(
        pl.col("bids").cum_sum().over(window), pl.col("top_price").cum_max().over(window)
    )
    return rows.with_columns(*_bounds(pl.col("start"), KNOWN_SIZE), _time(pl.col("moment")).alias("known_at"))
