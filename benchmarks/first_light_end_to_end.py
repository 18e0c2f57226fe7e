"""First light, end to end: silver to Delta by Windrow's replay stage and by Spark's own `window()`, in one session.

    python -m benchmarks.first_light_end_to_end [--trips 100000] [--stations 60] [--days 14] [--rounds 2]
                                                [--data ../shared/data]

The window of `bikes_demand` (1 day by 5 minutes; sum, max, count) over the same rows of one silver table. Windrow
replays the whole span as one interval, since Spark's way also sees all of it at once, and ends the stream at the last
arrival, so that its last revisions are Spark's rows; that they are is checked. Two emits are measured:
every revision, which is what `bikes_demand` publishes and more than Spark makes, and `final`, the very rows of Spark.
All ways run once to warm up and then in turn; a ratio compares the runs of one round.

Starts are even over span and stations; a trip arrives when it ends, and durations are real ones of New York where
the files are there. Trips of a day or more are left out: after the allowed lateness Windrow puts them into its late
table, and Spark's way has no such thing.
"""

import argparse
import os
import platform
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from statistics import median

import duckdb
import pyarrow as pa
import pyspark
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from benchmarks.first_light_trips import Sizes, Trips, make_trips, silver_rows
from benchmarks.processor import timed
from windrow.pipelines.config import REPOSITORY, Config
from windrow.pipelines.delta.file_commits import replace_partitions
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.engines.spark import spark_session as spark
from windrow.pipelines.engines.spark.settings import MASTER, settings
from windrow.pipelines.ingest import partitions
from windrow.pipelines.replay import audit
from windrow.pipelines.replay.events_by_key import EventsOfKeys, QueryEvents
from windrow.pipelines.replay.replay_events import late_events, replay_events
from windrow.pipelines.replay.watermark import PassTable
from windrow.pipelines.replay.work import ORDER_COLUMNS, LookBack, Work
from windrow.pipelines.tables.arrival_days import DAY_US, EPOCH_DATE, ArrivalDays
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas.queries.bikes_demand import QUERY
from windrow.schemas.query import Query, agg
from windrow.schemas.streams.bikes import STREAM
from windrow.schemas.tables import pass_table, silver_table

DATA = REPOSITORY.parent / "shared" / "data"
AGGREGATES = {"trips": agg("count"), "total_s": agg("sum", "trip_duration_s"),
              "longest_s": agg("max", "trip_duration_s")}  # fmt: skip
EVERY_REVISION = replace(QUERY, name="demand_revisions", aggregates=AGGREGATES)
FINAL_ROWS = replace(QUERY, name="demand_final", aggregates=AGGREGATES, emit="final")
BY_SPARK = "demand_by_spark"
COMPARED = ("start_station_id", "window_start", "window_end", *AGGREGATES)
TARGET = 5


