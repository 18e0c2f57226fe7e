"""Spark in one batch: `window()` and `session_window()`; for a day by a second frames over panes; `known` of the asked
moments."""

from pathlib import Path

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from benchmarks.latemark.generator import AskedMoments, landing_of
from benchmarks.latemark.questions import (
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
from benchmarks.latemark.ways._spark import (
    RIGHT,
    SCHEMA,
    bounds,
    seconds,
    session,
    values,
    window,
)

TITLE = "Spark, `window()` in one batch"
NO_ANSWER: dict[str, str] = {}


def answer(question: str, folder: Path, into: Path) -> None:
    """Two cores."""
    read = session(folder).read.schema(SCHEMA).parquet(str(landing_of(folder))).where(RIGHT)
    bids = read if question == "known" else read.dropDuplicates(["id"])
    rows = {
        "tumbling": lambda: bids.groupBy("channel", window(TUMBLING_SIZE)).agg(
            *values("bids", "total_price", "top_price")
        ),
        "sliding": lambda: _sliding(bids),
        "sessions": lambda: bids.groupBy("bidder", _session(seconds(GAP))).agg(*values("bids", "total_price")),
        "top_k": lambda: _top_k(bids),
        "median": lambda: bids.groupBy("source", window(MEDIAN_SIZE)).agg(*values("median_price")),
        "known": lambda: _known(bids, AskedMoments.of(folder).moments_us),
        "q7": lambda: bids.groupBy(window(NEXMARK_SIZE)).agg(*values("first")),
        "q11": lambda: bids.groupBy("bidder", _session(seconds(NEXMARK_SIZE))).agg(*values("bids")),
    }[question]()
    made = bounds(rows) if "window" in rows.columns else rows
    made.write.option("compression", "none").parquet(str(into))


def _session(gap: str):
    return F.session_window("date_time", gap).alias("window")


def _sliding(bids: DataFrame) -> DataFrame:
    width, pane = us(DAY) // us(SECOND), F.col("pane")
    panes = bids.groupBy(F.unix_seconds("date_time").alias("pane")).agg(*values("bids", "top_price")).cache()
    grid = panes.select(F.explode(F.sequence(F.min("pane"), F.max("pane") + width - 1)).alias("pane"))
    day = Window.orderBy("pane").rowsBetween(1 - width, 0)
    rows = grid.join(panes, "pane", "left").select(
        "pane", F.sum("bids").over(day).alias("bids"), F.max("top_price").over(day).alias("top_price")
    )
    start = F.timestamp_seconds(pane - width + 1).alias("window_start")
    return rows.where("bids IS NOT NULL").select(
        start, F.timestamp_seconds(pane + 1).alias("window_end"), "bids", "top_price"
    )


def _top_k(bids: DataFrame) -> DataFrame:
    counted = bids.groupBy(window(TOP_SIZE), "auction").agg(*values("bids"))
    place = F.row_number().over(Window.partitionBy("window").orderBy(F.desc("bids"), "auction"))
    ranked = counted.withColumn("place", place).where(F.col("place") <= TOP)
    ranks = [F.max(F.when(F.col("place") == k, F.col("auction"))).alias(f"auction_{k}") for k in range(1, TOP + 1)]
    return ranked.groupBy("window").agg(*ranks)


def _known(bids: DataFrame, moments_us: list[int]) -> DataFrame:
    """Of each bid the first of its arrivals; of each moment what arrived since the one before, then sums of those."""
    first = bids.groupBy("id").agg(
        F.min(F.unix_micros("arrival")).alias("arrival"),
        *(F.first(n).alias(n) for n in ("source", "price", "date_time")),
    )
    moments = F.array(*map(F.lit, moments_us))
    moment = F.element_at(F.filter(moments, lambda each: each >= F.col("arrival")), 1)
    parts = first.where(F.col("arrival") <= moments_us[-1]).groupBy(
        "source", window(KNOWN_SIZE), moment.alias("moment")
    ).agg(*values("bids", "top_price"))  # fmt: skip
    before = Window.partitionBy("source", "window").orderBy("moment")
    summed = F.sum("bids").over(before).alias("bids"), F.max("top_price").over(before).alias("top_price")
    return parts.select("source", "window", F.timestamp_micros("moment").alias("known_at"), *summed)
