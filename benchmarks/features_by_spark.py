"""The features by Spark's own means: a process of its own.

    python -m benchmarks.features_by_spark WAY FOLDER

It reads events.parquet and labels.parquet of the folder and writes the folder spark_WAY.parquet. The session is the one
that Windrow's tasks have, on two cores.
"""

import sys
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from benchmarks.features_source import KEY, NORTH, SECONDS, SIZES_US, YOUNG
from benchmarks.spark_settings import SEGMENT_TREE
from windrow.pipelines import config as configuration
from windrow.pipelines.engines.spark import spark_session as spark

LABELS_AT_ONCE = 1_000_000
"""Of a join, whose pairs Spark sorts and shuffles: those of 10 million labels want more than 30 GB of disk."""
LONGEST_US = max(SIZES_US.values())


def tables(session: SparkSession, folder: Path) -> tuple[DataFrame, DataFrame]:
    """Events and labels, with times in µs."""
    read = session.read.parquet(str(folder / "events.parquet"))
    events = read.select(
        F.col(KEY).alias("key"), F.unix_micros("start").alias("start"), F.unix_micros("arrival").alias("arrival"),
        F.col(SECONDS).alias("s"), F.col(NORTH).alias("n"), F.expr(f"cast({YOUNG} AS int)").alias("young"),
    )  # fmt: skip
    labels = session.read.parquet(str(folder / "labels.parquet"))
    return events, labels.select("label", F.col(KEY).alias("key"), F.unix_micros("asked_at").alias("asked"))


def framed(session: SparkSession, folder: Path) -> DataFrame:
    """RANGE frames over labels and events together."""
    events, labels = tables(session, folder)
    together = events.withColumnRenamed("start", "asked").unionByName(labels, allowMissingColumns=True)
    made: list[Column] = []
    for window, size in SIZES_US.items():
        over = Window.partitionBy("key").orderBy("asked").rangeBetween(1 - size, 0)
        of = {
            "trips": F.count("s"), "of_young": F.coalesce(F.sum("young").over(over), F.lit(0)),
            "sum_s": F.sum("s"), "mean_s": F.avg("s"), "shortest_s": F.min("s"), "longest_s": F.max("s"),
            "sum_north": F.sum("n"), "mean_north": F.avg("n"), "northernmost": F.max("n"),
            "last_s": F.last("s", ignorenulls=True),
        }  # fmt: skip
        made += [
            (each if name == "of_young" else each.over(over)).alias(f"{name}_{window}") for name, each in of.items()
        ]
    return together.select("label", *made).where("label IS NOT NULL")


def joined(events: DataFrame, labels: DataFrame, known: str) -> DataFrame:
    """A range join over the longest window; pairs go to the shortest window that holds them, and a window has those of
    all that are not longer."""
    within = F.expr(f"start > asked - {LONGEST_US} AND start <= asked {known}")
    band = sum((F.col("start") <= F.col("asked") - size).cast("int") for size in SIZES_US.values())
    last = F.max(F.struct("start", "s"))
    parts = (
        labels.join(events, "key").where(within).groupBy("label", band.alias("band"))
        .agg(
            F.count("s").alias("trips"), F.sum("young").alias("of_young"), F.sum("s").alias("sum_s"),
            F.min("s").alias("shortest_s"), F.max("s").alias("longest_s"), F.sum("n").alias("sum_north"),
            F.max("n").alias("northernmost"), last.alias("last"),
        )
    )  # fmt: skip
    columns = [each for number, window in enumerate(SIZES_US) for each in _of_window(number, window)]
    return (
        labels.select("label")
        .join(parts.groupBy("label").agg(*columns), "label", "left")
        .fillna(0, [f"{name}_{window}" for window in SIZES_US for name in ("trips", "of_young")])
    )


def _of_window(number: int, window: str) -> list[Column]:
    def of(name: str) -> Column:
        return F.when(F.col("band") <= number, F.col(name))

    trips = F.coalesce(F.sum(of("trips")), F.lit(0))
    return [
        trips.alias(f"trips_{window}"), F.coalesce(F.sum(of("of_young")), F.lit(0)).alias(f"of_young_{window}"),
        F.sum(of("sum_s")).alias(f"sum_s_{window}"),
        (F.sum(of("sum_s")) / F.sum(of("trips"))).alias(f"mean_s_{window}"),
        F.min(of("shortest_s")).alias(f"shortest_s_{window}"), F.max(of("longest_s")).alias(f"longest_s_{window}"),
        F.sum(of("sum_north")).alias(f"sum_north_{window}"),
        (F.sum(of("sum_north")) / F.sum(of("trips"))).alias(f"mean_north_{window}"),
        F.max(of("northernmost")).alias(f"northernmost_{window}"), F.max(of("last"))["s"].alias(f"last_s_{window}"),
    ]  # fmt: skip


def main(way: str, folder: Path) -> None:
    """One way."""
    session = spark.session(configuration.load(engine="spark"))
    session.conf.set(SEGMENT_TREE, way.endswith("segment_tree"))
    made = str(folder / f"spark_{way}.parquet")
    if "frames" in way:
        framed(session, folder).write.mode("overwrite").option("compression", "uncompressed").parquet(made)
        return
    events, labels = tables(session, folder)
    count, known = labels.count(), "AND arrival <= asked" if way == "known_join" else ""
    for first in range(0, count, LABELS_AT_ONCE):
        some = labels.where(F.col("label").between(first, first + LABELS_AT_ONCE - 1))
        mode = "append" if first else "overwrite"
        joined(events, some, known).write.mode(mode).option("compression", "uncompressed").parquet(made)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
