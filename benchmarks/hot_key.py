"""One key with nine tenths of the events, replayed on one core and on two: `make bench-hot-key`.

Five million generated events of one day, in silver's files. A kernel can't use a second core for one key: the key is
cut along time. Each round is the tasks of a replay in a session that is warm, without commits; in seconds of wall time,
since processor seconds don't show what runs at the same time. Sessions on one core and on two take turns.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from benchmarks.calls import DAY, QUERY, Calls, registered, rows
from benchmarks.pages import table
from windrow.pipelines.config import REPOSITORY, Config
from windrow.pipelines.delta.file_commits import replace_partitions
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.new_files import write_rows
from windrow.pipelines.engines import engine_of
from windrow.pipelines.replay import audit
from windrow.pipelines.replay.watermark import ticks_of_events
from windrow.pipelines.replay.work import LookBack, Work
from windrow.pipelines.rows.arrays import stored
from windrow.pipelines.tables.arrival_days import day_start_us
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas.tables import silver_table

HOME = REPOSITORY / "var" / "hot-key"
PAGE = REPOSITORY / "docs" / "benchmarks" / "hot-key.md"
CALLS, BUCKETS = Calls(5_000_000, 1_000, 0.9), 4
SESSIONS, ROUNDS = 3, 4
TARGET = 1.7


def build(config: Config) -> None:
    """Silver, sorted as an ingest sorts it."""
    shutil.rmtree(config.home, ignore_errors=True)
    stream = registered(BUCKETS)
    lake, silver = Lake(config), silver_table(stream)
    lake.ensure(silver)
    order = [(name, "ascending") for name in (*silver.partition_by, *silver.sort_by)]
    written = write_rows(lake, silver, rows(CALLS, stream).sort_by(order))
    replace_partitions(lake, silver, "arrival_date", [DAY], written)


def work_of_day(lake: Lake, tables: QueryTables) -> Work:
    """The whole day, and nothing before it."""
    silver = "silver_calls"
    read = lake.read(silver, columns=["start", "arrival"])
    start_us, arrival_us = (stored(read[name]) for name in ("start", "arrival"))
    back = LookBack(DAY, DAY, None, DAY, day_start_us(DAY))
    ticks = ticks_of_events(arrival_us, start_us)
    return Work(tables, (back,), ticks, lake.existing_version(silver))


def measured(config: Config) -> dict:
    """Rounds of the tasks, after one that loads kernels and starts workers."""
    registered(BUCKETS)
    lake, engine = Lake(config), engine_of(config)
    tables = QueryTables.of(QUERY)
    for each in (tables.audit, tables.late_audit):
        lake.ensure(each)
    work = work_of_day(lake, tables)
    seconds, made, tasks = [], 0, 0
    for _ in range(ROUNDS + 1):
        began = time.monotonic()
        written = audit.replayed(lake, engine, work)
        seconds.append(time.monotonic() - began)
        made, tasks = sum(each.counts[DAY]["rows"] for each in written), len(written)
    return {"seconds": seconds[1:], "rows": made, "tasks": tasks}


def on_cores(cores: int) -> dict:
    """In a fresh process on so many cores."""
    settings = os.environ | {"WINDROW_ENGINE": "spark", "WINDROW_SPARK_MASTER": f"local[{cores}]"}
    words = [sys.executable, "-m", "benchmarks.hot_key", "--measure"]
    ended = subprocess.run(words, env=settings, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    return json.loads(ended.stdout.splitlines()[-1])


def in_turns() -> dict[int, dict]:
    """By number of cores what all its sessions measured."""
    found: dict[int, dict] = {}
    for cores in [1, 2] * SESSIONS:
        measured_now = on_cores(cores)
        found.setdefault(cores, {**measured_now, "seconds": []})["seconds"] += measured_now["seconds"]
    return found


def main() -> None:
    """Measure, print and write the page."""
    build(Config(HOME, HOME / "landing"))
    found = in_turns()
    assert found[1]["rows"] == found[2]["rows"]
    by_cores = [
        {"cores": cores, "tasks": each["tasks"], "wall, s (median)": median(each["seconds"])}
        for cores, each in found.items()
    ]
    ratio = median(found[1]["seconds"]) / median(found[2]["seconds"])
    text = "\n\n".join([
        "# One key with nine tenths of the events", "<!-- Made by `make bench-hot-key`. -->",
        f"{CALLS.events:,} generated events of one day, {CALLS.hot_share:.0%} of them of one key of "
        f"{CALLS.antennas:,}; {found[2]['rows']:,} rows. The tasks of the replay, without commits, on "
        f"{datetime.now(UTC):%Y-%m-%d}.",
        table(by_cores), f"Two cores are **{ratio:.2f} times** as fast as one (target {TARGET}).", ""])  # fmt: skip
    PAGE.write_text(text)
    print(text)


if __name__ == "__main__":
    if "--measure" in sys.argv:
        print(json.dumps(measured(Config(Path(HOME), Path(HOME, "landing")))))
    else:
        main()
