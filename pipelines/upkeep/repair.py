"""Repair: takes damaged files out of a table, so that the rest can be read and the lost rows be made again.

Nothing is deleted: what is taken out lies below `<home>/damaged` then. A table whose log is damaged goes as a whole:
which of its files hold its rows is not known. Only the ledger can't be made again: its rows are taken from every
file that is still whole. These are only ever appended, so none that a file of its folder holds is wrong: not those of
files that compaction replaced either, which hold the same rows once more. A repair that is killed leaves a table that
is damaged still, for the next one, or gone.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime

import pyarrow as pa
from deltalake import write_deltalake

from windrow.pipelines import storage
from windrow.pipelines.config import Config
from windrow.pipelines.delta import contract, locks
from windrow.pipelines.delta.damage import damage_of, made_again_by, replays_of
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.log import CommitNote, DamagedFile, damaged_checkpoints, wrong_with
from windrow.pipelines.ledger import run_table, snapshots
from windrow.pipelines.ledger.stale import days_that_differ
from windrow.pipelines.location import Location, below
from windrow.schemas import registry
from windrow.schemas.errors import UnknownName
from windrow.schemas.ledger_tables import LEDGER, RUNS
from windrow.schemas.registry import stream_of
from windrow.schemas.tables import Table


@dataclass(frozen=True)
class Repair:
    """What became of a damaged table. `rows_lost`: None where only the damaged log knew; `commands`: what makes
    these rows again."""

    table: str
    wrong: str
    moved_to: str | None
    rows_lost: int | None
    commands: tuple[str, ...]


def repair(
    config: Config, names: list[str], report: Callable[[Repair], object] = lambda _: None
) -> tuple[list[Repair], int]:
    """Repair the damaged ones of these tables, by default of all; also returns how many were looked at. `report` gets
    each as soon as it is repaired: should a later one fail, no later run knows any more what the earlier have lost.
    O(bytes of the tables). UnknownName for a table that isn't there; StorageFailed without room for the ledger."""
    lake = Lake(config)
    known = lake.names()
    if unknown := [name for name in names if name not in known]:
        raise UnknownName("table", unknown[0], known)
    # The ledger last: what it has lost of a table's days can be seen in the others once these are whole.
    asked = sorted(names or known, key=lambda name: name in LEDGER)
    done: list[Repair] = []
    for find in (_repaired, _behind_ledger):
        for name in [name for name in asked if name not in {each.table for each in done}]:
            if found := find(lake, name):
                report(found)
                done.append(found)
    return done, len(asked)


def _behind_ledger(lake: Lake, name: str) -> Repair | None:
    """Of a log that has lost its newest entries: what is left is a whole table, and an older one."""
    stream, place = stream_of(name), _place(lake, name)
    if stream is None:
        lost = days_that_differ(lake, name)
        return Repair(name, "; ".join(lost.values()), None, None, tuple(replays_of(name, {*lost}))) if lost else None
    with _locked(lake, name):
        for found in snapshots.shortened(lake, stream.name, [name]):
            # Left as it is, it would count versions once more that the ledger knows.
            commands = _take_table_out(lake, name, place)
            return Repair(name, f"{found.file} {found.wrong}", str(place), None, tuple(commands))
    return None


def _place(lake: Lake, name: str) -> Location:
    """Where what is taken out of a table goes."""
    return lake.config.damaged / f"{name}-{datetime.now(UTC):%Y%m%dT%H%M%S%f}"


def _repaired(lake: Lake, name: str) -> Repair | None:
    place = _place(lake, name)
    with _locked(lake, name), locks.full_disk_reported(lake.config, name):
        found = damage_of(lake, name, read_all=True)
        if not found:
            return None
        lost, commands = _repair(lake, name, found, place)
    again = [*commands, *_unknown_to_ledger(lake)] if name == RUNS.name else commands
    wrong = "; ".join(f"{below(file.path, lake.config.lake)} {file.wrong}" for file in found)
    return Repair(name, wrong, str(place) if place.exists() else None, lost, tuple(again))


