"""The lateness curve of a query over arrival days of the lake, and its table (semantics §3): how complete rows on time
would have been with each lateness, and how long they would have taken."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate.recount.query_days import QueryConnection
from windrow.pipelines.gate.recount.tables import TableVersion, add_view, open_recount_database
from windrow.pipelines.gate.recount.whole_stream import looked_back
from windrow.pipelines.lateness.needed import add_needed
from windrow.pipelines.tables.arrival_days import ArrivalDays
from windrow.pipelines.tables.stream_tables import StreamTables
from windrow.schemas import registry
from windrow.schemas.errors import NotSetUp, WrongParameter
from windrow.schemas.query import WINDOW_NAME, Query
from windrow.schemas.side_tables import lateness_table
from windrow.schemas.windows import MICROSECOND

SECOND_US = 1_000_000
MINUTE_US, HOUR_US, DAY_US = 60 * SECOND_US, 3_600 * SECOND_US, 86_400 * SECOND_US
# The lengths that people choose from.
USUAL_US = (
    *(count * SECOND_US for count in (0, 1, 5, 15, 30)),
    *(count * MINUTE_US for count in (1, 2, 5, 10, 15, 30)),
    *(count * HOUR_US for count in (1, 2, 3, 6, 12)),
    *(count * DAY_US for count in (1, 2, 3, 7, 14, 30)),
)
# As kernels take a query's lateness that has no end.
MOST_US = 1 << 61
ENOUGH = 0.99


@dataclass(frozen=True)
class CurvePoint:
    """What one lateness would have made of the rows.

    complete: windows whose row on time had all of their events; on_time: windows with such a row; passed: those of them
    whose end the watermark reached; delay_us, delay_median_us: from the ends of these to their rows, all together, and
    of the window in the middle, None without any
    """

    lateness_us: int
    windows: int
    complete: int
    on_time: int
    passed: int
    events: int
    late_events: int
    delay_us: int
    delay_median_us: int | None

    @property
    def complete_share(self) -> float:
        return self.complete / self.windows

    @property
    def on_time_share(self) -> float:
        """Of the events, each counted once for every window that holds it."""
        return (self.events - self.late_events) / self.events

    @property
    def delay_mean_seconds(self) -> float | None:
        """None where the watermark reached the end of no window."""
        return self.delay_us / self.passed / SECOND_US if self.passed else None

    @property
    def delay_median_seconds(self) -> float | None:
        """Where streams have gaps the mean says more of these; None where the mean is."""
        return None if self.delay_median_us is None else self.delay_median_us / SECOND_US


def curve(asked: QueryConnection, lateness_us: Sequence[int]) -> list[CurvePoint]:
    """A point for each lateness, in the order given; none without windows. The stream is taken to end with its last
    event, which lets all windows pass (semantics §1); only those that had passed before have a delay (§3).

    O(events · their windows + windows · points)."""
    windows, events = asked.one("SELECT count(*), coalesce(sum(events), 0) FROM windows_needed")
    if not windows:
        return []
    listed = ", ".join(map(str, lateness_us))
    asked.rows(f"CREATE OR REPLACE TEMP TABLE bounds AS SELECT unnest([{listed}]::BIGINT[]) AS lateness_us")
    late, on_time = _late_events(asked), _on_time(asked)
    points = ((each, late.get(each, 0), *on_time[each]) for each in lateness_us)
    return [
        CurvePoint(each, windows, complete, rows, passed, events, late_events, delay_us, median_us)
        for each, late_events, complete, rows, passed, delay_us, median_us in points
    ]


def recommended_us(asked: QueryConnection, complete: float) -> int:
    """The least lateness in whole seconds that makes at least that share of the windows complete on time."""
    (windows,) = asked.one("SELECT count(*) FROM windows_needed")
    place = max(0, math.ceil(complete * windows) - 1)
    (needed_us,) = asked.one(f"SELECT most_us FROM windows_needed ORDER BY most_us LIMIT 1 OFFSET {place}")
    return max(0, (needed_us // SECOND_US + 1) * SECOND_US)


def lateness_in_us(lateness: timedelta) -> int:
    """Of one without end the most that there is."""
    return min(lateness // MICROSECOND, MOST_US)


def _late_events(asked: QueryConnection) -> dict[int, int]:
    """By lateness of `bounds`: events, counted once for each window that they are late for: ends never fall, so these
    are the first ones of their windows. Without the lateness for which there is none."""
    same = "".join(f"e.{column} = p.{column} AND " for column in looked_back(asked.query).numbered_by)
    rows = asked.rows(f"""
        WITH late_for_some AS (
            SELECT l.*, b.lateness_us, l.newest_us - b.lateness_us AS passed_us
            FROM late l JOIN bounds b ON l.newest_us - b.lateness_us >= l.first_end_us)
        SELECT e.lateness_us, sum(least(e.last, p.number) - e.first + 1)
        FROM late_for_some e ASOF JOIN passed p ON {same}e.passed_us >= p.window_end_us GROUP BY e.lateness_us""")
    return {each: int(events) for each, events in rows}


def _on_time(asked: QueryConnection) -> dict[int, tuple[int, int, int, int, int | None]]:
    """By lateness of `bounds`: complete windows, those with a row on time, those of them that passed, their delays, and
    the median of these. A window passes at the first tick whose newest start is `lateness` behind its end."""
    rows = asked.rows("""
        WITH ends AS (
            SELECT b.lateness_us, w.window_end_us, count(*) FILTER (w.most_us < b.lateness_us) AS complete,
                   count(*) FILTER (w.least_us < b.lateness_us) AS on_time
            FROM windows_needed w CROSS JOIN bounds b GROUP BY ALL),
        delays AS (
            SELECT e.lateness_us, e.complete, e.on_time, t.tick_us - e.window_end_us AS delay_us,
                   if(t.tick_us IS NULL, 0, e.on_time) AS passed
            FROM ends e
            ASOF LEFT JOIN ticks t ON e.window_end_us + e.lateness_us <= t.newest_us),
        ordered AS (
            SELECT *, sum(passed) OVER (PARTITION BY lateness_us ORDER BY delay_us) AS until,
                   sum(passed) OVER (PARTITION BY lateness_us) AS all_passed FROM delays)
        SELECT lateness_us, sum(complete), sum(on_time), sum(passed),
               coalesce(sum(CAST(passed AS HUGEINT) * delay_us), 0),
               min(delay_us) FILTER (2 * until >= all_passed AND all_passed > 0)
        FROM ordered GROUP BY lateness_us""")
    return {each: (*map(int, counts), median_us) for each, *counts, median_us in rows}


@dataclass(frozen=True)
class LatenessCurve:
    """By lateness, rising; with which of them are the query's own and the recommended one. Of one window; window_name:
    which of the query's several it is."""

    query: Query
    first: date
    last: date
    complete: float
    recommended_us: int
    points: list[CurvePoint]
    window_name: str | None = None

    @property
    def own_us(self) -> int:
        """The lateness of the query's definition."""
        return lateness_in_us(self.query.lateness)

    def row(self, point: CurvePoint) -> dict:
        """Of the table lateness_<query>."""
        return {
            "query": self.query.name,
            **({} if self.window_name is None else {WINDOW_NAME: self.window_name}),
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


def whatif(
    config: Config,
    query_name: str,
    days: tuple[date | None, date | None] = (None, None),
    complete: float = ENOUGH,
    lateness: Sequence[timedelta] = (),
) -> list[LatenessCurve]:
    """Make the curve of each window and replace the table by them; arguments and errors are those of
    `lateness_curve`."""
    lake, query = Lake(config), registry.query(query_name)
    curves = (lateness_curve(lake, part, days, complete, lateness) for part in query.parts.values())
    found = [replace(each, window_name=name) for name, each in zip(query.parts, curves, strict=True)]
    table = lateness_table(query.name, query.windows is not None)
    lake.ensure(table)
    lake.replace(table, {"query": [query.name]}, [each.row(point) for each in found for point in each.points])
    return found


def lateness_curve(
    lake: Lake,
    query: Query,
    days: tuple[date | None, date | None],
    complete: float = ENOUGH,
    lateness: Sequence[timedelta] = (),
    every: int = 1,
) -> LatenessCurve:
    """Of a query with one window. Read these days' events once, as if the stream began and ended with them.

    days: the first and the last arrival day, None for those that have events; complete: the share of windows, above 0
    and at most 1, that the recommended lateness makes complete on time; lateness: more lengths than the usual ones;
    every: n, to take every n-th key only.

    UnknownName; NotSetUp where nothing is ingested; WrongParameter for windows that depend on their key's other events,
    and for days without events that a window holds. O(events · their windows).
    """
    looked_back(query)
    tables = StreamTables.of(registry.stream(query.stream))
    first, last = _days(lake, tables, *days)
    silver = TableVersion(lake, tables.silver, lake.existing_version(tables.silver.name))
    with open_recount_database(lake) as connection:
        add_view(connection, "silver", silver, (first, last))
        needed = add_needed(query, connection, tables.stream.idle_after, every)
        if needed.one("SELECT count(*) FROM windows_needed") == (0,):
            allowed = f"days with events that a window of {query.name} holds; none of these is"
            raise WrongParameter("--from and --to", f"{first} to {last}", allowed)
        recommended, enough_for_all = recommended_us(needed, complete), recommended_us(needed, 1.0)
        own = lateness_in_us(query.lateness)
        usual = [each for each in USUAL_US if each < enough_for_all]  # behind that nothing changes any more
        points = {*usual, enough_for_all, recommended, own, *map(lateness_in_us, lateness)}
        return LatenessCurve(query, first, last, complete, recommended, curve(needed, sorted(points)))


def _days(lake: Lake, tables: StreamTables, first: date | None, last: date | None) -> tuple[date, date]:
    """The first and the last day with events of those asked for."""
    stream = tables.stream.name
    there = ArrivalDays.read(lake, tables.partitions.name).by_date
    if not there:
        raise NotSetUp(f"stream {stream} has no events yet", f"windrow ingest {stream}")
    given = {name: str(day) for name, day in (("--from", first), ("--to", last)) if day}
    if first and last and first > last:
        raise WrongParameter("--to", str(last), f"a day from {first} on")
    first, last = first or min(there), last or max(there)
    found = [day for day in there if first <= day <= last]
    if not found:
        allowed = f"days on which events of {stream} arrived: {min(there)} to {max(there)}"
        raise WrongParameter(" and ".join(given), " to ".join(given.values()), allowed)
    return min(found), max(found)
