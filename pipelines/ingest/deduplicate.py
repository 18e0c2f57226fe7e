"""Which records of an ingest are events, and what that does to those of files that did not change.

Of equal identities among the accepted the first by (arrival, path, line, reading) stays, over all days. So with the
changed files' records everything of other files that shares an identity with their old or their new content competes:
events of silver (they may lose their place) and quarantined duplicates (they may gain one). Only what identifies a
record competes, not whole rows.

DuckDB decides over parsed rows on disk, and spills there what doesn't fit into memory. Spark's way to the same tables
took 15 s for 344,425 spans in a warm session and 27 s in a cold one, of which parsing was 3
(docs/decisions/0009-ingest-without-a-jvm.md).
"""

import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import duckdb
import pyarrow as pa

from pipelines.ingest import workers
from pipelines.ingest.changes import Changes
from pipelines.ingest.parse import ParseRules
from pipelines.lake import databases, locks
from pipelines.lake.day_files import add_view
from pipelines.lake.lake import Lake
from pipelines.lake.stream_tables import StreamTables

NEW, EVENT, DUPLICATE = "new", "event", "duplicate"  # what a competing record was before this ingest
PLACE = "path, line, reading"

# A record moves if it is not what it was: a new one that is a duplicate, an event that is one now, a duplicate that is
# the event now. Of a duplicate whose line is lost no event can be made. Few identities are contested, so that only
# theirs are sorted, and of what stood before only those at stake are kept on the way there.
_NEW = f"SELECT identity, arrival, {PLACE}, '{NEW}' AS was FROM parsed WHERE reason IS NULL AND identity IS NOT NULL"
_AT_STAKE = f"""
    SELECT identity FROM ({_NEW})
    UNION ALL SELECT identity FROM silver_before WHERE path IN (FROM changed_before) AND identity IS NOT NULL"""
_STANDING = f"""
    CREATE TABLE standing_at_stake AS SELECT * FROM (
        SELECT identity, arrival, {PLACE}, '{EVENT}' AS was FROM silver
        UNION ALL SELECT identity, arrival, {PLACE}, '{DUPLICATE}' FROM quarantine
        WHERE reason = 'duplicate' AND text IS NOT NULL)
    WHERE path NOT IN (FROM changed) AND identity IN ({_AT_STAKE})"""
_MOVED = f"""
    CREATE TABLE moved AS
    WITH competing AS NOT MATERIALIZED ({{competing}}), contested AS NOT MATERIALIZED (
        SELECT identity FROM competing GROUP BY identity HAVING count(*) > 1 OR bool_or(was = '{DUPLICATE}')
    ), placed AS (
        SELECT *, row_number() OVER (PARTITION BY identity ORDER BY arrival, {PLACE}) = 1 AS is_first
        FROM competing WHERE identity IN (FROM contested)
    )
    SELECT * EXCLUDE is_first FROM placed WHERE is_first = (was = '{DUPLICATE}')"""
_TOUCHED_DAYS = f"""
    SELECT arrival_date FROM parsed ANTI JOIN (FROM moved WHERE was = '{NEW}') USING ({PLACE}) WHERE reason IS NULL
    UNION SELECT CAST(arrival AT TIME ZONE 'UTC' AS DATE) FROM moved WHERE was <> '{NEW}'
    UNION SELECT arrival_date FROM silver_before WHERE path IN (FROM changed_before)
    ORDER BY ALL"""


@dataclass(frozen=True)
class Deduplicated:
    """What became of the records.

    database: tables `parsed` (every record of the changed files; refused ones with reason, detail and text), `moved`
        (identity, arrival, path, line, reading, was), `changed` (paths), `changed_before` (those that were known), and
        silver and quarantine as they were; silver_before: silver's rows of `changed_before`, and others
    records: (path, reason) -> records of the changed files; reason None: accepted, duplicates included
    moves: (path, was) -> records that moved
    moved: what those that moved were before
    others_touched: files that did not change, of which an event lost its place or a duplicate gained one
    days: arrival days of silver that change
    """

    database: duckdb.DuckDBPyConnection
    rules: ParseRules
    folder: Path
    records: Counter
    moves: Counter
    moved: frozenset[str]
    others_touched: list[str]
    days: tuple[date, ...]

    def parse_again(self) -> None:
        """Make the table `again`: records of lines of other files that hold a duplicate which is an event now."""
        lines = self.database.sql(f"""
            SELECT DISTINCT path, line, text, NULL::VARCHAR AS damage
            FROM quarantine SEMI JOIN (FROM moved WHERE was = '{DUPLICATE}') USING ({PLACE})""")
        path = self.folder / "again.arrow"
        workers.write_parsed(self.rules, lines.to_arrow_reader(workers.LINES_PER_BATCH), path)
        self.database.register("again", workers.read_parsed([path]))


