"""A year of runs, and what maintenance leaves of it: `make bench-upkeep`, or `python -m benchmarks.upkeep`.

Every query is published on every day of the year by the functions that a run commits with, over rows of no meaning: its
four tables, the ledger and the verdicts, one commit each, and two more for the results, as of a writer that makes
three files. Printed is, before and after maintenance, how many files the fullest day of a table has, and how long the
ledger takes to read: the least of several times, since what else runs on the machine makes none faster.
"""

import argparse
import sys
import tempfile
import time
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pyarrow as pa

from benchmarks.pages import table
from benchmarks.processor import least_s
from windrow.pipelines import flow
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table, verdicts
from windrow.pipelines.ledger.entry import Run
from windrow.pipelines.ledger.verdicts import Verdict
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.upkeep.maintain import maintain
from windrow.schemas import registry
from windrow.schemas.ledger_tables import RUNS, VERDICTS
from windrow.schemas.tables import Table

FIRST_DAY, CHECKS, PARTS = date(2018, 1, 1), 14, 3
MOST_FILES, MOST_READ_S = 2, 0.2
"""Of a day and table, and to read the ledger, both after maintenance."""


def simulate(config: Config, days: int) -> None:
    """Publish every query on so many days."""
    lake, queries = Lake(config), [QueryTables.of(query) for query in registry.queries().values()]
    for tables in queries:
        for each in (tables.audit, tables.late_audit, tables.late, tables.results):
            lake.ensure(each)
    for number in range(days):
        for tables in queries:
            _run(lake, tables, FIRST_DAY + timedelta(days=number))


def _run(lake: Lake, tables: QueryTables, day: date) -> None:
    run = Run(run_table.new_run_id(tables.query.name, day), tables.source.stream.name, tables.query.name, day)
    lake = lake.committing(run_id=run.run_id)
    with run_table.recording(lake) as recording:
        with recording.steps([run], "audit") as entries:
            entry = entries[run]
            _begin(entry, flow.CHECK_SILVER, flow.REPLAY)
            entry.inputs = _inputs(day)
            made = {"audit": _commit(lake, tables.audit, day), "late_audit": _commit(lake, tables.late_audit, day)}
            entry.outputs = {**made, "silver": 1, "passes": 1, "snapshot": "0" * 60}
            entry.counts = {"rows": 1, "late_rows": 1, "keys": 1}
        with recording.steps([run], "publish") as entries:
            entry = entries[run]
            _begin(entry, flow.GATE, flow.PUBLISH)
            entry.inputs = {**made, "silver": 1, "passes": 1, "snapshot": "0" * 60}
            verdicts.write(lake, run, {day: _verdicts(tables, made["audit"])}, "0" * 60)
            entry.outputs = {table.name: _commit(lake, table, day) for table in (tables.late, tables.results)}
            for _ in range(PARTS - 1):
                lake.append(tables.results, [_row(lake, tables.results, day)])
            entry.counts = {tables.results.name: PARTS, tables.late.name: 1}


def _begin(entry: run_table.LedgerEntry, *stages: flow.Stage) -> None:
    note = entry.stages.following(lambda text: None)
    for stage in stages:
        note(stage.name)


def _inputs(day: date) -> dict:
    """As of a look-back of two days."""
    read = [str(day - timedelta(days=1)), str(day)]
    digests = {each: {"silver": "0" * 64, "pass": "0" * 64} for each in read}
    return {"first_arrival_day": read[0], "last_arrival_day": read[1], "days": digests}


def _verdicts(tables: QueryTables, version: int) -> list[Verdict]:
    return [Verdict(f"check {number}", True, "0", "0", None, tables.audit.name, version) for number in range(CHECKS)]


def _commit(lake: Lake, table: Table, day: date) -> int:
    return lake.replace(table, {table.partition_by[0]: [day]}, [_row(lake, table, day)])


def _row(lake: Lake, table: Table, day: date) -> dict:
    """A row that fulfils the table's constraints."""
    schema = lake.schema(table)
    row = {field.name: None if field.nullable else _value(field.type, day) for field in schema}
    if "window_end" in row:
        row |= {"window_end": row["window_start"] + timedelta(hours=1), "late_events": 0}
    return row


def _value(kind: pa.DataType, day: date) -> object:
    if pa.types.is_timestamp(kind):
        return datetime(day.year, day.month, day.day, tzinfo=UTC)
    return day if pa.types.is_date(kind) else "0" if pa.types.is_string(kind) else 1


def most_files_of_a_day(lake: Lake, name: str) -> int:
    """Files of the fullest day; of a table that isn't partitioned by days all of its files."""
    actions = lake.add_actions(name)
    days = [column for column in actions.column_names if column.startswith("partition.")]
    return max(actions.group_by(days).aggregate([([], "count_all")])["count_all"].to_pylist(), default=0)


def measured(lake: Lake, when: str, repeats: int) -> dict:
    """A row of the printed table."""
    files = {name: most_files_of_a_day(lake, name) for name in lake.names()}
    of_days = max(count for name, count in files.items() if name not in (RUNS.name, VERDICTS.name))
    return {
        "when": when,
        "files of the fullest day": of_days,
        "files of runs": files[RUNS.name],
        "files of verdicts": files[VERDICTS.name],
        "steps of runs": len(run_table.rows(lake)),
        "ms to read its rows": 1e3 * least_s(lambda: lake.read(RUNS.name), repeats, time.perf_counter),
        "ms to read its steps": 1e3 * least_s(lambda: run_table.rows(lake), repeats, time.perf_counter),
    }


def main(arguments: list[str]) -> list[dict]:
    """Print the figures as a table; returns its rows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.upkeep", description=__doc__)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--repeats", type=int, default=7)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        config = Config(Path(folder) / "home", Path(folder) / "landing")
        simulate(config, options.days)
        found = [measured(Lake(config), "before maintenance", options.repeats)]
        began = time.perf_counter()
        maintain(config, timedelta(days=7), False, lambda name: None)
        seconds = time.perf_counter() - began
        found.append(measured(Lake(config), "after maintenance", options.repeats))
    print(table(found))
    print(f"maintenance took {seconds:.1f} s; at most {MOST_FILES} files and {1e3 * MOST_READ_S:.0f} ms are asked for")
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
