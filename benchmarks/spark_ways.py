"""Windows by Spark's own means, over a table of silver: what Windrow's replay is measured against.

| way | what Spark does |
| --- | --- |
| `by_window` | `window()` of 1 day by 5 minutes: each row is copied into its 288 windows (first_light_end_to_end.py) |
| `by_panes` | rows are grouped into panes of 5 minutes first, and the panes are copied: Spark's best way |
| `by_range` | a RANGE frame of the last day, for each row |
| `by_range_trees` | the same by segment trees, which Spark has and doesn't use by default |
| `by_watermark` | `window()` in a stream with a watermark, `availableNow`, all files in one batch |
| `copied` | no windows: what it takes to read silver and to write its rows, as wide as those of `by_range` |
| `by_state` | `transformWithState`: the last day before each event, of a key's state, by pandas' rolling windows |
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

from benchmarks.first_light_end_to_end import counted, rows_of_windows, silver_frame, window_of_demand
from benchmarks.spark_settings import SEGMENT_TREE
from windrow.pipelines.config import Config
from windrow.pipelines.engines.spark import spark_session as spark
from windrow.schemas.queries.bikes_demand import QUERY
from windrow.schemas.streams.bikes import STREAM
from windrow.schemas.tables import silver_table

DAY_US = 86_400_000_000
MOST_FILES = 1_000_000
STATION, START, DURATION = "start_station_id", "start", "trip_duration_s"
ROLLING_ROWS = f"{STATION} BIGINT, window_end TIMESTAMP, trips BIGINT, total_s BIGINT, longest_s BIGINT"


def by_panes(config: Config, table: str) -> None:
    """Panes of a slide, then windows over panes."""
    pane = F.window(START, "5 minutes")
    panes = silver_frame(config).groupBy(STATION, pane.alias("pane")).agg(*counted())
    windows = panes.groupBy(STATION, window_of_demand(F.col("pane.start")).alias("window"))
    made = windows.agg(
        F.sum("trips").alias("trips"), F.sum("total_s").alias("total_s"), F.max("longest_s").alias("longest_s")
    )
    save(config, rows_of_windows(made), table)


def by_range(config: Config, table: str) -> None:
    """A frame for each row; of rows of one moment, which have one frame, one."""
    frame = Window.partitionBy(STATION).orderBy("start_us").rangeBetween(1 - DAY_US, 0)
    rows = silver_frame(config).withColumn("start_us", F.unix_micros(START))
    made = rows.select(
        STATION,
        F.timestamp_micros(F.col("start_us") + 1).alias("window_end"),  # the first moment after the event's
        F.count(F.lit(1)).over(frame).alias("trips"),
        F.sum(DURATION).over(frame).alias("total_s"),
        F.max(DURATION).over(frame).alias("longest_s"),
    )
    save(config, made.dropDuplicates([STATION, "window_end"]), table)


def by_range_trees(config: Config, table: str) -> None:
    """The same, but that a frame is asked of a tree over blocks of its key's rows."""
    session = spark.session(config)
    session.conf.set(SEGMENT_TREE, True)
    try:
        by_range(config, table)
    finally:
        session.conf.unset(SEGMENT_TREE)


def copied(config: Config, table: str) -> None:
    """Rows as wide as those of a frame."""
    made = [F.col(DURATION).alias(name) for name in ("trips", "total_s", "longest_s")]
    save(config, silver_frame(config).select(STATION, F.col(START).alias("window_end"), *made), table)


def by_watermark(config: Config, table: str, folder: Path) -> None:
    """Windows that the watermark has passed; all files are one batch, which is quickest."""
    rows = _stream(config).withWatermark(START, f"{QUERY.lateness.total_seconds():.0f} seconds")
    made = rows.groupBy(STATION, window_of_demand(F.col(START)).alias("window")).agg(*counted())
    _run(config, rows_of_windows(made), table, folder)


def by_state(config: Config, table: str, folder: Path) -> None:
    """All files in one batch, so that each key's state is read and written once."""
    made = (
        _stream(config)
        .select(STATION, START, DURATION)
        .groupBy(STATION)
        .transformWithStateInPandas(LastDay(), ROLLING_ROWS, "Append", "None")
    )
    # The only store that it takes; `window()` is quicker with the default one.
    store = "spark.sql.streaming.stateStore.providerClass"
    spark.session(config).conf.set(store, "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider")
    try:
        _run(config, made, table, folder)
    finally:
        spark.session(config).conf.unset(store)


class LastDay(StatefulProcessor):
    """The last day before each event of a key, of the events that came in this batch or are kept of those before."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.kept = handle.getListState("kept", f"{START} TIMESTAMP, {DURATION} BIGINT")

    def handleInputRows(self, key: Any, rows: Iterator[pd.DataFrame], timers: Any) -> Iterator[pd.DataFrame]:
        kept = pd.DataFrame(list(self.kept.get()), columns=[START, DURATION])
        new = pd.concat(rows)[[START, DURATION]]
        events = (pd.concat([kept, new]) if len(kept) else new).sort_values(START, kind="stable").set_index(START)
        last_day = events[DURATION].rolling("1D")
        made = pd.DataFrame({"trips": last_day.count(), "total_s": last_day.sum(), "longest_s": last_day.max()}).astype(
            "int64"
        )
        # Of events of one moment the last one's row has all of them.
        made = made[~made.index.duplicated(keep="last")]
        self._keep(events)
        made.index += pd.Timedelta(microseconds=1)
        rows_of_key = made.rename_axis("window_end").reset_index().assign(**{STATION: key[0]})
        yield rows_of_key[[STATION, "window_end", "trips", "total_s", "longest_s"]]

    def close(self) -> None:
        pass

    def _keep(self, events: pd.DataFrame) -> None:
        last = events[events.index > events.index[-1] - pd.Timedelta(days=1)]
        self.kept.put([(start.to_pydatetime(), int(seconds)) for start, seconds in last[DURATION].items()])


def save(config: Config, rows: DataFrame, table: str) -> None:
    """As a new version of a Delta table."""
    rows.write.format("delta").mode("overwrite").save(str(config.lake / table))


def _stream(config: Config) -> DataFrame:
    reader = spark.session(config).readStream.format("delta").option("maxFilesPerTrigger", MOST_FILES)
    return reader.load(str(config.lake / silver_table(STREAM).name))


def _run(config: Config, rows: DataFrame, table: str, folder: Path) -> None:
    writer = rows.writeStream.format("delta").outputMode("append").option("checkpointLocation", str(folder))
    writer.trigger(availableNow=True).start(str(config.lake / table)).awaitTermination()
