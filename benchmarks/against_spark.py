"""Windrow's replay against Spark's own windows, for the page of against_spark_page.py.

The same silver, read from one Delta table; each way's rows are committed to a Delta table; one session with one master
for all ways of a case. Each way runs once to warm up, then all run in each round in another order. Costs are
processor seconds of this process, the JVM and Spark's Python workers. The last rows of both sides are compared, all of
them. That a frame costs as much as it has rows is shown by stations that are busier and busier.
"""

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

import duckdb

from benchmarks import spark_ways
from benchmarks.first_light_end_to_end import (
    AGGREGATES,
    BY_SPARK,
    DATA,
    EVERY_REVISION,
    FINAL_ROWS,
    QUERY,
    build,
    by_spark,
    by_windrow,
    machine,
)
from benchmarks.first_light_trips import Sizes, make_trips
from benchmarks.processor import Spent, spent
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines.spark import spark_session as spark
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas.query import rolling

LAST_DAY = replace(QUERY, name="last_day", window=rolling(timedelta(days=1)), aggregates=AGGREGATES, emit="final")
OURS = {query.name: query for query in (FINAL_ROWS, EVERY_REVISION, LAST_DAY)}
PANES, RANGE, TREES, WATERMARK, STATE, COPY = (
    "by_panes", "by_range", "by_range_trees", "by_watermark", "by_state", "copied",
)  # fmt: skip
TITLES = {
    FINAL_ROWS.name: "Windrow, the last rows only (emit `final`)",
    EVERY_REVISION.name: "Windrow, every revision, as `bikes_demand` publishes",
    LAST_DAY.name: "Windrow, rolling (emit `final`)",
    BY_SPARK: "`window()` over rows",
    PANES: "panes of 5 minutes, then `window()` over panes",
    WATERMARK: "`window()` in a stream, watermark, `availableNow`, one batch",
    RANGE: "`RANGE BETWEEN` the last day `AND CURRENT ROW`",
    TREES: "the same by segment trees",
    STATE: "`transformWithStateInPandas`, `availableNow`, one batch, pandas' rolling windows within",
    COPY: "no windows: silver's rows read, and written in as many columns",
}
ROUNDS = 3


class WindowsCase(NamedTuple):
    """Silver, and ways of both sides that make the same rows of it."""

    title: str
    sizes: Sizes
    ours: tuple[str, ...]
    theirs: tuple[str, ...]


ROLLING = (LAST_DAY.name,), (RANGE, TREES, STATE, COPY)
CASES = (
    WindowsCase(
        "A day by 5 minutes, a tenth of New York's stations",
        Sizes(100_000, 60, 14, ROUNDS),
        (FINAL_ROWS.name, EVERY_REVISION.name),
        (BY_SPARK, PANES, WATERMARK),
    ),
    WindowsCase(
        "The last day before each trip, all of New York's stations", Sizes(1_000_000, 600, 14, ROUNDS), *ROLLING
    ),
    WindowsCase(
        "The last day before each trip, 20 stations of 1,800 trips a day", Sizes(500_000, 20, 14, ROUNDS), *ROLLING
    ),
    WindowsCase(
        "The last day before each trip, 3 stations as busy as a meter that is read each 15 s",
        Sizes(250_000, 3, 14, ROUNDS),
        *ROLLING,
    ),
)


class Comparison(NamedTuple):
    """A way of ours and one of Spark's: how often its processor seconds are ours, last rows of ours that it has not,
    and rows of its that ours has otherwise or not at all."""

    ours: str
    theirs: str
    ratio: float
    missing: int
    differing: int


class MeasuredWindows(NamedTuple):
    """Of a case: what the rounds of each way took, the comparisons, and what only Windrow's rows say."""

    case: WindowsCase
    costs: dict[str, list[Spent]]
    comparisons: list[Comparison]
    corrected: str


def ways(config: Config) -> dict[str, Callable[[], object]]:
    """By name; each writes the table that `table_of` names."""
    return {
        **{name: partial(by_windrow, config, query) for name, query in OURS.items()},
        BY_SPARK: partial(by_spark, config),
        PANES: partial(spark_ways.by_panes, config, PANES),
        RANGE: partial(spark_ways.by_range, config, RANGE),
        TREES: partial(spark_ways.by_range_trees, config, TREES),
        WATERMARK: partial(streamed, config, spark_ways.by_watermark, WATERMARK),
        STATE: partial(streamed, config, spark_ways.by_state, STATE),
        COPY: partial(spark_ways.copied, config, COPY),
    }


