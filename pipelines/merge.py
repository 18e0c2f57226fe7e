"""Which readings of an ingest are events, and what that does to those of files that did not change.

Of equal identities among the accepted the first by (arrival, path, line, reading) stays, over all days. So beside the
changed files' readings, everything of other files that shares an identity with their old or their new content competes:
events of silver (they may lose their place) and quarantined duplicates (they may gain one). Only what identifies a
reading competes, not whole rows: moving those through one more shuffle took longer than judging the lines.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from pipelines import lake
from pipelines.config import Config
from pipelines.parse import Judging, parser, spark_schema
from pipelines.spark import give_back
from schemas.stream import Stream
from schemas.tables import bronze_table, quarantine_table, silver_table

PLACE = ["path", "line", "reading"]
NEW, EVENT, DUPLICATE = "new", "event", "duplicate"  # what a competing reading was before this ingest
LINES = ["path", "line", "text", "damage"]


@dataclass(frozen=True)
class Standing:
    """The tables as they are before the merge. `changed`: files whose rows are made anew."""

    any_events: bool
    events: DataFrame
    quarantined: DataFrame
    bronze: DataFrame
    changed: tuple[str, ...]

    @cached_property
    def gone(self) -> DataFrame:
        """Events of the changed files as they were."""
        return self.events.where(F.col("path").isin(*self.changed))

    @cached_property
    def other_events(self) -> DataFrame:
        """Events of all other files."""
        return self.events.where(~F.col("path").isin(*self.changed))

    @cached_property
    def other_duplicates(self) -> DataFrame:
        """Quarantined duplicates of all other files."""
        return self.quarantined.where((F.col("reason") == "duplicate") & ~F.col("path").isin(*self.changed))


@dataclass(frozen=True)
class Merged:
    """What became of the readings; `judged` and `moved` are kept in memory until `release`.

    judged: every reading of the changed files; refused ones with reason, detail and text
    moved: (identity, arrival, path, line, reading, was) of each reading that is not what it was: a new one that is a
        duplicate, an event that is one now, a duplicate that is the event now
    readings: (path, reason) -> readings of the changed files; reason None: accepted, duplicates included
    moves: (path, was) -> readings
    days: arrival days of silver that change
    """

    judging: Judging
    standing: Standing
    judged: DataFrame
    moved: DataFrame
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

    def without(self, rows: DataFrame, was: str) -> DataFrame:
        """Rows whose reading did not move. A join with nothing would still cost a job."""
        return rows.join(self._places(was), PLACE, "left_anti") if self.any_moved(was) else rows

    def new_events(self) -> DataFrame:
        """Silver's rows that come: of changed files, and of others' duplicates that are events now."""
        come = self.without(_accepted(self.judged), NEW)
        if not self.any_moved(DUPLICATE):
            return come
        # A line is judged as a whole; of its readings only those that moved come.
        lines = self.standing.other_duplicates.join(self._places(DUPLICATE), PLACE, "left_semi")
        lines = lines.select("path", "line", "text").distinct().withColumn("damage", F.lit(None).cast("string"))
        again = lines.select(*LINES).mapInArrow(parser(self.judging), spark_schema(self.judging.stream))
        return come.unionByName(again.join(self._places(DUPLICATE), PLACE, "left_semi"))

    def _places(self, was: str) -> DataFrame:
        return self.moved.where(F.col("was") == was).select(*PLACE)

    def release(self) -> None:
        """Give the memory back."""
        give_back(self.moved, self.judged)


def standing(spark: SparkSession, config: Config, stream: Stream, changed: list[str]) -> Standing:
    """Open the tables as they are now, and stay with these versions.

    Without a version, Spark computes what was kept in memory again after a write to a table that it came from, and an
    event that lost its place to a new one would be found in neither table.
    """
    def opened(name: str) -> DataFrame:
        version = lake.version(config, name)
        return spark.read.format("delta").option("versionAsOf", version).load(str(config.table(name)))

    any_events = bool(lake.files(config, silver_table(stream).name))
    return Standing(any_events, opened(silver_table(stream).name), opened(quarantine_table(stream).name),
                    opened(bronze_table(stream).name), tuple(changed))


def merge(judging: Judging, before: Standing, delivering: list[str]) -> Merged:
    """Judge the changed files' lines and let them compete. `judging` has the layouts of all files."""
    lines = before.bronze.where(F.col("path").isin(*delivering)).select(*LINES)
    judged = lines.mapInArrow(parser(judging), spark_schema(judging.stream)).persist()
    by_day = _counts(judged, "path", "reason", "arrival_date")
    moved = _moved(judging.stream, before, _accepted(judged)).persist()
    moves_by_day = _counts(moved, "path", "was", F.to_date("arrival"))
    return Merged(judging, before, judged, moved, _without_day(by_day), _without_day(moves_by_day),
                  _touched_days(before, by_day, moves_by_day))


def _counts(rows: DataFrame, *columns) -> Counter:
    return Counter({tuple(row)[:-1]: row["count"] for row in rows.groupBy(*columns).count().collect()})


def _without_day(counts: Counter) -> Counter:
    total = Counter()
    for (path, what, _), count in counts.items():
        total[path, what] += count
    return total


def _accepted(judged: DataFrame) -> DataFrame:
    return judged.where(F.col("reason").isNull())


def _moved(stream: Stream, before: Standing, accepted: DataFrame) -> DataFrame:
    accepted = accepted.where(F.col("identity").isNotNull())
    competing = _competing(accepted, NEW)
    if all(layout.identity is None for layout in stream.layouts):
        return competing.limit(0)
    if before.any_events:
        at_stake = accepted.select("identity").union(before.gone.select("identity")).distinct()
        for frame, was in ((before.other_events, EVENT), (before.other_duplicates, DUPLICATE)):
            competing = competing.union(_competing(frame, was).join(at_stake, "identity", "left_semi"))
    order = Window.partitionBy("identity").orderBy("arrival", *PLACE)
    placed = competing.withColumn("first", F.row_number().over(order) == 1)
    return placed.where(F.col("first") == (F.col("was") == DUPLICATE)).drop("first")


def _competing(readings: DataFrame, was: str) -> DataFrame:
    return readings.select("identity", "arrival", *PLACE, F.lit(was).alias("was"))


def _touched_days(before: Standing, by_day: Counter, moves_by_day: Counter) -> tuple[date, ...]:
    come = Counter()
    for (_, reason, day), count in by_day.items():
        come[day] += count if reason is None else 0
    for (_, was, day), count in moves_by_day.items():
        come[day] += -count if was == NEW else count
    days = {day for day, count in come.items() if count}
    if before.any_events:
        days |= {row["arrival_date"] for row in before.gone.select("arrival_date").distinct().collect()}
    return tuple(sorted(days))