@dataclass
class Measured:
    """By way: wall seconds of each round, rows of its table, and rows that Spark's way has otherwise or not at all."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    differing: dict[str, int] = field(default_factory=dict)

    def ratios(self, way: str) -> list[float]:
        """Spark's seconds by this way's, round by round."""
        return [theirs / ours for theirs, ours in zip(self.seconds[BY_SPARK], self.seconds[way], strict=True)]


def build(config: Config, trips: Trips) -> None:
    """Write silver and its pass ticks."""
    _write(config, silver_table(STREAM), silver_rows(trips))
    with duckdb.connect() as database:
        database.execute("SET TimeZone = 'UTC'")
        database.register("silver", Lake(config).dataset(silver_table(STREAM).name))
        _write(config, pass_table(STREAM), partitions.staircases(database))


def _write(config: Config, table, rows: pa.Table) -> None:
    Lake(config).ensure(table)
    Lake(config).append(table, rows)


def whole_span(config: Config, query: Query) -> Work:
    """All days at once; the stream ends with its last arrival."""
    silver = silver_table(STREAM).name
    days = sorted(Lake(config).partition_dates(silver))
    version = Lake(config).existing_version(pass_table(STREAM).name)
    ticks = PassTable(Lake(config), StreamTables.of(STREAM), version, ArrivalDays({})).ticks(days[0], days[-1])
    last = Lake(config).read(silver, filters=[("arrival_date", "=", days[-1])], columns=["arrival"])
    from_us = (days[0] - EPOCH_DATE).days * DAY_US
    last_tick_us = int(last["arrival"].cast(pa.int64()).to_numpy().max())
    backs = (LookBack(day, day, None, days[0], from_us, last_tick_us if day == days[-1] else None) for day in days)
    return Work(QueryTables.of(query), tuple(backs), ticks, Lake(config).existing_version(silver))


def by_windrow(config: Config, query: Query) -> None:
    """The product's stage: buckets to tasks, kernel, Arrow, and the commit that replaces the interval's rows."""
    lake, work = Lake(config), whole_span(config, query)
    files = [file for each in audit.replayed(lake, engine_of(config), work) for file in each.result]
    replace_partitions(
        lake, work.tables.audit, "emitted_date", {file.partition["emitted_date"] for file in files}, files
    )


def by_spark(config: Config) -> None:
    """Spark's own way: every row copied into its 288 windows, then grouped.

    Seen in thread dumps: so many copies are too much for whole-stage code generation, so Expand and the first
    aggregation run operator by operator.
    """
    silver = silver_frame(config)  # which starts the session that columns need
    window = window_of_demand(F.col("start")).alias("window")
    rows = rows_of_windows(silver.groupBy("start_station_id", window).agg(*counted()))
    rows.write.format("delta").mode("overwrite").save(str(config.lake / BY_SPARK))


def counted() -> tuple[Column, ...]:
    """The aggregates."""
    seconds = F.col("trip_duration_s")
    return F.count(F.lit(1)).alias("trips"), F.sum(seconds).alias("total_s"), F.max(seconds).alias("longest_s")


def rows_of_windows(made: DataFrame) -> DataFrame:
    """Rows with a column `window`, with its bounds instead."""
    bounds = F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end")
    return made.select("start_station_id", *bounds, *AGGREGATES)


def window_of_demand(time: Column) -> Column:
    """The windows of `bikes_demand` that hold a time, by Spark's own `window()`."""
    return F.window(
        time, *(f"{span // timedelta(minutes=1)} minutes" for span in (QUERY.window.size, QUERY.window.slide))
    )


def silver_frame(config: Config) -> DataFrame:
    """The table of silver, read by Spark's Delta."""
    return spark.session(config).read.format("delta").load(str(config.lake / silver_table(STREAM).name))


def measure(config: Config, rounds: int) -> Measured:
    """Run all ways once unmeasured, then in turn, and compare their rows."""
    ways: dict[str, Callable[[], None]] = {
        query.name: partial(by_windrow, config, query) for query in (EVERY_REVISION, FINAL_ROWS)
    }
    for query in (EVERY_REVISION, FINAL_ROWS):
        Lake(config).ensure(QueryTables.of(query).audit)
    ways[BY_SPARK] = partial(by_spark, config)
    for way in ways.values():
        way()
    found = Measured(seconds={name: [] for name in ways})
    for _ in range(rounds):
        for name, way in ways.items():
            found.seconds[name].append(_seconds(way))
    found.rows = {name: Lake(config).dataset(_table(name)).count_rows() for name in ways}
    found.differing = {name: differing(config, name) for name in ways if name != BY_SPARK}
    return found


def _table(way: str) -> str:
    return way if way == BY_SPARK else f"{way}_audit"


def _seconds(work: Callable[[], object]) -> float:
    return timed(work, time.perf_counter)[0]


def differing(config: Config, way: str) -> int:
    """Rows that only one of the two has: last revisions of a Windrow way, and Spark's rows."""
    columns = ", ".join(COMPARED)
    with duckdb.connect() as database:
        database.register("ours", Lake(config).dataset(_table(way)))
        database.register("theirs", Lake(config).dataset(BY_SPARK))
        database.execute(f"""
            CREATE TABLE last AS SELECT {columns} FROM ours
            QUALIFY revision = max(revision) OVER (PARTITION BY start_station_id, window_start);
            CREATE TABLE spark AS SELECT {columns} FROM theirs""")
        return database.sql("""SELECT count(*) FROM ((FROM last EXCEPT ALL FROM spark)
                               UNION ALL (FROM spark EXCEPT ALL FROM last))""").fetchall()[0][0]


