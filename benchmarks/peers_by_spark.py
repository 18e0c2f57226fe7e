"""Windows by Spark: a process of its own, in the session that Windrow's tasks have.

python -m benchmarks.peers_by_spark WAY parquet|csv FOLDER
python -m benchmarks.peers_by_spark landing LANDING TABLE      of its files, a Delta table of last rows
"""

import sys
from datetime import timedelta
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

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
    SLIDING,
    START,
    ZONE,
)  # fmt: skip
from benchmarks.spark_settings import SEGMENT_TREE
from windrow.pipelines import config as configuration
from windrow.pipelines.engines.spark import spark_session as spark
from windrow.schemas.stream import Layout
from windrow.schemas.streams import bikes

SPANS = tuple(f"{span // timedelta(minutes=1)} minutes" for span in (DAY, SLIDE))


def panes(trips: DataFrame) -> DataFrame:
    """Panes of a slide, then `window()` over panes: Spark's best way."""
    s = F.col(SECONDS)
    of_panes = trips.groupBy(KEY, F.window(START, SPANS[1]).alias("pane")).agg(
        F.count(F.lit(1)).alias("trips"), F.sum(s).alias("total_s"), F.max(s).alias("longest_s")
    )
    windows = of_panes.groupBy(KEY, F.window(F.col("pane.start"), *SPANS).alias("window")).agg(
        F.sum("trips").alias("trips"), F.sum("total_s").alias("total_s"), F.max("longest_s").alias("longest_s")
    )
    return windows.withColumn("window_end", F.col("window.end"))


def frames(trips: DataFrame) -> DataFrame:
    """A RANGE frame for each trip; of trips of one moment, which have one, one."""
    day, s = Window.partitionBy(KEY).orderBy("at").rangeBetween(1 - DAY_US, 0), F.col(SECONDS)
    made = trips.withColumn("at", F.unix_micros(START)).select(
        KEY, F.timestamp_micros(F.col("at") + 1).alias("window_end"), F.count(F.lit(1)).over(day).alias("trips"),
        F.sum(s).over(day).alias("total_s"), F.max(s).over(day).alias("longest_s"),
    )  # fmt: skip
    return made.dropDuplicates([KEY, "window_end"])


WAYS = {f"{SLIDING}_panes": panes, f"{ROLLING}_frames": frames, f"{ROLLING}_trees": frames}


def landing(folder: str, table: str) -> None:
    """Of the landing folder's files, a Delta table. Damaged lines, and those that are there twice, are skipped."""
    session = spark.session(configuration.load(engine="spark"))
    monthly, daily = (_read(session, f"{folder}/{files}", layout) for files, layout in
                      ((MONTHLY, bikes.MONTHLY), (DAILY, bikes.DAILY)))  # fmt: skip
    stopped = F.expr("try_to_timestamp(stoptime)").isNotNull()
    trips = _typed(monthly.where(stopped), "start station id", "starttime", "tripduration").unionAll(
        _typed(daily, "start_station", "start_ts", "duration")
    )
    mean = (F.col("total_s") / F.col("trips")).alias("mean_trip_duration_s")
    rows = panes(trips.dropna(subset=[START, SECONDS])).select(
        KEY, F.col("window.start").alias("window_start"), "window_end", "trips", mean,
        F.col("longest_s").alias("longest_trip_duration_s"),
    )  # fmt: skip
    rows.write.format("delta").save(table)


def _read(session: SparkSession, files: str, layout: Layout) -> DataFrame:
    schema = ", ".join(f"`{name}` STRING" for name in layout.header)
    return session.read.csv(files, schema, header=True, mode="DROPMALFORMED").distinct()


def _typed(trips: DataFrame, key: str, start: str, seconds: str) -> DataFrame:
    return trips.select(
        F.expr(f"try_cast(`{key}` AS BIGINT)").alias(KEY),
        F.to_utc_timestamp(F.expr(f"try_to_timestamp({start})"), ZONE).alias(START),
        F.expr(f"try_cast({seconds} AS BIGINT)").alias(SECONDS),
    )


def main(way: str, source: str, folder: Path) -> None:
    """Of a file of trips, a folder of rows."""
    session = spark.session(configuration.load(engine="spark"))
    session.conf.set(SEGMENT_TREE, way.endswith("trees"))
    path = str(folder / f"trips.{source}")
    schema = f"{KEY} BIGINT, {START} TIMESTAMP, `end` TIMESTAMP, {SECONDS} BIGINT"
    trips = session.read.parquet(path) if source == PARQUET else session.read.csv(path, schema, header=True)
    rows = WAYS[way](trips).select(COLUMNS)
    rows.write.mode("overwrite").parquet(str(folder / f"spark_{way}_{source}.parquet"))


if __name__ == "__main__":
    if sys.argv[1] == "landing":
        landing(*sys.argv[2:])
    else:
        main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