@contextmanager
def _locked(lake: Lake, name: str) -> Iterator[None]:
    """Neither an ingest nor another writer of the table at the same time."""
    stream = stream_of(name)
    with lake.ingest_locked(stream.name) if stream else nullcontext(), lake.locked(name):
        yield


def _repair(lake: Lake, name: str, found: list[DamagedFile], place: Location) -> tuple[int | None, list[str]]:
    """Rows lost, and the commands that make them again."""
    if name in LEDGER:
        lost = _salvaged(lake, LEDGER[name], found[0].is_of_log, place)
        return lost, made_again_by(lake, name, [])
    folder = lake.folder(name)
    # One by one: the note of the newest is only wrong once that is gone.
    while damaged := damaged_checkpoints(folder):
        storage.move(damaged[0].path, place / below(damaged[0].path, folder))
    left = damage_of(lake, name, read_all=True)
    if left and left[0].is_of_log:
        return None, _take_table_out(lake, name, place)
    return _take_files_out(lake, name, left, place) if left else (0, [])


def _take_table_out(lake: Lake, name: str, place: Location) -> list[str]:
    folder = lake.folder(name)
    commands = made_again_by(lake, name, [below(path, folder) for path in storage.row_files(folder)])
    # Into the same folder as its checkpoints, which may be there already.
    storage.move(folder, place / name)
    return commands


def _take_files_out(lake: Lake, name: str, found: list[DamagedFile], place: Location) -> tuple[int, list[str]]:
    folder = lake.folder(name)
    damaged = {below(file.path, folder): file.path for file in found}
    actions, table = lake.add_actions(name), storage.delta_table(folder)
    rows = zip(actions["path"].to_pylist(), actions["num_records"].to_pylist(), strict=True)
    for path_below, path in damaged.items():
        if path.exists():
            storage.move(path, place / path_below)
    table.repair(commit_properties=CommitNote({**lake.of_run, "repair": "damaged files taken out"}).properties)
    return sum(count or 0 for path, count in rows if path in damaged), made_again_by(lake, name, damaged)


def _unknown_to_ledger(lake: Lake) -> list[str]:
    """Commands for days that are published, and of which the ledger has lost the publication."""
    commands = []
    for query in registry.queries():
        if not (damage_of(lake, query) or damage_of(lake, f"{query}_late")):
            done = run_table.rows(lake, [("query", "=", query), ("step", "=", "publish"), ("state", "=", "done")])
            held = lake.partition_dates(query) | lake.partition_dates(f"{query}_late")
            commands += replays_of(query, held - {row.replayed[1] for row in done})
    return commands


def _salvaged(lake: Lake, table: Table, lost_log: bool, place: Location) -> int | None:
    """Put a table of all readable rows where the damaged one was, which goes to `place`. Returns how many rows were
    lost; None where the log, which knew, is damaged (`lost_log`). O(bytes of the folder)."""
    folder, repaired = lake.folder(table.name), lake.repaired_folder(table.name)
    lost = None
    if not lake.is_half_repaired(table.name):
        rows = _readable(lake, table)
        lost = None if lost_log else max(lake.row_count(table.name) - len(rows), 0)
        making = lake.config.lake / f".{table.name}.salvaged"
        for left in (repaired, making):
            storage.remove_folder(left)
        contract.create(making, table, lake.schema(table))
        write_deltalake(storage.delta_table(making), rows, mode="append")
        storage.move(making, repaired)
        storage.move(folder, place / table.name)
    storage.move(repaired, folder)
    return lost


def _readable(lake: Lake, table: Table) -> pa.Table:
    # On S3 tables move file by file: what a repair had made that was killed meanwhile has rows that the table lacks.
    folders = (lake.folder(table.name), lake.repaired_folder(table.name))
    schema = lake.schema(table)
    files = [file for folder in folders for file in storage.row_files(folder)]
    whole = [storage.parquet(file).read() for file in files if wrong_with(file, None, read_all=True) is None]
    rows = pa.concat_tables([schema.empty_table(), *whole], promote_options="permissive").select(schema.names)
    return rows.group_by(schema.names, use_threads=False).aggregate([]).cast(schema)
