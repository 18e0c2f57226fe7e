"""What it costs to plan a replay in a lake of 1 TB: `make bench-plan`.

The lake is only its metadata: Delta's log names 10,000 files of 1,000 days, 100 MB and a million events each, which
there are not; pass ticks, one a second, are there for the days that the replay looks back on. What is measured is a
fresh process of `windrow replay --explain`: its wall time and its peak memory.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from datetime import date, timedelta

import numpy as np
import pyarrow as pa

from benchmarks.processor import peak_mib
from windrow.pipelines.config import REPOSITORY, Config
from windrow.pipelines.delta.file_commits import append_files
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import NewFile
from windrow.pipelines.ledger import run_table, snapshots
from windrow.pipelines.ledger.entry import Run
from windrow.pipelines.rows.arrays import times
from windrow.pipelines.runs.explain import explain
from windrow.pipelines.tables.arrival_days import day_start_us
from windrow.pipelines.tables.stream_tables import Snapshot, StreamTables
from windrow.schemas import registry

HOME = REPOSITORY / "var" / "plan"
QUERY, DAY = "bikes_demand", date(2018, 11, 4)
DAYS, FILES_PER_DAY, FILE_BYTES, EVENTS_PER_FILE = 1_000, 10, 100_000_000, 1_000_000
DAYS_PER_COMMIT, TICK_DAYS, SECONDS_PER_DAY = 50, 3, 86_400
MOST_SECONDS, MOST_MIB = 5.0, 500.0


def build(config: Config) -> None:
    """The tables' logs, rows of the small ones, and the ledger's row of an ingest that left them."""
    shutil.rmtree(config.home, ignore_errors=True)
    lake, tables = Lake(config), StreamTables.of(registry.stream(registry.query(QUERY).stream))
    for table in tables.all:
        lake.ensure(table)
    days = [DAY - timedelta(days=back) for back in reversed(range(DAYS))]
    for first in range(0, DAYS, DAYS_PER_COMMIT):
        of_commit = days[first : first + DAYS_PER_COMMIT]
        append_files(lake, tables.silver, [_file(tables, day, n) for day in of_commit for n in range(FILES_PER_DAY)])
    lake.append(tables.passes, pa.concat_tables(_ticks(day) for day in days[-TICK_DAYS:]))
    lake.append(tables.partitions, _noted(lake, tables, days))
    with run_table.step(lake, Run("made", tables.stream.name), "ingest") as entry:
        entry.outputs = snapshots.outputs(Snapshot.taken(lake, tables))


def _file(tables: StreamTables, day: date, number: int) -> NewFile:
    partition = {"arrival_date": str(day), "bucket": str(number % tables.stream.buckets)}
    folder = "".join(f"{name}={value}/" for name, value in partition.items())
    least, greatest = {"start": f"{day}T00:00:00.000Z"}, {"start": f"{day}T23:59:59.999Z"}
    statistics = {"numRecords": EVENTS_PER_FILE, "minValues": least, "maxValues": greatest, "nullCount": {}}
    return NewFile(f"{folder}part-{number}.parquet", FILE_BYTES, EVENTS_PER_FILE, partition, json.dumps(statistics))


def _ticks(day: date) -> pa.Table:
    tick_us = day_start_us(day) + np.arange(SECONDS_PER_DAY) * 1_000_000
    dates = pa.array([day] * SECONDS_PER_DAY)
    return pa.table({"tick": times(tick_us), "newest_start": times(tick_us - 1), "arrival_date": dates})


def _noted(lake: Lake, tables: StreamTables, days: list) -> list[dict]:
    version = lake.existing_version(tables.silver.name)
    return [
        {
            "arrival_date": day,
            "events": FILES_PER_DAY * EVENTS_PER_FILE,
            "newest_start": times(np.array([day_start_us(day) + (SECONDS_PER_DAY - 60) * 1_000_000]))[0].as_py(),
            "silver_digest": "made",
            "pass_digest": "made",
            "silver_version": version,
        }
        for day in days
    ]


def measured() -> dict:
    """In this process, which has done nothing else."""
    planned, tasks = explain(Config(HOME, HOME / "landing"), QUERY, DAY)
    return {"planned": planned | {"tasks": [kind._asdict() for kind in tasks]}, "peak, MiB": peak_mib(os.getpid())}


def main() -> None:
    """Measure and print."""
    build(Config(HOME, HOME / "landing"))
    began = time.monotonic()
    words = [sys.executable, "-m", "benchmarks.plan_at_scale", "--measure"]
    ended = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    seconds, found = time.monotonic() - began, json.loads(ended.stdout.splitlines()[-1])
    print(json.dumps(found["planned"], indent=1))
    print(f"{seconds:.1f} s (most {MOST_SECONDS:.0f}), {found['peak, MiB']:.0f} MiB at its peak (most {MOST_MIB:.0f})")
    if seconds > MOST_SECONDS or found["peak, MiB"] > MOST_MIB:
        sys.exit(1)


if __name__ == "__main__":
    if "--measure" in sys.argv:
        print(json.dumps(measured(), default=str))
    else:
        main()
