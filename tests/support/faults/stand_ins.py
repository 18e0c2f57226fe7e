"""What a history does without: the kernels, the checks of their rows, and delta-rs. A run's replay makes a few rows
that say which replay it was (`Made`), and the gate looks whether the rows of a version are all those of a good one.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from functools import cache
from pathlib import Path
from unittest.mock import patch

import duckdb
import pyarrow as pa
from deltalake import CommitProperties

from tests.support.faults.ingesting import joined, note_share, require_together
from tests.support.faults.plain_delta import PlainTable, write_plain
from tests.support.faults.seams import current, watched
from tests.support.faults.world import Broken
from windrow.pipelines import storage
from windrow.pipelines.delta import contract, log, new_files
from windrow.pipelines.delta import lake as lakes
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import write_rows
from windrow.pipelines.engines.file_rows import ALL_TIME
from windrow.pipelines.gate.gate import Gate
from windrow.pipelines.gate.recount.query_days import AuditedDays
from windrow.pipelines.ingest import partitions
from windrow.pipelines.ledger import code_hash, run_table
from windrow.pipelines.ledger.verdicts import Verdict
from windrow.pipelines.replay import audit
from windrow.pipelines.replay.task import WrittenShare
from windrow.pipelines.replay.work import LookBack, Reading, Work
from windrow.pipelines.runs import batch, definitions
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas.ledger_tables import RUNS
from windrow.schemas.tables import Table

MARK, LATE_MARK = "events", "windows_missed"
"""The columns that say which replay made a row."""
FOREIGN = -1
"""The mark of rows that another program has added."""


def work_of(lake: Lake, tables: QueryTables, days: Sequence[date], read: Reading) -> Work:
    """As batch.py has it: each day reads itself."""
    require_together(lake, read.snapshot.version(tables.source.silver.name), read.days)
    backs = tuple(LookBack(day, day, None, day, 0) for day in days)
    return Work(tables, backs, None, read.snapshot.version(tables.source.silver.name))  # type: ignore[arg-type]


def replayed(lake: Lake, engine: object, work: Work) -> list[WrittenShare]:
    """A share that has a row or two of each day, or none."""
    history, share = current[0], WrittenShare(None, ALL_TIME, {day: Counter() for day in work.days}, 0)
    for day in work.days:
        made = history.replays.new(
            work.tables.query.name, day, str(lake.of_run["run_id"]), str(lake.of_run["snapshot"])
        )
        for table, mark, count, name in (
            (work.tables.audit, MARK, made.rows, "result"),
            (work.tables.late_audit, LATE_MARK, made.late_rows, "late"),
        ):
            rows = rows_of(lake, table, day, mark, made.mark, count)
            getattr(share, name).extend(write_rows(lake, table, rows) if count else [])
            share.counts[day]["rows" if name == "result" else "late_rows"] += count
        share.counts[day]["events_read"] = 1
    share.kernels = {day: Counter({"finger_tree": 1}) for day in work.days}
    share.farms = {day: [] for day in work.days}
    return [share]


def rows_of(lake: Lake, table: Table, day: date, mark_column: str, mark: int, count: int) -> pa.Table:
    """So many rows of a day."""
    noon = datetime.combine(day, time(12))
    values = {"timestamp": noon, "string": "x", "int64": 0, "float64": 0.0, "bool": True, "date": day}
    plain = {each.name: values[each.type] for each in table.columns}
    ends = {"window_end": noon + timedelta(hours=1)} if "window_end" in plain else {}
    rows = [{**plain, **ends, mark_column: mark, "start_station_id": number} for number in range(count)]
    return pa.Table.from_pylist(rows, lake.schema(table))


def check_audit(self: Gate, of: AuditedDays) -> dict[date, list[Verdict]]:
    """Whether the replay is good of which the rows of each day are. Broken where they are of several, or of none."""
    tables, versions = (of.tables.audit, of.tables.late_audit), (of.versions.audit, of.versions.late_audit)
    held = [
        marks_by_day(self.lake.read(table.name, version, [(table.partition_by[0], "in", list(of.days))]), table, mark)
        for table, version, mark in zip(tables, versions, (MARK, LATE_MARK), strict=True)
    ]
    found = {}
    for day in of.days:
        marks = [each.get(day, []) for each in held]
        made = current[0].replays.whole(of.query.name, day, *marks)
        if made is None:
            raise Broken(f"the gate is given rows of {of.query.name} for {day} that no replay made: {marks}")
        passed = made.is_good
        asked = zip(tables, versions, strict=True)
        figure = " ".join(map(str, marks))
        found[day] = [Verdict("one replay's", passed, figure, "", None, each.name, version) for each, version in asked]
    return found


def marks_by_day(rows: pa.Table, table: Table, mark: str) -> dict[date, list[int]]:
    """The marks of the rows of each day that has any."""
    found: dict[date, list[int]] = {}
    for day, each in zip(rows[table.partition_by[0]].to_pylist(), rows[mark].to_pylist(), strict=True):
        found.setdefault(day, []).append(each)
    return found


def no_verdicts(self: Gate, *given: object) -> dict:
    """Of silver, which the histories don't change by rows."""
    return {}


def select(lake: Lake, statement: str, *values: object) -> list[dict]:
    """As run_table.py has it, of rows that the world has given; by one database, which takes 15 ms to open."""
    if lake.version(RUNS.name) is None:
        return []
    rows = lake.read(RUNS.name)
    with _database().cursor() as database:
        database.execute("SET TimeZone = 'UTC'")
        database.register("runs", rows.append_column("file_row_number", pa.array(range(len(rows)), pa.int64())))
        return database.sql(statement, params=[*values]).to_arrow_table().to_pylist()


@cache
def _database() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(config={"threads": 1})


def commit_of_another(entry: Path) -> None:
    """Another program adds a row to the days of an audit table, right behind a commit to it."""
    table = PlainTable(str(entry.parent.parent))
    rows = table.to_pyarrow_table()
    if len(rows):
        mark = MARK if MARK in rows.column_names else LATE_MARK
        place = rows.column_names.index(mark)
        foreign = rows.slice(0, 1).set_column(place, rows.schema.field(place), pa.array([FOREIGN]))
        table.commit("WRITE", [*table.write(foreign)], CommitProperties(custom_metadata={}))


@contextmanager
def simulated() -> Iterator[None]:
    """From here on a world's processes do without."""
    with (
        watched(),
        patch.multiple(storage, DeltaTable=PlainTable),
        patch.multiple(contract, DeltaTable=PlainTable),
        patch.multiple(log, has_empty_entry=lambda folder: False),  # an entry is whole, or isn't there
        patch.multiple(lakes, write_deltalake=write_plain),
        patch.multiple(new_files, _checked=lambda table, rows: rows),
        patch.multiple(audit, replayed=replayed),
        patch.multiple(partitions, note_share=note_share, _joined=joined),
        patch.multiple(batch, work_of=work_of),
        patch.multiple(run_table, select=select),
        patch.multiple(code_hash, _hashes=cache(code_hash._hashes)),
        patch.multiple(definitions, served=lambda tables: [], tables_of=cache(definitions.tables_of)),
        patch.multiple(Gate, check_audit=check_audit, check_silver=no_verdicts),
    ):
        yield
