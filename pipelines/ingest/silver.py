"""Silver and quarantine: writes what deduplication decided; a commit replaces exactly what it touches.

Silver is replaced by whole arrival days, quarantine by whole files. No JVM.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset

from pipelines.ingest.changes import Changes
from pipelines.ingest.deduplicate import DUPLICATE, EVENT, NEW, PLACE, Deduplicated
from pipelines.ingest.files import UNREADABLE
from pipelines.lake.day_files import add_view
from pipelines.lake.lake import Lake, Where
from pipelines.lake.stream_tables import StreamTables
from schemas.tables import Table

ROWS_PER_COMMIT = 1_000_000


def write_silver(lake: Lake, silver: Table, found: Deduplicated) -> None:
    """Replace the touched arrival days: events that stay, and records that became events.

    A commit replaces as many whole days as have ROWS_PER_COMMIT rows together: delta-rs keeps a file open for each day
    and bucket until the commit, half a GiB for a million rows. A kill in between is as safe as between two tables.
    """
    if DUPLICATE in found.moved:
        found.parse_again()
    for days in _commits(_rows_by_day(lake, silver, found)):
        _choose(lake, silver, found, days)
        _replace(lake, silver, {"arrival_date": days}, found, _rows_of_chosen_days(silver, found))


def _rows_by_day(lake: Lake, silver: Table, found: Deduplicated) -> dict[date, int]:
    """Rows of the touched days, before and after: at least as many as come."""
    _choose(lake, silver, found, found.days)
    return dict(
        found.database.sql("""
        SELECT day, count(arrival_date) FROM chosen LEFT JOIN (
            SELECT arrival_date FROM parsed WHERE reason IS NULL UNION ALL SELECT arrival_date FROM standing
        ) ON day = arrival_date GROUP BY day""").fetchall()
    )


def _commits(rows_by_day: dict[date, int]) -> Iterator[list[date]]:
    days: list[date] = []
    rows = 0
    for day, count in sorted(rows_by_day.items()):
        if days and rows + count > ROWS_PER_COMMIT:
            yield days
            days, rows = [], 0
        days, rows = [*days, day], rows + count
    yield days


def _choose(lake: Lake, silver: Table, found: Deduplicated, days: Sequence[date]) -> None:
    """Make the tables `chosen` (days) and `standing` (silver's rows of them, which no commit has replaced yet)."""
    chosen = pa.table({"day": pa.array(days, pa.date32())})
    found.database.register("chosen", chosen)
    add_view(found.database, lake, silver, "standing", days)


def _rows_of_chosen_days(silver: Table, found: Deduplicated) -> list[str]:
    columns, of_days = _columns(silver), "arrival_date IN (FROM chosen)"
    rows = [
        f"SELECT {columns} FROM parsed ANTI JOIN {_moved(NEW)} WHERE reason IS NULL AND {of_days}",
        f"SELECT {columns} FROM standing ANTI JOIN {_moved(EVENT)} WHERE path NOT IN (FROM changed)",
    ]
    if DUPLICATE in found.moved:
        rows.append(f"SELECT {columns} FROM again SEMI JOIN {_moved(DUPLICATE)} WHERE {of_days}")
    return rows


def write_quarantine(lake: Lake, tables: StreamTables, changes: Changes, found: Deduplicated) -> None:
    """Replace the touched files' refused records: of changed files, and duplicates that came or went elsewhere."""
    table, others = tables.quarantine, found.others_touched
    columns = _columns(table)
    found.database.register("whole_files", _whole_files(found, lake.schema(table), changes))
    rows = [f"SELECT {columns} FROM parsed WHERE reason IS NOT NULL", f"SELECT {columns} FROM whole_files"]
    if NEW in found.moved or EVENT in found.moved:
        found.database.register("texts", _texts(lake, tables.bronze, found))
        rows.append(f"SELECT {columns} FROM ({_new_duplicates(found)})")
    if others:
        found.database.register("others", pa.table({"path": others}))
        rows.append(f"SELECT {columns} FROM quarantine ANTI JOIN {_moved(DUPLICATE)} WHERE path IN (FROM others)")
    _replace(lake, table, {"path": [*changes.rows, *others]}, found, rows)


def _replace(lake: Lake, table: Table, where: Where, found: Deduplicated, rows: list[str]) -> None:
    order = ", ".join(f'"{name}" NULLS LAST' for name in (*table.partition_by, *table.sort_by))
    reader = found.database.sql(f"{' UNION ALL '.join(rows)} ORDER BY {order}").to_arrow_reader()
    lake.replace(table, where, _gathered(reader))


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
    return ", ".join(f'"{column.name}"' for column in table.columns)


def _moved(was: str) -> str:
    return f"(SELECT {PLACE} FROM moved WHERE was = '{was}') AS those USING ({PLACE})"


def _texts(lake: Lake, bronze: Table, found: Deduplicated) -> pyarrow.dataset.Dataset:
    """Bronze's lines of the files that have new duplicates."""
    paths = sorted({path for path, was in found.moves if was != DUPLICATE})
    return lake.dataset(bronze.name).filter(pc.field("path").isin(paths))


def _new_duplicates(found: Deduplicated) -> str:
    return f"""
        SELECT moved.*, text, 'duplicate' AS reason, NULL AS detail, '{found.rules.definition}' AS definition
        FROM moved LEFT JOIN texts USING (path, line) WHERE was <> '{DUPLICATE}'"""


def _whole_files(found: Deduplicated, schema: pa.Schema, changes: Changes) -> pa.Table:
    rows = [
        {
            "path": row.path,
            "line": None,
            "reading": 0,
            "reason": "unreadable file",
            "detail": row.detail,
            "definition": found.rules.definition,
        }
        for row in changes.rows.values()
        if row.state == UNREADABLE
    ]
    return pa.Table.from_pylist(rows, schema)
