"""The events of a key in silver, as a run read them, each with the newest start that had arrived before its tick.

A run's silver is today's where no day that it read has changed since; else the version that it read, as long as that
is there. A file that several versions have is read once.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, timedelta
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from deltalake.exceptions import DeltaError

from windrow.pipelines import storage
from windrow.pipelines.delta.day_files import AskedValues, files_holding, places_of
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines.file_rows import RowsOfFiles, read_rows
from windrow.pipelines.ledger.stale import differences
from windrow.pipelines.tables.arrival_days import DAY_US, EPOCH_DATE, ArrivalDays
from windrow.pipelines.tables.pass_steps import PassSteps
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.pipelines.why.asked import asked_key, condition
from windrow.pipelines.why.published import PublishingRun
from windrow.schemas.tables import bucket_of
from windrow.schemas.windows import EPOCH, MICROSECOND

ORDER = ("arrival", "path", "line", "reading")


class SilverAt(NamedTuple):
    """Versions of silver and of its pass ticks; is_newest: of now, when what came before a day is noted."""

    silver: int
    passes: int
    is_newest: bool = True


class SeenEvent(NamedTuple):
    """A row of silver, and the newest start of the stream before its tick, in µs; None before any."""

    row: dict[str, Any]
    newest_before_us: int | None


@dataclass
class KeyEvents:
    """Of one key; of events that start in `starts` and arrived until the end of a day, in these columns. opened: which
    files were read."""

    lake: Lake
    source: StreamTables
    key: Mapping[str, Any]
    starts: AskedValues
    until: date
    columns: Collection[str]
    opened: set[str] = field(default_factory=set)
    _of_files: dict[str, list[dict]] = field(default_factory=dict)
    _seen: dict[SilverAt, list[SeenEvent]] = field(default_factory=dict)

    @cached_property
    def days(self) -> ArrivalDays:
        return ArrivalDays.read(self.lake, self.source.partitions.name)

    @cached_property
    def newest(self) -> SilverAt:
        silver, passes = (self.lake.existing_version(each.name) for each in (self.source.silver, self.source.passes))
        return SilverAt(silver, passes)

    def read_by(self, run: PublishingRun | None) -> tuple[SilverAt, str | None]:
        """What a run read, and what is to be said of that."""
        if run is None or run.audit is None:
            return self.newest, "the ledger has lost what the run read; the events are those of silver now"
        if not differences(run.audit.inputs, self.days):
            return self.newest, None
        read, name = run.publish.versions, self.source.silver.name
        try:
            is_another = self.lake.state(name).made_ms / 1000 > run.audit.at.timestamp()
            if not is_another and all(map(storage.exists, self._paths(read.silver))):
                return SilverAt(read.silver, read.passes, False), None
        except DeltaError:
            pass
        gone = f"version {read.silver} of {name}, which the run read, is gone, and its events have changed since"
        return self.newest, f"{gone}; the events are those of silver now"

    def at(self, silver: SilverAt) -> list[SeenEvent]:
        """In order of arrival. O(rows of the row groups that may hold some)."""
        if silver not in self._seen:
            rows = [row for path in self._paths(silver.silver) for row in self._rows(path)]
            rows.sort(key=lambda row: [row[name] for name in ORDER])
            newest_us = self._newest_before(silver, rows)
            self._seen[silver] = [SeenEvent(*each) for each in zip(rows, newest_us, strict=True)]
        return self._seen[silver]

    def _paths(self, version: int) -> list[str]:
        name, stream = self.source.silver.name, self.source.stream
        asked = asked_key(self.key)
        if stream.key and {*stream.key} <= {*self.key}:
            bucket = bucket_of(tuple(self.key[column] for column in stream.key), stream.buckets)
            asked["bucket"] = AskedValues(bucket, bucket)
        asked |= {"arrival_date": AskedValues(self._first_day, self.until), "start": self.starts}
        return places_of(self.lake, name, files_holding(self.lake, name, version, asked))

    @property
    def _first_day(self) -> date | None:
        """On which an event can have arrived that starts in time."""
        if self.starts.low is None:
            return None
        us = (self.starts.low - EPOCH) // MICROSECOND - self.source.stream.ahead_at_most_us
        return EPOCH_DATE + timedelta(days=max(us // DAY_US, (date.min - EPOCH_DATE).days))

    def _rows(self, path: str) -> list[dict]:
        if path not in self._of_files:
            silver = self.lake.schema(self.source.silver)
            schema = pa.schema([silver.field(name) for name in self.columns])
            within = condition({**asked_key(self.key), "start": self.starts}, schema)
            self._of_files[path] = read_rows(RowsOfFiles([path], schema, {}, within)).to_pylist()
            self.opened.add(path)
        return self._of_files[path]

    def _newest_before(self, silver: SilverAt, rows: list[dict]) -> list[int | None]:
        if not rows:
            return []
        passes = PassSteps(self.lake, self.source, silver.passes, self.days)
        first = rows[0]["arrival"].astimezone(UTC).date()
        if not silver.is_newest:  # what today's days say of what came before isn't what the run knew
            first = min((*self.days.by_date, first))
        tick_us, newest_us = passes.between(first, self.until)
        arrivals_us = [(row["arrival"] - EPOCH) // MICROSECOND for row in rows]
        places = np.searchsorted(tick_us, arrivals_us)
        return [int(newest_us[place - 1]) if place else None for place in places]
