"""Windows by Spark: a process of its own, in the session that Windrow's tasks have.

python -m benchmarks.peers_by_spark WAY parquet|csv FOLDER
"""

import sys
from datetime import timedelta
from pathlib import Path

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from benchmarks.peers_source import COLUMNS, DAY, DAY_US, KEY, PARQUET, ROLLING, SECONDS, SLIDE, SLIDING, START
from benchmarks.spark_ways import SEGMENT_TREE
from windrow.pipelines import config as configuration
from windrow.pipelines.engines.spark import spark_session as spark

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
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
