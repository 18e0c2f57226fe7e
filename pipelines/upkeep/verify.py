"""The replay contract, proven on the lake at hand: days of a query are made again in every way, each in a trial lake,
and their fingerprints are compared: whether they have the same rows, in whatever order. The lake itself is only read.
"""

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any, NamedTuple, TypeAlias

from windrow.pipelines import storage
from windrow.pipelines.config import Config
from windrow.pipelines.delta.day_files import parquet
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ingest import landing
from windrow.pipelines.ingest.changes import pending
from windrow.pipelines.ingest.files import ACCEPTED, EMPTY, NO_EVENTS, UNREADABLE, known_files
from windrow.pipelines.ingest.partitions import NOT_DIGESTED
from windrow.pipelines.ledger import run_table
from windrow.pipelines.ledger.stale import stale
from windrow.pipelines.runs import definitions
from windrow.pipelines.tables.pane_tables import why_no_panes
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.upkeep.replay_ways import WAYS, ReplayWay
from windrow.pipelines.upkeep.trial import copy, trial
from windrow.schemas import registry
from windrow.schemas.errors import NotSetUp, WindrowError
from windrow.schemas.ledger_tables import LEDGER
from windrow.schemas.tables import Table

EQUAL, DIFFERS, NOT_COMPARED = "equal", "differs", "not compared"
PUBLISHED = "as it is published"
# States of files whose rows don't depend on which file came first.
DELIVERING = (ACCEPTED, EMPTY, NO_EVENTS, UNREADABLE)
Progress = Callable[[str], None]


class Fingerprint(NamedTuple):
    """Rows, and two digests of them in any order: the sum and the exclusive or of their hashes."""

    rows: int
    total: int
    parity: int


NO_ROWS = Fingerprint(0, 0, 0)
Held: TypeAlias = Mapping[tuple[str, date], Fingerprint]
"""By published table and day."""


@dataclass(frozen=True)
class Compared:
    """What came of one way to make the days of a query. rows, late_rows: of all these days; differences: of tables and
    days that have other rows than the first way made."""

    query: str
    first: date
    last: date
    days: int
    way: str
    result: str
    rows: int | None = None
    late_rows: int | None = None
    seconds: float | None = None
    why: str | None = None
    differences: tuple[str, ...] = ()


def verify(config: Config, names: Collection[str], days: int, progress: Progress) -> Iterator[Compared]:
    """For each of these queries, or all that are published, its newest published days, as many as `days`; a row for
    each way as soon as it is done. UnknownName; NotSetUp where nothing is published; what a replay raises of the first
    way. O(ways × what the days cost)."""
    lake = Lake(config)
    asked = [registry.query(name).name for name in names] or [*registry.queries(), *registry.broken_queries()]
    published = {name: sorted(run_table.published(lake, name))[-days:] for name in asked}
    for name, of_query in published.items():
        if of_query and name in registry.broken_queries():
            why = f"its definition is broken: windrow check {name}"
            yield Compared(name, of_query[0], of_query[-1], len(of_query), PUBLISHED, NOT_COMPARED, why=why)
        elif of_query:
            yield from _Verification(lake, definitions.tables_of(name), of_query, progress).compared()
        elif names:
            raise NotSetUp(f"no day of {name} is published", f"windrow backfill {name} --from DAY --to DAY")
    if not any(published.values()):
        raise NotSetUp("no day of any query is published", "windrow backfill QUERY --from DAY --to DAY")


