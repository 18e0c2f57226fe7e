"""Which landing files changed what silver holds, and of which arrival days: those that wait, by an ingest on a trial
lake, so that what they will do is known exactly; those that were ingested since, by the ledger.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date

import pyarrow as pa

from pipelines.config import Config
from pipelines.delta.day_files import parquet
from pipelines.delta.lake import Lake
from pipelines.engines import engine_of
from pipelines.ingest.changes import Asked, pending
from pipelines.ingest.ingest import ingest
from pipelines.ledger import run_table, snapshots
from pipelines.ledger.snapshots import KEY, LEAVE_SNAPSHOTS, LEFT_OUT
from pipelines.rows import databases
from pipelines.tables.arrival_days import ArrivalDays
from pipelines.tables.snapshot import Snapshot
from pipelines.tables.stream_tables import StreamTables
from pipelines.upkeep.trial import copy, trial
from schemas.errors import LandingFailed

Progress = Callable[[str], None]
Delivered = Mapping[str, Mapping[date, int]]
"""Events of a file on an arrival day."""


@dataclass(frozen=True)
class Ingested:
    """A stream as it is, or as an ingest of now would leave it. lake: where its tables are; waiting: the files that the
    ingest would take; seconds: how long it took, None where there is nothing to ingest; unseen: why nobody can see
    whether files wait."""

    tables: StreamTables
    lake: Lake
    arrivals: ArrivalDays
    waiting: tuple[str, ...] = ()
    seconds: float | None = None
    unseen: str | None = None


@dataclass(frozen=True)
class ChangedFile:
    """A file that delivers other events than before. events, events_before: on all days, None where nobody knows any
    more; days: arrival days that are different by it."""

    path: str
    events: int
    events_before: int | None
    days: tuple[date, ...]

    @property
    def why(self) -> str:
        """In words."""
        if self.events_before == 0:
            return "new"
        return "delivers nothing any more" if self.events == 0 else "delivers other events"


@contextmanager
def as_after_an_ingest(lake: Lake, tables: StreamTables, progress: Progress) -> Iterator[Ingested]:
    """The stream as an ingest of now would leave it, as long as the context lasts. What an ingest raises.

    O(files of its tables) and what the ingest costs, where one is due."""
    stream, partitions = tables.stream.name, tables.partitions.name
    try:
        waiting = pending(lake, tables)
    except LandingFailed as error:
        unseen = f"whether files of {stream} wait to be ingested can't be seen: {error}"
        yield Ingested(tables, lake, ArrivalDays.read(lake, partitions), unseen=unseen)
        return
    if not waiting and not snapshots.is_behind(lake, stream):
        yield Ingested(tables, lake, ArrivalDays.read(lake, partitions))
        return
    progress(f"what an ingest of {stream} would change")
    with trial(lake.config, f"plan_{stream}") as config:
        with lake.ingest_locked(stream):
            copy(lake, [table.name for table in tables.all], config)
        seconds = _ingest(config, tables, snapshots.left_out(lake, stream))
        of_trial = Lake(config)
        yield Ingested(tables, of_trial, ArrivalDays.read(of_trial, partitions), tuple(waiting), seconds)


def _ingest(config: Config, tables: StreamTables, leave_out: Mapping[str, str]) -> float:
    began = time.monotonic()
    ingest(Lake(config), engine_of(config), tables, asked=Asked(left_out=leave_out))
    return time.monotonic() - began


def changed_files(lake: Lake, now: Ingested, since: str) -> list[ChangedFile]:
    """The files that made silver another than the snapshot of that name had it, by path. `lake`: that of the ledger.
    O(ingests + events of these files)."""
    stream = now.tables.stream.name
    rows = run_table.rows(lake, [("stream", "=", stream), ("state", "=", "done")])
    left = [(Snapshot.of_json(stream, row.outputs[KEY]), row) for row in rows if _leaves_snapshot(row)]
    paths = {*now.waiting}.union(*(_taken(row) for snapshot, row in left if snapshot.name > since))
    before = next((snapshot for snapshot, _ in reversed(left) if snapshot.name == since), None)
    held, then = _delivered(now.lake, now.tables, None, paths), _delivered_before(lake, now.tables, before, paths)
    changed = _changed_days(lake, now, before)
    found = [_changed_file(path, held.get(path, {}), None if then is None else then.get(path, {})) for path in paths]
    of_changed = (replace(file, days=tuple(day for day in file.days if day in changed)) for file in found)
    return sorted((file for file in of_changed if file.days), key=lambda file: file.path.encode())


def _changed_days(lake: Lake, now: Ingested, before: Snapshot | None) -> Collection[date]:
    """Those with other events than the snapshot had; all where it can't be read any more."""
    partitions = now.tables.partitions.name
    if before is None or not _is_readable(lake, before, partitions):
        return now.arrivals.by_date
    return now.arrivals.differing(ArrivalDays.read(lake, partitions, before.version(partitions)))


def _changed_file(path: str, held: Mapping[date, int], then: Mapping[date, int] | None) -> ChangedFile:
    days = tuple(sorted({*held, *(then or {})}))
    return ChangedFile(path, sum(held.values()), None if then is None else sum(then.values()), days)


def _is_readable(lake: Lake, snapshot: Snapshot, table: str) -> bool:
    """Whether it is the same table still, and has that version."""
    is_there = lake.version(table) is not None and lake.state(table).id == snapshot.tables[table].id
    return is_there and not lake.lacks_files(table, snapshot.version(table))


def _leaves_snapshot(row: run_table.StepRow) -> bool:
    return row.step in LEAVE_SNAPSHOTS and KEY in row.outputs


def _taken(row: run_table.StepRow) -> set[str]:
    """The paths that an ingest took, or that were forgotten."""
    forgotten = row.inputs.get("forgotten")
    return {*row.inputs, *row.outputs.get(LEFT_OUT, {})} - {"forgotten"} | ({forgotten} if forgotten else set())


def _delivered_before(lake: Lake, tables: StreamTables, before: Snapshot | None, paths: set[str]) -> Delivered | None:
    """None where that version of silver can't be read any more."""
    if before is None or not _is_readable(lake, before, tables.silver.name):
        return None
    return _delivered(lake, tables, before.version(tables.silver.name), paths)


def _delivered(lake: Lake, tables: StreamTables, version: int | None, paths: set[str]) -> Delivered:
    silver, asked = tables.silver, sorted(paths)
    files = lake.files(silver.name, version, [("path", "in", asked)]) if paths else []
    found: defaultdict[str, dict[date, int]] = defaultdict(dict)
    if not files:
        return found
    rows = f"{parquet(silver, files)} SEMI JOIN paths USING (path)"
    with databases.open_database(lake.config.scratch, lake.config.lake) as database:
        database.register("paths", pa.table({"path": pa.array(asked, pa.string())}))
        counted = database.sql(f"SELECT path, arrival_date, count(*) FROM {rows} GROUP BY ALL").fetchall()
    for path, day, events in counted:
        found[path][day] = events
    return found
