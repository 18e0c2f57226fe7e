"""The final rows of `bikes_demand` by Spark's own `window()` over silver, written as Delta: a process of its own.

    WINDROW_HOME=... python -m benchmarks.backfill_by_spark

The session is the one that Windrow's tasks have.
"""

from datetime import timedelta

from pyspark.sql import functions as F

from windrow.pipelines import config as configuration
from windrow.pipelines.config import Config
from windrow.pipelines.engines.spark import spark_session as spark
from windrow.schemas.queries.bikes_demand import QUERY

TABLE = "demand_by_spark"


def main(config: Config) -> None:
    """Read silver and write the table, in the lake's folder."""
    silver = spark.session(config).read.format("delta").load(str(config.lake / f"silver_{QUERY.stream}"))
    spans = (f"{span // timedelta(minutes=1)} minutes" for span in (QUERY.window.size, QUERY.window.slide))
    seconds = F.col("trip_duration_s")
    counted = (
        F.count(F.lit(1)).alias("trips"),
        F.avg(seconds).alias("mean_trip_duration_s"),
        F.max(seconds).alias("longest_trip_duration_s"),
    )
    rows = silver.groupBy("start_station_id", F.window("start", *spans).alias("window")).agg(*counted)
    bounds = F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end")
    made = rows.select("start_station_id", *bounds, *QUERY.aggregates)
    made.write.format("delta").save(str(config.lake / TABLE))


if __name__ == "__main__":
    main(configuration.load(engine="spark"))
