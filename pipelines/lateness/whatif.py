"""The lateness curve of a query over arrival days of the lake, and its table (semantics §3)."""

from dataclasses import dataclass
from datetime import date, timedelta

from pipelines.config import Config
from pipelines.delta.lake import Lake
from pipelines.gate.recount.tables import TableVersion, add_view, open_recount_database
from pipelines.lateness.curve import SECOND_US, USUAL_US, CurvePoint, curve, lateness_in_us, recommended_us
from pipelines.lateness.needed import AskedLateness, add_needed, refuse_dependent
from pipelines.tables.arrival_days import ArrivalDays
from pipelines.tables.stream_tables import StreamTables
from schemas import registry
from schemas.errors import NotSetUp, WrongParameter
from schemas.query import Query
from schemas.side_tables import lateness_table

ENOUGH = 0.99


@dataclass(frozen=True)
class LatenessQuestion:
    """What is asked of a query. first, last: arrival days, by default the first and the last that have events;
    complete: the share of windows, above 0 and at most 1, that the recommended lateness makes complete on time;
    lateness: more lengths than the usual ones."""

    first: date | None = None
    last: date | None = None
    complete: float = ENOUGH
    lateness: tuple[timedelta, ...] = ()


@dataclass(frozen=True)
class LatenessCurve:
    """By lateness, rising; with which of them are the query's own and the recommended one."""

    query: Query
    first: date
    last: date
    complete: float
    recommended_us: int
    points: list[CurvePoint]

    @property
    def own_us(self) -> int:
        """The lateness of the query's definition."""
        return lateness_in_us(self.query.lateness)

    def row(self, point: CurvePoint) -> dict:
        """Of the table lateness_<query>."""
        return {
            "query": self.query.name,
            "lateness_seconds": point.lateness_us / SECOND_US,
            "windows": point.windows,
            "complete_share": point.complete_share,
            "on_time_share": point.on_time_share,
            "late_events": point.late_events,
            "delay_mean_seconds": point.delay_mean_seconds,
            "delay_median_seconds": point.delay_median_seconds,
            "is_own": point.lateness_us == self.own_us,
            "is_recommended": point.lateness_us == self.recommended_us,
            "complete_asked": self.complete,
            "first_arrival_day": self.first,
            "last_arrival_day": self.last,
        }


def whatif(config: Config, query_name: str, asked: LatenessQuestion) -> LatenessCurve:
    """Read these days' events once, as if the stream began and ended with them, and replace the table.

    UnknownName; NotSetUp where nothing is ingested; WrongParameter for windows that depend on their key's other events,
    and for days without events that a window holds. O(events · their windows).
    """
    lake, query = Lake(config), registry.query(query_name)
    refuse_dependent(query)
    tables = StreamTables.of(registry.stream(query.stream))
    first, last = _days(lake, tables, asked)
    silver = TableVersion(lake, tables.silver.name, lake.existing_version(tables.silver.name), "arrival_date")
    with open_recount_database(lake) as connection:
        add_view(connection, "silver", silver, (first, last))
        needed = add_needed(query, connection, tables.stream.idle_after)
        if needed.one("SELECT count(*) FROM windows_needed") == (0,):
            allowed = f"days with events that a window of {query.name} holds; none of these is"
            raise WrongParameter("--from and --to", f"{first} to {last}", allowed)
        found = _curve(needed, query, (first, last), asked)
    table = lateness_table(query.name)
    lake.ensure(table)
    lake.replace(table, {"query": [query.name]}, [found.row(point) for point in found.points])
    return found


def _curve(needed: AskedLateness, query: Query, days: tuple[date, date], asked: LatenessQuestion) -> LatenessCurve:
    recommended, enough_for_all = recommended_us(needed, asked.complete), recommended_us(needed, 1.0)
    own = lateness_in_us(query.lateness)
    usual = [each for each in USUAL_US if each < enough_for_all]  # behind that nothing changes any more
    every = {*usual, enough_for_all, recommended, own, *map(lateness_in_us, asked.lateness)}
    return LatenessCurve(query, *days, asked.complete, recommended, curve(needed, sorted(every)))


def _days(lake: Lake, tables: StreamTables, asked: LatenessQuestion) -> tuple[date, date]:
    """The first and the last day with events of those asked for."""
    stream = tables.stream.name
    there = ArrivalDays.read(lake, tables.partitions.name).by_date
    if not there:
        raise NotSetUp(f"stream {stream} has no events yet", f"windrow ingest {stream}")
    first, last = asked.first or min(there), asked.last or max(there)
    found = [day for day in there if first <= day <= last]
    if not found:
        allowed = f"days on which events of {stream} arrived: {min(there)} to {max(there)}"
        raise WrongParameter("--from and --to", f"{first} to {last}", allowed)
    return min(found), max(found)
