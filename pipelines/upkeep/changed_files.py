"""Which landing files changed what silver holds, and of which arrival days: those that wait, by an ingest on a trial
lake, so that what they will do is known exactly; those that were ingested since, by the ledger.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date

import pyarrow as pa

from windrow.pipelines import storage
from windrow.pipelines.delta.day_files import parquet
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.ingest.changes import Asked, pending
from windrow.pipelines.ingest.ingest import ingest
from windrow.pipelines.ledger import run_table, snapshots
from windrow.pipelines.ledger.snapshots import KEY, LEAVE_SNAPSHOTS, LEFT_OUT
from windrow.pipelines.tables.arrival_days import ArrivalDays
from windrow.pipelines.tables.stream_tables import Snapshot, StreamTables
from windrow.pipelines.upkeep.trial import copy, trial
from windrow.schemas.errors import LandingFailed
from windrow.schemas.tables import Table

Progress = Callable[[str], None]
Delivered = Mapping[str, Mapping[date, int]]
"""Events of a file on an arrival day."""


@dataclass(frozen=True)
class Ingested:
    """A stream as it is, or as an ingest of now would leave it. lake: where its tables are; waiting: the files that the
    ingest would take; seconds: how long it took, None where there is nothing to ingest; unseen: why it can't be seen
    whether files wait."""

    tables: StreamTables
    lake: Lake
    arrivals: ArrivalDays
    waiting: tuple[str, ...] = ()
    seconds: float | None = None
    unseen: str | None = None


@contextmanager
def as_after_an_ingest(lake: Lake, tables: StreamTables, progress: Progress) -> Iterator[Ingested]:
    """The stream as an ingest of now would leave it, as long as the context lasts. What an ingest raises. O(files of
    its tables) and what the ingest costs, where one is due."""
    stream, partitions = tables.stream.name, tables.partitions.name
    waiting, unseen = [], None
    try:
        waiting = pending(lake, tables)
    except LandingFailed as error:
        unseen = f"Windrow can't see whether files of {stream} wait to be ingested: {error}"
    if unseen or not (waiting or snapshots.is_behind(lake, stream)):
        yield Ingested(tables, lake, ArrivalDays.read(lake, partitions), unseen=unseen)
        return
    progress(f"what an ingest of {stream} would change")
    with trial(lake.config, f"plan_{stream}") as config:
        with lake.ingest_locked(stream):
            copy(lake, tables.names, config)
        of_trial, asked, began = Lake(config), Asked(left_out=snapshots.left_out(lake, stream)), time.monotonic()
        ingest(of_trial, engine_of(config), tables, asked=asked)
        seconds = time.monotonic() - began
        yield Ingested(tables, of_trial, ArrivalDays.read(of_trial, partitions), tuple(waiting), seconds)


def changed_files(lake: Lake, now: Ingested, since: str) -> Iterator[tuple[str, int, int | None, tuple[date, ...]]]:
    """The files that made silver another than the snapshot of that name had it, by path: with their events now and
    before, on all days (None where no table says it any more), and the arrival days that are different by them. `lake`:
    that of the ledger. O(ingests + events of these files)."""
    stream, silver = now.tables.stream.name, now.tables.silver
    rows = run_table.rows(lake, [("stream", "=", stream), ("state", "=", "done")])
    leaving = [row for row in rows if row.step in LEAVE_SNAPSHOTS and KEY in row.outputs]
    left = [(Snapshot.of_json(stream, row.outputs[KEY]), row) for row in leaving]
    paths = {*now.waiting}.union(*(_taken(row) for snapshot, row in left if snapshot.name > since))
    before = next((snapshot for snapshot, _ in reversed(left) if snapshot.name == since), None)
    held, version = _delivered(now.lake, silver, None, paths), _readable_version(lake, before, silver.name)
    then = None if version is None else _delivered(lake, silver, version, paths)
    changed = _changed_days(lake, now, before)
    for path in sorted(paths, key=str.encode):
        of_now, of_then = held.get(path, {}), None if then is None else then.get(path, {})
        if days := changed & {*of_now, *(of_then or {})}:
            events_before = None if of_then is None else sum(of_then.values())
            yield path, sum(of_now.values()), events_before, tuple(sorted(days))


def _changed_days(lake: Lake, now: Ingested, before: Snapshot | None) -> set[date]:
    """Those with other events than the snapshot had; all where it can't be read any more."""
    partitions = now.tables.partitions.name
    version = _readable_version(lake, before, partitions)
    if version is None:
        return {*now.arrivals.by_date}
    return now.arrivals.differing(ArrivalDays.read(lake, partitions, version))


def _readable_version(lake: Lake, snapshot: Snapshot | None, table: str) -> int | None:
    """That of the snapshot, where it is the same table still, and has that version."""
    if snapshot is None or lake.version(table) is None or lake.state(table).id != snapshot.tables[table].id:
        return None
    version = snapshot.version(table)
    return None if lake.lacks_files(table, version) else version


def _taken(row: run_table.StepRow) -> set[str]:
    """The paths that an ingest took, or that were forgotten."""
    forgotten = row.inputs.get("forgotten")
    return {*row.inputs, *row.outputs.get(LEFT_OUT, {})} - {"forgotten"} | ({forgotten} if forgotten else set())


def _delivered(lake: Lake, silver: Table, version: int | None, paths: set[str]) -> Delivered:
    asked = sorted(paths)
    files = lake.files(silver.name, version, [("path", "in", asked)]) if paths else []
    found: defaultdict[str, dict[date, int]] = defaultdict(dict)
    if not files:
        return found
    rows = f"{parquet(silver, files)} SEMI JOIN paths USING (path)"
    with storage.open_database(lake.config.scratch, lake.config.lake) as database:
        database.register("paths", pa.table({"path": pa.array(asked, pa.string())}))
        counted = database.sql(f"SELECT path, arrival_date, count(*) FROM {rows} GROUP BY ALL").fetchall()
    for path, day, events in counted:
        found[path][day] = events
    return found
