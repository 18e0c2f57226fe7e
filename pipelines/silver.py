"""Silver and quarantine: writes what a merge decided; a commit replaces exactly what it touches.

Silver is replaced by whole arrival days, quarantine by whole files. No JVM.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

import pyarrow as pa
import pyarrow.compute as pc

from pipelines import lake
from pipelines.arrow_schemas import arrow_schema
from pipelines.changes import UNREADABLE, Changes
from pipelines.config import Config
from pipelines.merge import DUPLICATE, EVENT, NEW, PLACE, Merged
from schemas.stream import Stream
from schemas.tables import Table, bronze_table, quarantine_table, silver_table

ROWS_PER_COMMIT = 1_000_000


def write_silver(config: Config, stream: Stream, merged: Merged) -> None:
    """Replace the touched arrival days: events that stay, and readings that became events.

    A commit replaces as many whole days as have ROWS_PER_COMMIT rows together: delta-rs keeps a file open for each day
    and bucket until the commit, half a GiB for a million rows. A kill in between is as safe as between two tables.
    """
    if merged.any_moved(DUPLICATE):
        merged.judge_again()
    for days in _commits(_rows_by_day(config, stream, merged)):
        _write_days(config, stream, merged, days)


def _rows_by_day(config: Config, stream: Stream, merged: Merged) -> dict[date, int]:
    """Rows of the touched days, before and after: at least as many as come."""
    _choose(config, stream, merged, merged.days)
    return dict(merged.database.sql("""
        SELECT day, count(arrival_date) FROM chosen LEFT JOIN (
            SELECT arrival_date FROM judged WHERE reason IS NULL UNION ALL SELECT arrival_date FROM standing
        ) ON day = arrival_date GROUP BY day""").fetchall())


def _commits(rows_by_day: dict[date, int]) -> Iterator[list[date]]:
    days, rows = [], 0
    for day, count in sorted(rows_by_day.items()):
        if days and rows + count > ROWS_PER_COMMIT:
            yield days
            days, rows = [], 0
        days, rows = [*days, day], rows + count
    yield days


def _write_days(config: Config, stream: Stream, merged: Merged, days: list[date]) -> None:
    _choose(config, stream, merged, days)
    table, of_days = silver_table(stream), "arrival_date IN (FROM chosen)"
    columns = _columns(table)
    rows = [f"SELECT {columns} FROM judged ANTI JOIN {_moved(NEW)} WHERE reason IS NULL AND {of_days}",
            f"SELECT {columns} FROM standing ANTI JOIN {_moved(EVENT)} WHERE path NOT IN (FROM changed)"]
    if merged.any_moved(DUPLICATE):
        rows.append(f"SELECT {columns} FROM again SEMI JOIN {_moved(DUPLICATE)} WHERE {of_days}")
    _replace(config, table, lake.among("arrival_date", days), merged, rows)


def _choose(config: Config, stream: Stream, merged: Merged, days: Sequence[date]) -> None:
    """Make the tables `chosen` (days) and `standing` (silver's rows of them, which no commit has replaced yet)."""
    chosen = pa.table({"day": pa.array(days, pa.date32())})
    merged.database.register("chosen", chosen)
    silver = lake.dataset(config, silver_table(stream).name)
    merged.database.register("standing", silver.filter(pc.field("arrival_date").isin(chosen["day"])))


def write_quarantine(config: Config, stream: Stream, changes: Changes, merged: Merged) -> None:
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
    _replace(config, table, lake.among("path", [*changes.rows, *others]), merged, rows)


def _replace(config: Config, table: Table, predicate: str, merged: Merged, rows: list[str]) -> None:
    order = ", ".join(f'"{name}" NULLS LAST' for name in (*table.partition_by, *table.sort_by))
    reader = merged.database.sql(f"{' UNION ALL '.join(rows)} ORDER BY {order}").to_arrow_reader()
    schema = arrow_schema(table)
    gathered = pa.RecordBatchReader.from_batches(schema, _gathered(reader.cast(schema)))
    lake.replace(config, table, predicate, gathered)


def _gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Batches of ROWS_PER_COMMIT rows: delta-rs writes batches in any order, which only within one stays as it is."""
    waiting: list[pa.RecordBatch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(map(len, waiting)) >= ROWS_PER_COMMIT:
            yield from pa.Table.from_batches(waiting).combine_chunks().to_batches()
            waiting = []
    if waiting:
        yield from pa.Table.from_batches(waiting).combine_chunks().to_batches()


def _columns(table: Table) -> str:
    return ", ".join(f'"{name}"' for name in table.column_names)


def _moved(was: str) -> str:
    return f"(SELECT {PLACE} FROM moved WHERE was = '{was}') AS those USING ({PLACE})"


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
