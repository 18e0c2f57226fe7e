"""Silver and quarantine: writes what a merge decided, each in one commit that replaces exactly what it touches.

Silver is replaced by whole arrival days, quarantine by whole files. No JVM.
"""

import pyarrow as pa
import pyarrow.compute as pc

from pipelines import lake
from pipelines.arrow_schemas import arrow_schema
from pipelines.changes import UNREADABLE, Changes
from pipelines.config import Config
from pipelines.merge import DUPLICATE, EVENT, NEW, PLACE, Merged
from schemas.stream import Stream
from schemas.tables import Table, bronze_table, quarantine_table, silver_table


def write_silver(config: Config, stream: Stream, merged: Merged) -> int:
    """Replace the touched arrival days: events that stay, and readings that became events."""
    table = silver_table(stream)
    columns = _columns(table)
    standing = lake.dataset(config, table.name).filter(pc.field("arrival_date").isin(merged.days))
    merged.database.register("standing", standing)
    rows = [f"SELECT {columns} FROM judged ANTI JOIN {_moved(NEW)} WHERE reason IS NULL",
            f"SELECT {columns} FROM standing ANTI JOIN {_moved(EVENT)} WHERE path NOT IN (FROM changed)"]
    if merged.any_moved(DUPLICATE):
        merged.judge_again()
        rows.append(f"SELECT {columns} FROM again SEMI JOIN {_moved(DUPLICATE)}")
    return _replace(config, table, lake.among("arrival_date", merged.days), merged, rows)


def write_quarantine(config: Config, stream: Stream, changes: Changes, merged: Merged) -> int:
    """Replace the touched files' refused readings: of changed files, and duplicates that came or went elsewhere."""
    table, others = quarantine_table(stream), merged.others_touched
    columns = _columns(table)
    merged.database.register("whole_files", _whole_files(merged, table, changes))
    rows = [f"SELECT {columns} FROM judged WHERE reason IS NOT NULL", f"SELECT {columns} FROM whole_files"]
    if merged.any_moved(NEW) or merged.any_moved(EVENT):
        merged.database.register("texts", _texts(config, stream, merged))
        rows.append(f"SELECT {columns} FROM ({_new_duplicates(merged)})")
    if others:
        merged.database.register("others", pa.table({"path": others}))
        rows.append(f"SELECT {columns} FROM quarantine ANTI JOIN {_moved(DUPLICATE)} WHERE path IN (FROM others)")
    return _replace(config, table, lake.among("path", [*changes.rows, *others]), merged, rows)


def _replace(config: Config, table: Table, predicate: str, merged: Merged, rows: list[str]) -> int:
    # Sorted by partition: a replay then reads whole keys in arrival order, from one file per day and bucket.
    order = ", ".join(f'"{name}" NULLS LAST' for name in (*table.partition_by, *table.sort_by))
    reader = merged.database.sql(f"{' UNION ALL '.join(rows)} ORDER BY {order}").to_arrow_reader()
    return lake.replace(config, table, predicate, reader.cast(arrow_schema(table)))


def _columns(table: Table) -> str:
    return ", ".join(f'"{name}"' for name in table.column_names)


def _moved(was: str) -> str:
    return f"(SELECT {PLACE} FROM moved WHERE was = '{was}') AS gone USING ({PLACE})"


def _texts(config: Config, stream: Stream, merged: Merged):
    """Bronze's lines of the files that have new duplicates."""
    paths = sorted({path for path, was in merged.moves if was != DUPLICATE})
    return lake.dataset(config, bronze_table(stream).name).filter(pc.field("path").isin(paths))


def _new_duplicates(merged: Merged) -> str:
    return f"""
        SELECT moved.*, text, 'duplicate' AS reason, NULL AS detail, '{merged.judging.definition}' AS definition
        FROM moved JOIN texts USING (path, line) WHERE was <> '{DUPLICATE}'"""


def _whole_files(merged: Merged, table: Table, changes: Changes) -> pa.Table:
    rows = [{"path": row.path, "line": None, "reading": 0, "reason": "unreadable file", "detail": row.detail,
             "definition": merged.judging.definition} for row in changes.rows.values() if row.state == UNREADABLE]
    return pa.Table.from_pylist(rows, arrow_schema(table))