@contextmanager
def deduplicated(lake: Lake, tables: StreamTables, rules: ParseRules, changes: Changes) -> Iterator[Deduplicated]:
    """Parse the changed files' lines and let them compete. `rules` has the layouts of all files.

    Silver and quarantine are read as they are at this moment, whatever is written meanwhile.
    """
    with _folder(lake, tables.stream.name) as folder:
        _parse(lake, tables, rules, changes, folder)
        with databases.open_database(folder / "spilled") as database:
            any_before = _register(lake, tables, changes, database, folder)
            competing = _NEW
            if any_before:  # else to look for them would only build tables of the new identities
                database.execute(_STANDING)
                competing += " UNION ALL FROM standing_at_stake"
            database.execute(_MOVED.format(competing=competing))
            yield _decided(database, rules, folder)


@contextmanager
def _folder(lake: Lake, stream_name: str) -> Iterator[Path]:
    # One ingest of a stream runs at a time: what lies there is of one that was killed.
    ours = lake.config.ingests / stream_name
    with locks.full_disk_reported(lake.config, ours.name):
        shutil.rmtree(ours, ignore_errors=True)
        ours.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=ours, ignore_cleanup_errors=True) as folder:
            yield Path(folder)


def _parse(lake: Lake, tables: StreamTables, rules: ParseRules, changes: Changes, folder: Path) -> None:
    (folder / "parsed").mkdir()
    rows = [changes.rows[path] for path in changes.delivering]
    bronze = lake.files(tables.bronze.name, filters=_landed_on(changes)) if rows else []
    share = workers.Share(rules, tuple(bronze), changes.delivering, folder / "parsed")
    useful = sum(row.lines for row in rows) // lake.config.lines_per_worker
    workers.parse_all(share, max(1, min(lake.config.cores, useful)))


def _landed_on(changes: Changes) -> list[tuple]:
    """Which days of bronze hold the lines."""
    return [("landed_date", "in", sorted({str(changes.rows[path].landed_date) for path in changes.delivering}))]


def _register(
    lake: Lake, tables: StreamTables, changes: Changes, database: duckdb.DuckDBPyConnection, folder: Path
) -> bool:
    """Whether silver holds any events."""
    changed = list(changes.rows)
    # Of files that nobody knew silver holds nothing: it needn't be searched for them.
    before = [path for path in changed if path in changes.known]
    database.register("parsed", workers.read_parsed((folder / "parsed").glob("*.arrow")))
    database.register("changed", pa.table({"path": pa.array(changed, pa.string())}))
    database.register("changed_before", pa.table({"path": pa.array(before, pa.string())}))
    add_view(database, lake, tables.silver, "silver_before", paths=before)
    add_view(database, lake, tables.quarantine, "quarantine")
    return add_view(database, lake, tables.silver, "silver")


def _decided(database: duckdb.DuckDBPyConnection, rules: ParseRules, folder: Path) -> Deduplicated:
    records = _counted(database, "SELECT path, reason, count(*) FROM parsed GROUP BY ALL")
    moves = _counted(database, "SELECT path, was, count(*) FROM moved GROUP BY ALL")
    moved = frozenset(was for _, was in moves)
    others = sorted({path for path, was in moves if was != NEW})
    days = tuple(day for (day,) in database.sql(_TOUCHED_DAYS).fetchall())
    return Deduplicated(database, rules, folder, records, moves, moved, others, days)


def _counted(database: duckdb.DuckDBPyConnection, statement: str) -> Counter:
    return Counter({(path, what): count for path, what, count in database.sql(statement).fetchall()})