def parts(config: Config) -> dict[str, float]:
    """Seconds of the stage's parts, each done once on its own for every revision."""
    query = EVERY_REVISION
    work = whole_span(config, query)
    columns = list(dict.fromkeys((*query.read_columns, *ORDER_COLUMNS)))
    silver = silver_table(STREAM).name
    read_s, events = timed(lambda: Lake(config).read(silver, columns=columns), time.perf_counter)
    rules = work.served[0].rules(work.backs[-1].last_tick_us)

    def replay_one_thread() -> None:
        replay_events(QueryEvents.of(events, query), work.served, work.ticks, rules)

    def late_one_thread() -> None:
        late_events(EventsOfKeys.of(events, query), work.served, work.ticks)

    replay_one_thread()  # this process has not loaded the kernel: only Spark's workers have
    return {
        "read silver": read_s,
        "group, kernel and rows to Arrow, one thread": _seconds(replay_one_thread),
        "late table, one thread": _seconds(late_one_thread),
        "the stage without its commit": _seconds(partial(audit.replayed, Lake(config), engine_of(config), work)),
    }


def machine(config: Config) -> str:
    """What was measured, and on what."""
    commit = (
        subprocess.run(
            ["git", "describe", "--always", "--dirty"], cwd=REPOSITORY, capture_output=True, text=True, check=False
        ).stdout.strip()
        or "unknown"
    )
    compiler = "C1 ONLY, NO MEASUREMENT" if "TieredStopAtLevel" in config.java_options else "C2"
    return (
        f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {platform.machine()}, "
        f"Python {platform.python_version()}, Spark {pyspark.__version__} {settings(config)[MASTER]}, "
        f"Java compiler {compiler}, commit {commit}"
    )


def report(found: Measured, trips: int) -> list[str]:
    """Lines: each way, then ratios against the target, then whether the rows agree."""
    lines = [
        f"{name:<17} {median(seconds):7.2f} s ({', '.join(f'{each:.2f}' for each in seconds)})  "
        f"{trips / median(seconds) / 1e6:6.3f} M trips/s  {found.rows[name]:>11,} rows  "
        f"{found.rows[name] / median(seconds) / 1e6:6.3f} M rows/s"
        for name, seconds in found.seconds.items()
    ]
    for name, count in found.differing.items():
        ratios = found.ratios(name)
        lines.append(
            f"{name}: {min(ratios):.2f} / {median(ratios):.2f} / {max(ratios):.2f} times as fast as "
            f"window() (least, median, most; target {TARGET}); {count:,} last rows differ from Spark's"
        )
    return lines


def run(sizes: Sizes | None = None, data: Path = DATA) -> Measured:
    """Measure in a folder of its own, print the lines, and return the figures."""
    chosen = sizes or Sizes()
    with tempfile.TemporaryDirectory() as folder:
        config = Config(Path(folder) / "home", Path(folder) / "landing")
        trips, source = make_trips(chosen, data)
        build(config, trips)
        print(f"{chosen.trips:,} trips, {chosen.stations} stations, {chosen.days} days; {source}", flush=True)
        print(machine(config), flush=True)
        found = measure(config, chosen.rounds)
        lines = [f"  {name}: {seconds:.2f} s" for name, seconds in parts(config).items()]
        print(*report(found, chosen.trips), f"where {EVERY_REVISION.name} spends it:", *lines, sep="\n", flush=True)
        spark.session(config).stop()  # it keeps files in the folder
    return found


def main(arguments: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in vars(Sizes()).items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--data", type=Path, default=DATA)
    chosen = vars(parser.parse_args(arguments))
    data = chosen.pop("data")
    run(Sizes(**chosen), data)


if __name__ == "__main__":
    main()
