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
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from statistics import median

import numpy as np
import pyarrow as pa

from benchmarks.markdown import table
from pipelines.config import REPOSITORY, Config
from pipelines.engines import engine_of
from pipelines.lake.arrays import times
from pipelines.lake.file_commits import replace_partitions
from pipelines.lake.lake import Lake
from pipelines.lake.new_files import write_rows
from pipelines.lake.query_tables import QueryTables
from pipelines.replay import audit
from pipelines.replay.look_back import LookBack
from pipelines.replay.specifications import ServedQuery
from pipelines.replay.watermark import DAY_US, day_start_us, ticks_of_events
from schemas import registry
from schemas.query import Query, agg, sliding
from schemas.stream import Column, Stream
from schemas.tables import silver_table

HOME = REPOSITORY / "var" / "hot-key"
PAGE = REPOSITORY / "docs" / "benchmarks" / "hot-key.md"
EVENTS, KEYS, HOT_SHARE = 5_000_000, 1_000, 0.9
SESSIONS, ROUNDS = 3, 4
DAY = date(2024, 3, 9)
TARGET = 1.7
STREAM = Stream(
    name="calls",
    title="generated",
    source="generated",
    layouts=(),
    columns=(Column("antenna", "string", "where"), Column("seconds", "int64", "how long", "s")),
    key=("antenna",),
    buckets=4,
    ahead_at_most=timedelta(0),
    zone="UTC",
    clock_rule="UTC",
    first_day=DAY,
)
AGGREGATES = {"calls": agg("count"), "total": agg("sum", "seconds"), "longest": agg("max", "seconds")}
QUERY = Query(
    "calls_by_minute",
    "calls",
    ("antenna",),
    sliding(timedelta(minutes=10), timedelta(minutes=1)),
    AGGREGATES,
    timedelta(minutes=5),
    timedelta(hours=1),
)


def events() -> pa.Table:
    """Silver's rows: most of one antenna, a little late, spread over the day."""
    chance = np.random.default_rng(1)
    arrival_us = day_start_us(DAY) + np.sort(chance.integers(0, DAY_US, EVENTS))
    start_us = np.maximum(arrival_us - chance.exponential(60e6, EVENTS).astype(np.int64), day_start_us(DAY))
    key = np.where(chance.random(EVENTS) < HOT_SHARE, 0, chance.integers(1, KEYS, EVENTS))
    names = pa.array([f"antenna-{number:04}" for number in range(KEYS)])
    count = np.arange(EVENTS)
    return pa.table({
        "antenna": names.take(pa.array(key)), "seconds": chance.integers(1, 3_600, EVENTS),
        "start": times(start_us), "end": times(start_us), "arrival": times(arrival_us),
        "path": pa.array(["calls.csv"]).take(pa.array(np.zeros(EVENTS, np.int64))), "line": count + 1,
        "reading": np.zeros(EVENTS, np.int64), "identity": pa.nulls(EVENTS, pa.string()),
        "definition": pa.array(["made"]).take(pa.array(np.zeros(EVENTS, np.int64))),
        "arrival_date": pa.array([DAY]).take(pa.array(np.zeros(EVENTS, np.int64))), "bucket": key % STREAM.buckets,
    })  # fmt: skip


def build(config: Config) -> None:
    """Silver, sorted as an ingest sorts it."""
    shutil.rmtree(config.home, ignore_errors=True)
    lake, silver = Lake(config), silver_table(STREAM)
    lake.ensure(silver)
    order = [(name, "ascending") for name in (*silver.partition_by, *silver.sort_by)]
    replace_partitions(lake, silver, "arrival_date", [DAY], write_rows(lake, silver, events().sort_by(order)))


def look_back(lake: Lake) -> LookBack:
    """The whole day, and nothing before it."""
    silver = silver_table(STREAM).name
    rows = lake.read(silver, columns=["start", "arrival"])
    start_us, arrival_us = (rows[name].cast(pa.int64()).to_numpy() for name in ("start", "arrival"))
    from_us = day_start_us(DAY)
    ticks = ticks_of_events(arrival_us, start_us)
    return LookBack(DAY, from_us, from_us + DAY_US, None, DAY, ticks, lake.existing_version(silver), from_us)


def measured(config: Config) -> dict:
    """Rounds of the tasks, after one that loads kernels and starts workers."""
    registry.streams()[STREAM.name] = STREAM
    lake, engine = Lake(config), engine_of(config)
    tables = QueryTables.of(QUERY)
    for each in (tables.audit, tables.late_audit):
        lake.ensure(each)
    work = audit.work_of(lake, tables, ServedQuery.of(QUERY), look_back(lake))
    seconds, rows, tasks = [], 0, 0
    for _ in range(ROUNDS + 1):
        began = time.monotonic()
        written = audit.replayed(lake, engine, tables, work)
        seconds.append(time.monotonic() - began)
        rows, tasks = sum(each.counts["rows"] for each in written), len(written)
    return {"seconds": seconds[1:], "rows": rows, "tasks": tasks}


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
    rows = [
        {"cores": cores, "tasks": each["tasks"], "wall, s (median)": median(each["seconds"])}
        for cores, each in found.items()
    ]
    ratio = median(found[1]["seconds"]) / median(found[2]["seconds"])
    text = "\n\n".join([
        "# One key with nine tenths of the events", "<!-- Made by `make bench-hot-key`. -->",
        f"{EVENTS:,} generated events of one day, {HOT_SHARE:.0%} of them of one key of {KEYS:,}; "
        f"{found[2]['rows']:,} rows. The tasks of the replay, without commits, on {datetime.now(UTC):%Y-%m-%d}.",
        table(rows), f"Two cores are **{ratio:.2f} times** as fast as one (target {TARGET}).", ""])  # fmt: skip
    PAGE.write_text(text)
    print(text)


if __name__ == "__main__":
    if "--measure" in sys.argv:
        print(json.dumps(measured(Config(Path(HOME), Path(HOME, "landing")))))
    else:
        main()
