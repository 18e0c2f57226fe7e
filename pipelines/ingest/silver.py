"""Silver and quarantine: writes what deduplication decided; a commit replaces exactly what it touches.

Silver is replaced by whole arrival days, quarantine by whole files.
"""

from functools import partial

import pyarrow as pa

from pipelines.delta.day_files import files_of
from pipelines.delta.file_commits import replace_partitions, replace_paths
from pipelines.delta.lake import Lake
from pipelines.engines.engine import Engine, rewritten
from pipelines.ingest.changes import Changes
from pipelines.ingest.deduplicate import DUPLICATE, EVENT, NEW, PLACE, Deduplicated
from pipelines.ingest.files import UNREADABLE
from pipelines.tables.stream_tables import StreamTables
from schemas.stream import KEPT_REFUSALS

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


def write_silver(lake: Lake, tables: StreamTables, found: Deduplicated) -> None:
    """Replace the touched arrival days: events that stay, and records that became events."""
    silver, rows = tables.silver, [f"SELECT * FROM parsed ANTI JOIN {_moved(NEW)} WHERE reason IS NULL"]
    found.relations.add_files("standing", lake, silver, files_of(lake, silver, found.days))
    rows.append(f"SELECT * FROM standing ANTI JOIN {_moved(EVENT)} WHERE path NOT IN (SELECT path FROM changed)")
    if found.moved(DUPLICATE):
        found.parse_again(lake, tables.bronze)
        rows.append(f"SELECT * FROM again SEMI JOIN {_moved(DUPLICATE)}")
    replace_partitions(lake, silver, "arrival_date", found.days, found.relations.write(lake, silver, rows))


def write_quarantine(lake: Lake, engine: Engine, tables: StreamTables, changes: Changes, found: Deduplicated) -> None:
    """Replace the touched files' refused records: of changed files, and duplicates that came or went elsewhere."""
    table, others, relations = tables.quarantine, found.others_touched, found.relations
    definition = found.rules.definition
    common = {"reading": 0, "reason": "unreadable file", "records": 1, "definition": definition}
    unreadable = [row for row in changes.rows.values() if row.state == UNREADABLE]
    whole_files = [common | {"path": row.path, "detail": row.detail} for row in unreadable]
    relations.add_rows("whole_files", pa.Table.from_pylist(whole_files, lake.schema(table)))
    relations.define("refused", _REFUSED)
    rows = [_KEPT, _REST, "SELECT * FROM whole_files"]
    if new_duplicates := found.moved(NEW, EVENT):
        relations.add_files("texts", lake, tables.bronze, files_of(lake, tables.bronze, paths=new_duplicates))
        rows.append(f"""
            SELECT path, line, reading, identity, arrival, text, 'duplicate' AS reason,
                   CAST(NULL AS STRING) AS detail, 1 AS records, '{definition}' AS definition
            FROM moved LEFT JOIN (SELECT path, line, text FROM texts) AS those USING (path, line)
            WHERE was <> '{DUPLICATE}'""")
    if others:
        relations.add_rows("others", pa.table({"path": others}))
        rows.append(f"SELECT * FROM quarantine ANTI JOIN {_moved(DUPLICATE)} WHERE path IN (SELECT path FROM others)")
    paths = [*changes.rows, *others]
    written = relations.write(lake, table, rows)
    replace_paths(lake, table, paths, written, partial(rewritten, lake, engine, table, paths))


def _moved(was: str) -> str:
    return f"(SELECT {PLACE} FROM moved WHERE was = '{was}') AS those USING ({PLACE})"
