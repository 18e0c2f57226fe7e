"""A query's tables made anew, after a definition that changes their columns, with all days that were published.

    <home>/anew/bikes_daily   the days, one after the other   ──once all are made──▶   <home>/lake/bikes_daily
                                                   what was there   ──▶   <home>/replaced/bikes_daily-20181104T…

Nothing is deleted, and readers have the old tables until the new ones take their place. A rebuild that was cut off goes
on where it is started again: what it has made waits below `anew`, where `bikes_daily.made` says that all of it is made.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from windrow.pipelines import storage
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table, snapshots
from windrow.pipelines.location import Location
from windrow.pipelines.runs import definitions
from windrow.pipelines.runs.backfill import Progress, redo_stale
from windrow.pipelines.runs.reports import Done
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas.side_tables import panes_name


@dataclass(frozen=True)
class Rebuilt:
    """What became of it. moved: where each table lies that was made anew."""

    moved: Mapping[str, Location]
    days: Done


def is_due(lake: Lake, tables: QueryTables) -> bool:
    """Whether a table on disk is another than its definition, or a rebuild was cut off as it put them into place."""
    return _made(lake, tables).exists() or any(lake.differs(table) for table in tables.all)


def rebuild(config: Config, query_name: str, progress: Progress) -> Rebuilt:
    """Make the tables anew if one is not as defined, and the published days again; else only the days that are stale.
    Raises UnknownName, NotServed and the like before anything is made. Where no day can be published, the published
    tables stay; otherwise as `redo_stale`."""
    lake, tables = Lake(config), definitions.tables_of(query_name)
    definitions.served(tables)
    snapshots.newest(lake, tables.query.stream)
    names, panes = [table.name for table in tables.all], panes_name(query_name)
    anew = Lake(replace(config, asked_anew=frozenset(names)))
    moved = _put_into_place(anew, lake, tables) if _made(lake, tables).exists() else {}
    if not is_due(lake, tables):
        return Rebuilt(moved, redo_stale(config, [query_name], progress))
    with lake.locked(panes):  # runs make again what they need
        storage.remove_folder(lake.folder(panes))
    if any(anew.differs(table) for table in tables.all):  # what a rebuild to another definition has left
        for name in names:
            storage.remove_folder(anew.folder(name))
    # Of days that the ledger knows, a rebuild that goes on has only stale ones to make.
    known = {*run_table.published(lake, query_name)}
    days = _held(lake, tables) - known - _held(anew, tables) if _held(anew, tables) else _held(lake, tables) | known
    done = redo_stale(anew.config, [query_name], progress, days)
    if done.failures and not _held(anew, tables):  # the audit rows, for the query of the gate's message
        return Rebuilt(_moved(anew, lake, [tables.late_audit.name, tables.audit.name]), done)
    return Rebuilt(_put_into_place(anew, lake, tables), done)


def _held(lake: Lake, tables: QueryTables) -> set[date]:
    """Days of the published tables."""
    return lake.partition_dates(tables.results.name) | lake.partition_dates(tables.late.name)


def _made(lake: Lake, tables: QueryTables) -> Location:
    """The file that is there from when all is made until all is in its place."""
    return lake.config.anew / f"{tables.query.name}.made"


def _put_into_place(anew: Lake, lake: Lake, tables: QueryTables) -> dict[str, Location]:
    """All that was made; where each table lies that was there."""
    made = _made(lake, tables)
    storage.make_folder(made.parent)
    made.write_text("")
    moved = _moved(anew, lake, [table.name for table in tables.all])
    made.unlink()
    return moved


def _moved(anew: Lake, lake: Lake, names: Collection[str]) -> dict[str, Location]:
    moved, now = {}, f"{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
    for name in names:
        with lake.locked(name):
            if anew.version(name) is None:
                continue
            if lake.holds_anything(name):
                moved[name] = lake.config.replaced / f"{name}-{now}"
                storage.move(lake.folder(name), moved[name])
            storage.move(anew.folder(name), lake.folder(name))
    return moved
