"""Silver and quarantine: writes what a merge decided, each in one commit that replaces exactly what it touches.

Silver is replaced by whole arrival days, quarantine by whole files.
"""

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from pipelines import lake
from pipelines.changes import UNREADABLE, Changes, FileRow
from pipelines.config import Config
from pipelines.merge import DUPLICATE, EVENT, NEW, Merged
from pipelines.spark import session
from schemas.stream import Stream
from schemas.tables import Table, quarantine_table, silver_table


def write_silver(config: Config, stream: Stream, merged: Merged) -> int:
    """Replace the touched arrival days: events that stay, and readings that became events."""
    table, rows = silver_table(stream), merged.new_events()
    if merged.standing.any_events:
        stay = merged.standing.other_events.where(F.col("arrival_date").isin(*merged.days))
        rows = rows.select(*table.column_names).union(merged.without(stay, EVENT).select(*table.column_names))
    return lake.replace_with_spark(config, table, lake.among("arrival_date", merged.days), _laid_out(table, rows))


def _laid_out(table: Table, rows: DataFrame) -> DataFrame:
    # One file per day and bucket, sorted: a replay then reads whole keys in arrival order without a shuffle.
    order = [F.col(name).asc_nulls_last() for name in (*table.partition_by, *table.sort_by)]
    return rows.repartition(*table.partition_by).sortWithinPartitions(*order)


def write_quarantine(config: Config, stream: Stream, changes: Changes, merged: Merged) -> int:
    """Replace the touched files' refused readings: of changed files, and duplicates that came or went elsewhere."""
    table, others = quarantine_table(stream), merged.others_touched
    rows = merged.judged.where(F.col("reason").isNotNull()).select(*table.column_names)
    if merged.any_moved(NEW) or merged.any_moved(EVENT):
        rows = rows.union(_new_duplicates(merged).select(*table.column_names))
    if others:
        before = merged.standing.quarantined.where(F.col("path").isin(*others))
        rows = rows.union(merged.without(before, DUPLICATE).select(*table.column_names))
    if unreadable := [row for row in changes.rows.values() if row.state == UNREADABLE]:
        rows = rows.union(_whole_files(config, merged, unreadable).select(*table.column_names))
    return lake.replace_with_spark(config, table, lake.among("path", [*changes.rows, *others]), rows.coalesce(1))


def _new_duplicates(merged: Merged) -> DataFrame:
    texts = merged.standing.bronze.select("path", "line", "text")
    lost = merged.moved.where(F.col("was") != DUPLICATE).join(texts, ["path", "line"])
    return lost.withColumns({"reason": F.lit("duplicate"), "detail": F.lit(None).cast("string"),
                             "definition": F.lit(merged.judging.definition)})


def _whole_files(config: Config, merged: Merged, unreadable: list[FileRow]) -> DataFrame:
    schema = lake.arrow_schema(quarantine_table(merged.judging.stream))
    rows = [{"path": row.path, "line": None, "reading": 0, "reason": "unreadable file", "detail": row.detail,
             "definition": merged.judging.definition} for row in unreadable]
    return session(config).createDataFrame(pa.Table.from_pylist(rows, schema))