@dataclass(frozen=True)
class _Verification:
    """Of some days of one query."""

    lake: Lake
    tables: QueryTables
    days: Sequence[date]
    progress: Progress

    @property
    def query(self) -> str:
        return self.tables.query.name

    def compared(self) -> Iterator[Compared]:
        """The first way is what the others are compared with; a lake that runs and ingests go on to change is copied
        once."""
        with trial(self.lake.config, f"verify_{self.query}") as copied:
            source = self.tables.source
            with self.lake.ingest_locked(source.stream.name), self.lake.locked(f"{self.query}.publish"):
                copy(self.lake, [*source.names, *(table.name for table in self.tables.all), *LEDGER], copied)
            first, *others = WAYS
            held, row = self._made(copied, first)
            yield row
            yield self._as_published(copied, held)
            for way in others:
                why = self._why_not(copied, way)
                yield self._row(way.name, NOT_COMPARED, why=why) if why else self._compared(copied, way, held)

    def _made(self, copied: Config, way: ReplayWay) -> tuple[Held, Compared]:
        self.progress(f"{self.query}: {way.name}")
        began = time.monotonic()
        with self._emptied(copied) as config:
            way.make(config, self.query, self.days)
            held = self._held(Lake(config))
        return held, self._row(way.name, EQUAL, held, seconds=time.monotonic() - began)

    @contextmanager
    def _emptied(self, copied: Config) -> Iterator[Config]:
        """A lake of its own, without what was ever made of the days."""
        with trial(copied, "way") as config:
            copy(Lake(copied), Lake(copied).names(), config)
            lake = Lake(config)
            for table in self.tables.all:
                if lake.version(table.name) is not None:
                    lake.require(table)
                    lake.replace(table, {table.partition_by[0]: self.days}, [])
            yield config

    def _held(self, lake: Lake) -> Held:
        found = {table.name: fingerprints(lake, table) for table in (self.tables.results, self.tables.late)}
        return {(name, day): of.get(day, NO_ROWS) for name, of in found.items() for day in self.days}

    def _as_published(self, copied: Config, held: Held) -> Compared:
        of_query = {run.day for run in stale(self.lake) if run.query == self.query}
        if old := sorted(of_query.intersection(self.days)):
            why = f"{len(old)} of the days are stale, such as {old[0]}: windrow plan"
            return self._row(PUBLISHED, NOT_COMPARED, why=why)
        return self._against(PUBLISHED, held, self._held(Lake(copied)), None)

    def _compared(self, copied: Config, way: ReplayWay, held: Held) -> Compared:
        try:
            found, row = self._made(copied, way)
        except WindrowError as error:
            return self._row(way.name, DIFFERS, differences=(f"{type(error).__name__}: {error}",))
        return self._against(way.name, held, found, row.seconds)

    def _against(self, way: str, held: Held, found: Held, seconds: float | None) -> Compared:
        differences = tuple(
            f"{table} of {day}: {_shown(found[table, day], rows)}"
            for (table, day), rows in held.items()
            if found[table, day] != rows
        )
        return self._row(way, DIFFERS if differences else EQUAL, found, seconds=seconds, differences=differences)

    def _row(self, way: str, result: str, held: Held | None = None, **more: Any) -> Compared:
        rows, late_rows = (
            None if held is None else sum(each.rows for (name, _), each in held.items() if name == table.name)
            for table in (self.tables.results, self.tables.late)
        )
        span = self.days[0], self.days[-1], len(self.days)
        return Compared(self.query, *span, way, result, rows, late_rows, **more)

    def _why_not(self, copied: Config, way: ReplayWay) -> str | None:
        """Why a way can't be gone here."""
        if way.in_any_order and not self.tables.query.context_free:
            return "each day starts from the day before, so oldest first is the only order"
        if way.in_any_order and len(self.days) < 2:
            return "only one day is published"
        if way.needs_panes and (why := why_no_panes(self.tables)):
            return f"no panes are kept: {why}"
        return self._why_no_files(Lake(copied)) if way.needs_files else None

    def _why_no_files(self, lake: Lake) -> str | None:
        source = self.tables.source
        known, listed = known_files(lake, source.files), landing.listing(lake.config.landing, source.stream)
        if waiting := pending(lake, source):
            return f"{len(waiting)} file(s) wait to be ingested: windrow ingest {source.stream.name}"
        if gone := known.keys() - {*listed.paths}:
            return f"{len(gone)} file(s) have left the landing folder, such as {min(gone)}"
        if left_out := [path for path, row in known.items() if row.state not in DELIVERING]:
            return f"{len(left_out)} file(s) repeat the content of an earlier file, such as {min(left_out)}"
        return None


def _shown(found: Fingerprint, expected: Fingerprint) -> str:
    if found.rows != expected.rows:
        return f"{found.rows:,} rows, and {expected.rows:,} {WAYS[0].name}"
    return f"{found.rows:,} rows, with other values than {WAYS[0].name}"


def fingerprints(lake: Lake, table: Table, where: str = "TRUE") -> Mapping[date, Fingerprint]:
    """By day, of the rows of a table of days for which a condition holds; none where there is no table. O(rows)."""
    if lake.version(table.name) is None or not (files := lake.files(table.name)):
        return {}
    day, *_ = table.partition_by
    columns = ", ".join(f'"{name}"' for name in table.column_names if name not in NOT_DIGESTED)
    statement = f"""
        SELECT "{day}", count(*), sum(hashed), bit_xor(hashed)
        FROM (SELECT "{day}", hash({columns}) AS hashed FROM {parquet(table, files)} WHERE {where}) GROUP BY ALL"""
    with storage.open_database(lake.config.scratch, lake.config.lake) as database:
        return {day: Fingerprint(*found) for day, *found in database.sql(statement).fetchall()}
