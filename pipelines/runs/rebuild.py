"""A query's tables made anew, after a definition that changes their columns, with all days that were published.

Nothing is deleted: what was there lies below `<home>/replaced` then. Each day can be read again as soon as it is
published. A rebuild that was cut off goes on where it is started again, since all days that it has not made are stale.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime

from pipelines import storage
from pipelines.config import Config
from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.ledger import runs, snapshots
from pipelines.location import Location
from pipelines.runs import definitions
from pipelines.runs.backfill import Progress, redo_stale
from pipelines.runs.replay_day import DayReport
from schemas.tables import Table


@dataclass(frozen=True)
class Rebuilt:
    """What became of it. moved: where each table lies that was made anew."""

    moved: Mapping[str, Location]
    days: list[DayReport]


def is_due(lake: Lake, tables: QueryTables) -> bool:
    """Whether a table on disk is another than its definition."""
    return any(lake.differs(table) for table in _there(lake, tables))


def rebuild(config: Config, query_name: str, progress: Progress) -> Rebuilt:
    """Make the tables anew if one is not as defined, and the published days again; else only the days that are stale.

    Raises UnknownName, NotServed and the like before anything is moved. Where no day can be published, the published
    tables are put back, and the first day's error is raised; otherwise as `redo_stale`.
    """
    lake, tables = Lake(config), definitions.tables_of(query_name)
    definitions.served(tables)
    snapshots.newest(lake, tables.query.stream)
    if not is_due(lake, tables):
        return Rebuilt({}, redo_stale(config, query_name, progress))
    days = _published_days(lake, tables)
    moved = {table.name: _moved_away(lake, table) for table in _there(lake, tables)}
    try:
        return Rebuilt(moved, redo_stale(config, query_name, progress, days))
    except BaseException:
        _put_back(lake, tables, moved)
        raise


def _there(lake: Lake, tables: QueryTables) -> Iterator[Table]:
    # Readers find results without late events for a moment rather than late events without results.
    every = (tables.state, tables.late_audit, tables.audit, tables.late, tables.results)
    return (table for table in every if table is not None and lake.version(table.name) is not None)


def _published_days(lake: Lake, tables: QueryTables) -> set[date]:
    """Of the ledger, and those that only the tables know."""
    held = (lake.partition_dates(table.name) for table in (tables.results, tables.late))
    return {*runs.published(lake, tables.query.name)}.union(*held)


def _moved_away(lake: Lake, table: Table) -> Location:
    place = lake.config.replaced / f"{table.name}-{datetime.now(UTC):%Y%m%dT%H%M%S%f}"
    with lake.locked(table.name):
        storage.move(lake.folder(table.name), place)
    return place


def _put_back(lake: Lake, tables: QueryTables, moved: Mapping[str, Location]) -> None:
    """The published tables, where none was made in their place: readers keep what they had. The audit rows that the
    gate refused stay, for its message's query."""
    published = [table.name for table in (tables.late, tables.results) if table.name in moved]
    if any(lake.version(name) is not None for name in published):
        return
    for name in published:
        with lake.locked(name):
            storage.move(moved[name], lake.folder(name))
