"""What both of Spark's ways have: a session on two cores, the bids that count, and values of windows."""

from datetime import timedelta
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from benchmarks.latemark.generator import landing_of
from benchmarks.latemark.questions import AHEAD_AT_MOST, us
from benchmarks.spark_settings import SEGMENT_TREE
from windrow.pipelines.config import Config
from windrow.pipelines.engines.spark import spark_session as spark

SCHEMA = (
    "id BIGINT, auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, source BIGINT, "
    "date_time TIMESTAMP, arrival TIMESTAMP"
)
RIGHT = f"unix_micros(date_time) - unix_micros(arrival) <= {us(AHEAD_AT_MOST)}"
EXPRESSIONS = {
    "bids": "count(1)", "top_price": "max(price)", "total_price": "sum(price)", "median_price": "median(price)",
    "first": "max(struct(price, -unix_micros(date_time), -unix_micros(arrival), auction, bidder))",
}  # fmt: skip
"""`first` is the highest bid; of as high ones the first."""


def session(folder: Path) -> SparkSession:
    """That of Windrow's tasks, whose JVM starts quickly, with few partitions and frames by segment trees."""
    found = spark.session(Config(folder.absolute() / "spark", landing_of(folder).absolute(), asked_engine="spark"))
    found.conf.set("spark.sql.shuffle.partitions", "2")
    found.conf.set(SEGMENT_TREE, "true")
    return found


def seconds(span: timedelta) -> str:
    """As Spark's functions take a span."""
    return f"{span // timedelta(seconds=1)} seconds"


def window(size: timedelta) -> Column:
    """Of tumbling windows."""
    return F.window("date_time", seconds(size)).alias("window")


def values(*names: str) -> list[Column]:
    """Of windows."""
    return [F.expr(f"{EXPRESSIONS[name]} AS {name}") for name in names]


def bounds(rows: DataFrame) -> DataFrame:
    """Windows as two columns, the winner as three."""
    names = [name for name in rows.columns if name not in ("window", "first")]
    found = [F.col(f"window.{bound}").alias(f"window_{bound}") for bound in ("start", "end")]
    if "first" in rows.columns:
        found += [F.col("first.price").alias("top_price"), F.col("first.auction"), F.col("first.bidder")]
    return rows.select(*names, *found)
