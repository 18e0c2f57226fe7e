"""Spark in a stream: one file a batch, in the order of their arrival, with a watermark of 10 minutes.

Windows are given out in update mode, after each batch what changed; a row is known when its batch's file is there.
Sessions have no update mode, so only those that the watermark has passed are given out.
"""

import shutil
from datetime import timedelta
from pathlib import Path

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from benchmarks.latemark.generator import AskedMoments, landing_of
from benchmarks.latemark.questions import (
    EVERY,
    GAP,
    KNOWN_SIZE,
    LATENESS,
    MEDIAN_SIZE,
    NEXMARK_SIZE,
    TUMBLING_SIZE,
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

TITLE = "Spark, a stream, watermark of 10 minutes"
NO_ANSWER = {
    "sliding": "a stream puts each bid into 86,400 windows, each with a state of its own",
    "top_k": "a stream has no ranks within windows",
}
SESSIONS = ("sessions", "q11")


def answer(question: str, folder: Path, into: Path, delay: timedelta = LATENESS) -> None:
    """Every row that was given out, then the last of each window."""
    steps = into.absolute().with_suffix(".steps") / "rows"
    shutil.rmtree(steps.parent, ignore_errors=True)
    _stream(_rows(_bids(folder, delay), question), question, folder, steps, delay)
    given = session(folder).read.parquet(str(steps))
    rows = given if EVERY[question].known else _last(given, EVERY[question].identity)
    rows.write.option("compression", "none").parquet(str(into))
    shutil.rmtree(steps.parent)


def _bids(folder: Path, delay: timedelta) -> DataFrame:
    files = session(folder).readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).parquet(str(landing_of(folder)))
    return files.where(RIGHT).withWatermark("date_time", seconds(delay)).dropDuplicatesWithinWatermark(["id"])


def _rows(bids: DataFrame, question: str) -> DataFrame:
    gap = F.session_window("date_time", seconds(GAP if question == "sessions" else NEXMARK_SIZE)).alias("window")
    return {
        "tumbling": lambda: bids.groupBy("channel", window(TUMBLING_SIZE)).agg(
            *values("bids", "total_price", "top_price")
        ),
        "sessions": lambda: bids.groupBy("bidder", gap).agg(*values("bids", "total_price")),
        "median": lambda: bids.groupBy("source", window(MEDIAN_SIZE)).agg(*values("median_price")),
        "known": lambda: bids.groupBy("source", window(KNOWN_SIZE)).agg(*values("bids", "top_price")),
        "q7": lambda: bids.groupBy(window(NEXMARK_SIZE)).agg(*values("first")),
        "q11": lambda: bids.groupBy("bidder", gap).agg(*values("bids")),
    }[question]()


def _stream(rows: DataFrame, question: str, folder: Path, steps: Path, delay: timedelta) -> None:
    last_arrivals = AskedMoments.of(folder).last_arrivals_us

    def keep(batch: DataFrame, number: int) -> None:
        """Behind the last file comes a batch without one."""
        known_us = last_arrivals[min(number, len(last_arrivals) - 1)]
        step = bounds(batch).withColumn("known_at", F.timestamp_micros(F.lit(known_us)))
        step.withColumn("step", F.lit(number)).write.mode("append").parquet(str(steps))

    mode = "append" if question in SESSIONS else "update"
    writer = rows.writeStream.foreachBatch(keep).outputMode(mode).trigger(availableNow=True)
    writer.option("checkpointLocation", str(steps.parent / "checkpoint")).start().awaitTermination()


def _last(given: DataFrame, identity: tuple[str, ...]) -> DataFrame:
    newest = Window.partitionBy(*identity).orderBy(F.desc("step"))
    return given.withColumn("place", F.row_number().over(newest)).where("place = 1").drop("place", "step")
