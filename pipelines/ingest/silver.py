"""Silver and quarantine: writes what deduplication decided; a commit replaces exactly what it touches.

Silver is replaced by whole arrival days, quarantine by whole files.
"""

from collections.abc import Sequence
from datetime import date

import pyarrow as pa

from pipelines.delta.day_files import files_of
from pipelines.delta.lake import Lake
from pipelines.engines.engine import Engine
from pipelines.engines.shares import packed_within
from pipelines.ingest.changes import Changes
from pipelines.ingest.deduplicate import DUPLICATE, EVENT, NEW, PLACE, Deduplicated
from pipelines.ingest.files import UNREADABLE
from pipelines.tables.stream_tables import StreamTables
from schemas.stream import KEPT_REFUSALS
from schemas.tables import Table

# Each worker of an engine keeps the first of each file, of which these are the first.
_REFUSED = """
    SELECT *, CASE WHEN text IS NULL THEN NULL ELSE
        row_number() OVER (PARTITION BY path, text IS NULL ORDER BY line, reading) END AS place
    FROM parsed WHERE reason IS NOT NULL"""
_KEPT = f"SELECT * FROM refused WHERE place <= {KEPT_REFUSALS}"
_REST = f"""
    SELECT path, CAST(NULL AS BIGINT) AS line, 0 AS reading, reason,
           concat('from line ', CAST(min(line) AS STRING), ' on; bronze has the lines') AS detail,
           CAST(NULL AS TIMESTAMP) AS arrival, CAST(NULL AS STRING) AS identity, CAST(NULL AS STRING) AS text,
           CAST(sum(records) AS BIGINT) AS records, definition
    FROM refused WHERE place IS NULL OR place > {KEPT_REFUSALS} GROUP BY path, reason, definition"""


def write_silver(lake: Lake, engine: Engine, tables: StreamTables, found: Deduplicated) -> None:
    """Replace the touched arrival days: events that stay, and records that became events.

    A commit replaces as many whole days as the engine takes at once. A kill in between is as safe as between two
    tables.
    """
    if found.moved(DUPLICATE):
        found.parse_again(lake, tables.bronze)
    silver = tables.silver
    for days in _commits(lake, engine, silver, found):
        _choose(lake, silver, found, days)
        found.relations.replace(lake, silver, {"arrival_date": days}, _rows_of_chosen_days(silver, found))


def _commits(lake: Lake, engine: Engine, silver: Table, found: Deduplicated) -> Sequence[Sequence[date]]:
    if engine.rows_per_commit is None:
        return [found.days]
    _choose(lake, silver, found, found.days)
    # Before and after: at least as many as come.
    rows = found.relations.rows("""
        SELECT day, count(arrival_date) FROM chosen LEFT JOIN (
            SELECT arrival_date FROM parsed WHERE reason IS NULL UNION ALL SELECT arrival_date FROM standing
        ) AS those ON day = arrival_date GROUP BY day""")
    return packed_within(dict(sorted(rows)), engine.rows_per_commit)


def _choose(lake: Lake, silver: Table, found: Deduplicated, days: Sequence[date]) -> None:
    """Name `chosen` (days) and `standing` (silver's rows of them, which no commit has replaced yet)."""
    found.relations.add_rows("chosen", pa.table({"day": pa.array(days, pa.date32())}))
    found.relations.add_files("standing", lake, silver, files_of(lake, silver, days))


def _rows_of_chosen_days(silver: Table, found: Deduplicated) -> list[str]:
    columns, of_days = _columns(silver), "arrival_date IN (SELECT day FROM chosen)"
    rows = [
        f"SELECT {columns} FROM parsed ANTI JOIN {_moved(NEW)} WHERE reason IS NULL AND {of_days}",
        f"SELECT {columns} FROM standing ANTI JOIN {_moved(EVENT)} WHERE path NOT IN (SELECT path FROM changed)",
    ]
    if found.moved(DUPLICATE):
        rows.append(f"SELECT {columns} FROM again SEMI JOIN {_moved(DUPLICATE)} WHERE {of_days}")
    return rows


def write_quarantine(lake: Lake, tables: StreamTables, changes: Changes, found: Deduplicated) -> None:
    """Replace the touched files' refused records: of changed files, and duplicates that came or went elsewhere."""
    table, others, relations = tables.quarantine, found.others_touched, found.relations
    columns = _columns(table)
    definition = found.rules.definition
    common = {"reading": 0, "reason": "unreadable file", "records": 1, "definition": definition}
    unreadable = [row for row in changes.rows.values() if row.state == UNREADABLE]
    whole_files = [common | {"path": row.path, "detail": row.detail} for row in unreadable]
    relations.add_rows("whole_files", pa.Table.from_pylist(whole_files, lake.schema(table)))
    relations.define("refused", _REFUSED)
    rows = [f"SELECT {columns} FROM ({each})" for each in (_KEPT, _REST, "SELECT * FROM whole_files")]
    if new_duplicates := found.moved(NEW, EVENT):
        relations.add_files("texts", lake, tables.bronze, files_of(lake, tables.bronze, paths=new_duplicates))
        rows.append(f"""
            SELECT {columns} FROM (
                SELECT path, line, reading, identity, arrival, text, 'duplicate' AS reason,
                       CAST(NULL AS STRING) AS detail, 1 AS records, '{definition}' AS definition
                FROM moved LEFT JOIN (SELECT path, line, text FROM texts) AS those USING (path, line)
                WHERE was <> '{DUPLICATE}') AS those""")
    if others:
        relations.add_rows("others", pa.table({"path": others}))
        among = "path IN (SELECT path FROM others)"
        rows.append(f"SELECT {columns} FROM quarantine ANTI JOIN {_moved(DUPLICATE)} WHERE {among}")
    relations.replace(lake, table, {"path": [*changes.rows, *others]}, rows)


def _columns(table: Table) -> str:
    return ", ".join(f'"{column.name}"' for column in table.columns)


def _moved(was: str) -> str:
    return f"(SELECT {PLACE} FROM moved WHERE was = '{was}') AS those USING ({PLACE})"
