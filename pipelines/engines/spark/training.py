"""The small job whose classes go into the class-data archive (archive.py runs it). It must touch what a real stage
touches: a class that isn't loaded here is parsed again at every start of Spark.
"""

import sys
from typing import Any

from pyspark.sql import DataFrame, SparkSession


def session(class_path: str, archive: str, warehouse: str) -> SparkSession:
    """One that writes the archive as its JVM ends."""
    settings = {
        "spark.driver.extraClassPath": class_path,
        "spark.driver.extraJavaOptions": f"-XX:ArchiveClassesAtExit={archive}",
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "2",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.warehouse.dir": warehouse,
        "spark.ui.enabled": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }
    builder = SparkSession.builder.master("local[2]").appName("windrow class-data archive")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def exercise(spark: SparkSession, folder: str) -> int:
    """What stages do with Parquet files, and what notebooks do with a Delta table; returns how many rows that has."""
    rows = spark.range(1000).selectExpr(
        "id",
        "id % 7 as bucket",
        "date'2020-01-01' as day",
        "timestamp_micros(id * 1000000) as arrival",
        "cast(id as string) as name",
    )
    run_statements(spark, rows, folder + "/files")
    return write_delta(spark, rows, folder + "/table")


def run_statements(spark: SparkSession, rows: DataFrame, folder: str) -> None:
    """Files read by schema, views, joins, windows, rows that are kept, and rows that Python maps."""
    rows.write.partitionBy("day").parquet(folder)
    read = spark.read.schema(rows.schema).option("basePath", folder).parquet(folder)
    read.createOrReplaceTempView("events")
    spark.createDataFrame(rows.limit(10).toArrow()).createOrReplaceTempView("known")
    numbered = "SELECT *, row_number() OVER (PARTITION BY bucket ORDER BY arrival, id) AS place FROM events"
    first = spark.sql(f"SELECT * FROM ({numbered}) WHERE place = 1 AND id NOT IN (SELECT id FROM known)").persist()
    first.createOrReplaceTempView("first")
    spark.sql(
        "SELECT e.bucket, count(*), min(e.arrival), max(e.name), sum(e.id) FILTER (WHERE e.id % 2 = 0) FROM events e "
        "LEFT JOIN first f ON e.id = f.id WHERE NOT EXISTS (SELECT 1 FROM known k WHERE k.id = e.id) "
        "GROUP BY e.bucket UNION ALL SELECT DISTINCT bucket, 0, arrival, name, id FROM first ORDER BY 1"
    ).collect()
    sorted_rows = read.repartition("bucket").sortWithinPartitions("arrival")
    sorted_rows.mapInArrow(lambda batches: batches, read.schema).groupBy("bucket").count().collect()
    first.unpersist()


def write_delta(spark: SparkSession, rows: DataFrame, folder: str) -> int:
    """Write, constrain, replace and read one small partitioned Delta table."""
    table = f"delta.`{folder}`"
    spark.sql(
        f"CREATE TABLE {table} (id BIGINT COMMENT 'number', bucket BIGINT, day DATE, arrival TIMESTAMP, "
        "name STRING) USING delta PARTITIONED BY (day) "
        "TBLPROPERTIES ('delta.enableDeletionVectors' = 'false')"
    )
    spark.sql(f"ALTER TABLE {table} ADD CONSTRAINT id_positive CHECK (id >= 0)")
    for _ in range(2):
        writer = rows.write.format("delta").mode("overwrite").option("replaceWhere", "day = '2020-01-01'")
        writer.save(folder)
    return spark.read.format("delta").load(folder).count()


def main(class_path: str, archive: str, folder: str) -> None:
    spark = session(class_path, archive, folder + "/warehouse")
    written = exercise(spark, folder)
    if written != 1000:
        raise SystemExit(f"the training job read {written} rows back, not 1000")
    gateway: Any = spark.sparkContext._gateway
    spark.stop()
    # The JVM writes the archive while it exits, and exits when its input closes: leaving earlier loses it.
    gateway.proc.stdin.close()
    gateway.proc.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