def streamed(config: Config, way: Callable, name: str) -> None:
    """From the stream's beginning, into a new table."""
    folder = Path(config.home, "checkpoints", name)
    for made in (folder, Path(config.lake, name)):
        shutil.rmtree(made, ignore_errors=True)
    way(config, name, folder)


def table_of(way: str) -> str:
    """A way's table."""
    return f"{way}_audit" if way in OURS else way


def measured(config: Config, case: WindowsCase) -> dict[str, list[Spent]]:
    """Of each way, what its rounds took."""
    for name in case.ours:
        Lake(config).ensure(QueryTables.of(OURS[name]).audit)
    asked = {name: way for name, way in ways(config).items() if name in (*case.ours, *case.theirs)}
    for way in asked.values():
        way()
    found: dict[str, list[Spent]] = {name: [] for name in asked}
    names = list(asked)
    for number in range(case.sizes.rounds):
        # What a way leaves to the JVM to do is paid by the next one.
        for name in Random(number).sample(names, len(names)):
            found[name].append(spent(asked[name]))
    return found


def processor_s(rounds: list[Spent]) -> float:
    return median(each.processor_s for each in rounds)


def compared(config: Config, costs: dict[str, list[Spent]], ours: str, theirs: str) -> Comparison:
    """Of costs and rows."""
    return Comparison(
        ours, theirs, processor_s(costs[theirs]) / processor_s(costs[ours]), *rows_of(config, ours, theirs)
    )


def rows_of(config: Config, ours: str, theirs: str) -> tuple[int, int]:
    """Last rows of ours that Spark's way has not, and the other way round."""
    columns = ", ".join(["start_station_id", "window_end", *AGGREGATES])
    with duckdb.connect() as database:
        for name in (ours, theirs):
            database.register(name, Lake(config).dataset(table_of(name)))
        database.execute(f"""
            CREATE TABLE last AS SELECT {columns} FROM "{ours}"
            QUALIFY revision = max(revision) OVER (PARTITION BY start_station_id, window_end);
            CREATE TABLE spark AS SELECT {columns} FROM "{theirs}" """)
        both = [("last", "spark"), ("spark", "last")]
        counts = [f"SELECT count(*) FROM (FROM {one} EXCEPT ALL FROM {other})" for one, other in both]
        missing, differing = (database.sql(count).fetchall()[0][0] for count in counts)
        return missing, differing


def corrected(config: Config, case: WindowsCase) -> str:
    """What Spark's ways can't say of the same trips; nothing for a case without revisions."""
    if EVERY_REVISION.name not in case.ours:
        return ""
    with duckdb.connect() as database:
        database.register("rows", Lake(config).dataset(table_of(EVERY_REVISION.name)))
        counted = "count(*), count(*) FILTER (revision > 0), sum(late_events) FILTER (revision > 0)"
        rows, revised, late = database.sql(f"SELECT {counted} FROM rows").fetchall()[0]
    return (
        f"Of Windrow's {rows:,} rows {revised:,} correct an earlier answer, each with the moment from which it was "
        f"known; {late or 0:,} events came after the first answer of a window that counts them. `window()` and `RANGE` "
        "give one answer and don't say when it was known; a stream with a watermark writes a window once, and drops "
        "what comes later."
    )


def measure(case: WindowsCase, data: Path = DATA) -> tuple[MeasuredWindows, str]:
    """A case in a folder of its own, and what it was measured on."""
    with tempfile.TemporaryDirectory() as folder:
        config = Config(Path(folder) / "home", Path(folder) / "landing", asked_engine="spark")
        trips, source = make_trips(case.sizes, data)
        build(config, trips)
        costs = measured(config, case)
        comparable = [theirs for theirs in case.theirs if theirs != COPY]
        comparisons = [compared(config, costs, ours, theirs) for ours in case.ours for theirs in comparable]
        found = MeasuredWindows(case, costs, comparisons, corrected(config, case))
        spark.session(config).stop()  # it keeps files in the folder
        return found, f"Durations of {source}. {machine(config)}."
