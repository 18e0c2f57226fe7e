"""What the checks of files and of silver look at, at the versions of one snapshot: landed files, and arrival days."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date

import duckdb
import pyarrow as pa

from windrow.pipelines.delta.file_commits import MOST_PATHS
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines.engine import Engine, Relations
from windrow.pipelines.gate.recount import sql
from windrow.pipelines.gate.recount.query_days import RecountDatabase
from windrow.pipelines.gate.recount.tables import TableVersion, add_view, open_recount_database
from windrow.pipelines.gate.recount.ticks import heartbeats_between
from windrow.pipelines.tables.arrival_days import DAY_US
from windrow.pipelines.tables.stream_tables import Snapshot, StreamTables
from windrow.schemas.erased import erased_name, erased_table


@dataclass(frozen=True)
class LandedFiles:
    """Some landed files: `files`, `silver` and `quarantine` of them are names in `relations`; silver's version."""

    relations: Relations
    tables: StreamTables
    version: int


@contextmanager
def open_files(
    lake: Lake, engine: Engine, tables: StreamTables, snapshot: Snapshot, paths: Collection[str] | None = None
) -> Iterator[LandedFiles]:
    """Open the rows of some landed files, by default of all. O(rows of table files that may hold some of theirs)."""
    with engine.relations(lake.config.scratch) as relations:
        if paths is not None:
            relations.add_rows("asked", pa.table({"path": pa.array(sorted(paths), pa.string())}))
        few = None if paths is None or len(paths) > MOST_PATHS else [("path", "in", sorted(paths))]
        wanted = "" if paths is None else "WHERE path IN (SELECT path FROM asked)"
        for view, table in (("files", tables.files), ("silver", tables.silver), ("quarantine", tables.quarantine)):
            # Among no values delta-rs finds every file.
            none = paths is not None and not paths
            files = [] if none else lake.files(table.name, snapshot.version(table.name), few)
            relations.add_files(f"all_{view}", lake, table, files)
            relations.define(view, f"SELECT * FROM all_{view} {wanted}")
        yield LandedFiles(relations, tables, snapshot.version(tables.silver.name))


@dataclass(frozen=True)
class SilverDays(RecountDatabase):
    """Arrival days: the views `silver`, `passes` and `partitions` of `connection` have rows of no others; silver's
    version; erased: the table of what was erased, where there is one, which is a view too."""

    connection: duckdb.DuckDBPyConnection
    tables: StreamTables
    version: int
    days: Sequence[date]
    erased: str | None = None

    def moving(self, silver: str, where: str = "") -> str:
        """SQL: arrival_date, arrival and start of what moves the watermark on a day: its events, of which silver is a
        view or the lake's table, those that were erased, and heartbeats as events."""
        tables = [silver, *([self.erased] if self.erased else [])]
        selected = (f"SELECT arrival_date, arrival, start FROM {name} {where}" for name in tables)
        idle_after, found = self.tables.stream.idle_after, " UNION ALL ".join(selected)
        if idle_after is None:
            return found
        # Behind the first arrival of a day, and until its end.
        end_us, events = f"{sql.begin_us('arrival_date')} + {DAY_US}", f"FROM ({found})"
        points = (
            f"SELECT arrival_date, epoch_us(arrival) AS point_us {events} UNION SELECT arrival_date, {end_us} {events}"
        )
        beats = heartbeats_between(points, sql.microseconds(idle_after), "arrival_date")
        times = "make_timestamptz(tick_us), make_timestamptz(newest_us)"
        return f"{found} UNION ALL SELECT arrival_date, {times} FROM ({beats})"


def open_days(lake: Lake, tables: StreamTables, snapshot: Snapshot, days: Sequence[date]) -> SilverDays:
    """Open some days of the stream's tables: of events nothing is read yet."""
    connection = open_recount_database(lake)
    among = [("arrival_date", "in", [day.isoformat() for day in days])]
    for view, table in (("silver", tables.silver), ("passes", tables.passes)):
        add_view(connection, view, TableVersion(lake, table, snapshot.version(table.name), among=among))
    noted = TableVersion(lake, tables.partitions, snapshot.version(tables.partitions.name))
    add_view(connection, "all_partitions", noted)
    listed = sql.literals(days)
    connection.execute(f"CREATE TEMP VIEW partitions AS FROM all_partitions WHERE arrival_date IN ({listed})")
    erased, version = erased_table(tables.stream), lake.version(erased_name(tables.stream.name))
    if version is not None:
        add_view(connection, "all_erased", TableVersion(lake, erased, version))
        connection.execute(f"CREATE TEMP VIEW {erased.name} AS FROM all_erased WHERE arrival_date IN ({listed})")
    name = None if version is None else erased.name
    return SilverDays(connection, tables, snapshot.version(tables.silver.name), days, name)
