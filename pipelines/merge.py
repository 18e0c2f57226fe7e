"""Which readings of an ingest are events, and what that does to those of files that did not change.

Of equal identities among the accepted the first by (arrival, path, line, reading) stays, over all days. So beside the
changed files' readings, everything of other files that shares an identity with their old or their new content competes:
events of silver (they may lose their place) and quarantined duplicates (they may gain one). Only what identifies a
reading competes, not whole rows.

DuckDB decides over judged rows on disk, and spills there what doesn't fit into memory. Spark's way to the same tables
took 15 s for 344,425 spans in a warm session and 27 s in a cold one, of which judging was 3 (docs/decisions/0009).
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

from pipelines import judges, lake, spilling
from pipelines.changes import Changes
from pipelines.config import Config
from pipelines.parse import Judging
from schemas.tables import bronze_table, quarantine_table, silver_table

NEW, EVENT, DUPLICATE = "new", "event", "duplicate"  # what a competing reading was before this ingest
PLACE = "path, line, reading"

# A reading moves if it is not what it was: a new one that is a duplicate, an event that is one now, a duplicate that is
# the event now. Few identities are contested, so that only theirs are sorted, and nothing is kept on the way there.
_NEW = f"SELECT identity, arrival, {PLACE}, '{NEW}' AS was FROM judged WHERE reason IS NULL AND identity IS NOT NULL"
_AT_STAKE = f"""
    SELECT identity FROM ({_NEW})
    UNION ALL SELECT identity FROM silver WHERE path IN (FROM changed) AND identity IS NOT NULL"""
_STANDING = f"""
    SELECT * FROM (
        SELECT identity, arrival, {PLACE}, '{EVENT}' AS was FROM silver
        UNION ALL SELECT identity, arrival, {PLACE}, '{DUPLICATE}' FROM quarantine WHERE reason = 'duplicate')
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
    SELECT arrival_date FROM judged ANTI JOIN (FROM moved WHERE was = '{NEW}') USING ({PLACE}) WHERE reason IS NULL
    UNION SELECT CAST(arrival AT TIME ZONE 'UTC' AS DATE) FROM moved WHERE was <> '{NEW}'
    UNION SELECT arrival_date FROM silver WHERE path IN (FROM changed)
    ORDER BY ALL"""


@dataclass(frozen=True)
class Merged:
    """What became of the readings.

    database: tables `judged` (every reading of the changed files; refused ones with reason, detail and text), `moved`
        (identity, arrival, path, line, reading, was), `changed` (paths), and silver and quarantine as they were
    readings: (path, reason) -> readings of the changed files; reason None: accepted, duplicates included
    moves: (path, was) -> readings that moved
    days: arrival days of silver that change
    """

    database: duckdb.DuckDBPyConnection
    judging: Judging
    folder: Path
    readings: Counter
    moves: Counter
    days: tuple[date, ...]

    @property
    def others_touched(self) -> list[str]:
        """Files that did not change, of which an event lost its place or a duplicate gained one."""
        return sorted({path for path, was in self.moves if was != NEW})

    def any_moved(self, was: str) -> bool:
        """Whether anything moved that was this before."""
        return any(before == was for _, before in self.moves)

    def judge_again(self) -> None:
        """Make the table `again`: readings of lines of other files that hold a duplicate which is an event now."""
        lines = self.database.sql(f"""
            SELECT DISTINCT path, line, text, NULL::VARCHAR AS damage
            FROM quarantine SEMI JOIN (FROM moved WHERE was = '{DUPLICATE}') USING ({PLACE})""")
        place = self.folder / "again.arrow"
        judges.write_judged(self.judging, lines.to_arrow_reader(judges.LINES_PER_BATCH), place)
        self.database.register("again", judges.read_judged([place]))


@contextmanager
def merged(config: Config, judging: Judging, changes: Changes) -> Iterator[Merged]:
    """Judge the changed files' lines and let them compete. `judging` has the layouts of all files.

    Silver and quarantine are read as they are at this moment, whatever is written meanwhile.
    """
    with _folder(config, judging.stream.name) as folder:
        _judge(config, judging, changes, folder)
        with spilling.database(folder / "spilled") as database:
            _open_tables(config, judging, changes, database, folder)
            # Without events before, to look for them would only build tables of the new identities.
            any_before = bool(lake.files(config, silver_table(judging.stream).name))
            database.execute(_MOVED.format(competing=f"{_NEW} UNION ALL {_STANDING}" if any_before else _NEW))
            yield _decided(database, judging, folder)


@contextmanager
def _folder(config: Config, stream_name: str) -> Iterator[Path]:
    # One ingest of a stream runs at a time: what lies there is of one that was killed.
    ours = config.ingests / stream_name
    with lake.full_disk_said(config, ours.name):
        shutil.rmtree(ours, ignore_errors=True)
        ours.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=ours, ignore_cleanup_errors=True) as folder:
            yield Path(folder)


def _judge(config: Config, judging: Judging, changes: Changes, folder: Path) -> None:
    (folder / "judged").mkdir()
    rows = [changes.rows[path] for path in changes.delivering]
    bronze = lake.files(config, bronze_table(judging.stream).name, filters=_landed_on(changes)) if rows else []
    share = judges.Share(judging, tuple(bronze), tuple(changes.delivering), folder / "judged")
    judges.judge_all(share, max(1, min(config.cores, sum(row.lines for row in rows) // config.lines_per_judge)))


def _landed_on(changes: Changes) -> list[tuple] | None:
    """Which days of bronze hold the lines. Of a file that is made again only bronze knows: its row may be an intent of
    an ingest that was cut off before the new content got there."""
    if not changes.landed.issuperset(changes.delivering):
        return None
    return [("landed_date", "in", sorted({str(changes.rows[path].landed_date) for path in changes.delivering}))]


def _open_tables(config: Config, judging: Judging, changes: Changes, database: duckdb.DuckDBPyConnection,
                 folder: Path) -> None:
    stream = judging.stream
    database.register("judged", judges.read_judged((folder / "judged").glob("*.arrow")))
    database.register("changed", pa.table({"path": pa.array(list(changes.rows), pa.string())}))
    for name, table in (("silver", silver_table(stream)), ("quarantine", quarantine_table(stream))):
        database.register(name, lake.dataset(config, table.name))


def _decided(database: duckdb.DuckDBPyConnection, judging: Judging, folder: Path) -> Merged:
    readings = database.sql("SELECT path, reason, count(*) FROM judged GROUP BY ALL").fetchall()
    moves = database.sql("SELECT path, was, count(*) FROM moved GROUP BY ALL").fetchall()
    days = tuple(day for day, in database.sql(_TOUCHED_DAYS).fetchall())
    return Merged(database, judging, folder, _counter(readings), _counter(moves), days)


def _counter(rows: list[tuple]) -> Counter:
    return Counter({(path, what): count for path, what, count in rows})
