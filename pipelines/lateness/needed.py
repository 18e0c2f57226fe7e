"""The lateness that each event needed, to be on time for each of its windows (semantics §3).

    events, by arrival       09:01   09:07   09:02      window [09:00, 09:05)
    newest start before                 1       7      the third event came when 09:07 had been seen:
    needed                              -    2 min     it is on time where lateness > 09:07 − 09:05

A watermark reaches a window's end when the newest event start is `lateness` behind it, so an event is on time for a
window at every lateness greater than (newest start before its tick) − window end. The windows are those of the gate's
recount: no kernel takes part.
"""

from dataclasses import replace
from datetime import timedelta

import duckdb

from windrow.pipelines.gate.recount import expressions, sql
from windrow.pipelines.gate.recount.kinds import in_sql
from windrow.pipelines.gate.recount.kinds._windows import LookedBackWindows
from windrow.pipelines.gate.recount.kinds.rolling import RollingWindows
from windrow.pipelines.gate.recount.query_days import QueryConnection
from windrow.pipelines.gate.recount.sql import EVER_US
from windrow.pipelines.gate.recount.ticks import heartbeats_between
from windrow.schemas.errors import WrongParameter
from windrow.schemas.query import Query

# An event that is the first of all is on time for each of its windows.
_NEEDED_US = f"coalesce(e.newest_us, {EVER_US}) - w.window_end_us"
_PER_WINDOW = f"""
    SELECT w.window_end_us, count(*) AS events, max({_NEEDED_US}) AS most_us, min({_NEEDED_US}) AS least_us
    FROM (SELECT *, unnest(generate_series(first, last)) AS number FROM met) e JOIN windows w USING (number)
    GROUP BY e.key_number, w.number, w.window_end_us"""


def looked_back(query: Query) -> LookedBackWindows:
    """WrongParameter for windows that depend on their key's other events: another lateness gives other windows."""
    if not query.context_free:
        allowed = "windows that don't depend on their key's other events: tumbling, sliding, spanning, rolling"
        raise WrongParameter("the kind of windows of a lateness curve", query.window.kind, allowed)
    windows = in_sql(query.window)
    assert isinstance(windows, LookedBackWindows), "windows without context are known without their events"
    return windows


def add_needed(
    query: Query, database: duckdb.DuckDBPyConnection, idle_after: timedelta | None = None, every: int = 1
) -> QueryConnection:
    """From the view `silver`, as if the stream began and ended with these events, make (of every n-th key, by hash)

    ticks    tick_us and newest_us: the arrival ticks, and heartbeats, that raised the newest event start
    late     events that were late for some of their windows without lateness: key_number, newest_us, the numbers
             `first` and `last` of these windows, and first_end_us
    passed   the last window of each end, by what windows have a numbering of
    windows_needed    of each window with events: their number, the greatest needed_us of them, and the least, which the
                      window needs for a row on time

    WrongParameter for windows that depend on their key's other events. O(events · their windows).
    """
    windows = looked_back(query)
    all_taken = replace(query, lateness=timedelta(0), allowed_lateness=timedelta.max)
    asked = QueryConnection(all_taken, database)
    database.execute(_ticks(idle_after))
    columns = "".join(f"{sql.name(column)}, " for column in query.key)
    database.execute(f"""
        CREATE TEMP TABLE keys AS
        SELECT row_number() OVER (ORDER BY hash({columns} TRUE)) AS key_number, *
        FROM (SELECT DISTINCT {columns} TRUE AS one FROM silver) QUALIFY (key_number - 1) % {every} = 0""")
    database.execute(_candidates(asked, windows))
    # Windows that only an event without any of its own would show are of no interest.
    database.execute("CREATE TEMP TABLE arrived AS SELECT *, FALSE AS kept, FALSE AS too_long FROM candidates LIMIT 0")
    windows.add_windows(asked)
    windows.add_met(asked)
    database.execute("""
        CREATE TEMP TABLE late AS
        SELECT m.key_number, m.newest_us, m.first, m.last, f.window_end_us AS first_end_us
        FROM met m JOIN windows f ON f.number = m.first WHERE m.newest_us >= f.window_end_us""")
    by = ", ".join((*windows.numbered_by, "window_end_us"))
    database.execute(f"CREATE TEMP TABLE passed AS SELECT {by}, max(number) AS number FROM windows GROUP BY {by}")
    per_window = _per_rolling_window(windows) if isinstance(windows, RollingWindows) else _PER_WINDOW
    database.execute(f"CREATE TEMP TABLE windows_needed AS {per_window}")
    return asked


def _per_rolling_window(windows: RollingWindows) -> str:
    """A window's events follow on each other by their starts: pairs of events and windows took 22 GB for a million
    readings. It is there once an event of its last time has come, and has a row on time if that was."""
    beyond_us = windows.beyond_us
    until = "CURRENT ROW" if beyond_us else "1 PRECEDING"
    return f"""
        SELECT start_us + {beyond_us} AS window_end_us, any_value(events) AS events,
               any_value(most_us) - start_us - {beyond_us} AS most_us,
               greatest(any_value(least_us), any_value(own_us)) - start_us - {beyond_us} AS least_us
        FROM (
            SELECT key_number, start_us, count(*) OVER held AS events,
                   max(coalesce(newest_us, {EVER_US})) OVER held AS most_us,
                   min(coalesce(newest_us, {EVER_US})) OVER held AS least_us,
                   min(coalesce(newest_us, {EVER_US})) OVER (PARTITION BY key_number, start_us) AS own_us
            FROM candidates
            WINDOW held AS (PARTITION BY key_number ORDER BY start_us
                            RANGE BETWEEN {windows.size_us - beyond_us} PRECEDING AND {until}))
        WHERE events > 0 GROUP BY key_number, start_us"""


def _ticks(idle_after: timedelta | None) -> str:
    return f"""
        CREATE TEMP TABLE ticks AS
        WITH newest AS (
            SELECT epoch_us(arrival) AS tick_us, max(epoch_us("start")) AS newest_us FROM silver GROUP BY ALL
            {_heartbeats(idle_after)}),
        so_far AS (SELECT tick_us, max(newest_us) OVER (ORDER BY tick_us) AS newest_us FROM newest)
        SELECT min(tick_us) AS tick_us, newest_us FROM so_far GROUP BY newest_us"""


def _heartbeats(idle_after: timedelta | None) -> str:
    """Between the first arrival and the last, with which the stream ends."""
    if idle_after is None:
        return ""
    points = """
        SELECT epoch_us(arrival) AS point_us FROM silver UNION
        SELECT epoch_us(midnight) FROM (
            SELECT unnest(generate_series(
                CAST(CAST(make_timestamp(min(us)) AS DATE) + 1 AS TIMESTAMP), make_timestamp(max(us)), INTERVAL 1 DAY
            )) AS midnight FROM (SELECT epoch_us(arrival) AS us FROM silver))"""
    return f"UNION ALL {heartbeats_between(points, sql.microseconds(idle_after))}"


def _candidates(asked: QueryConnection, windows: LookedBackWindows) -> str:
    query, types = asked.query, expressions.types_of(asked.connection, "silver")
    return f"""
        CREATE TEMP TABLE candidates AS
        SELECT e.* {windows.numbers("e")}
        FROM (
            SELECT k.key_number, epoch_us(s."start") AS start_us, {windows.reach_us("s")} AS reach_us,
                   epoch_us(s.arrival) AS arrival_us, t.newest_us
            FROM silver s
            ASOF LEFT JOIN ticks t ON epoch_us(s.arrival) > t.tick_us
            JOIN keys k ON {sql.same(query.key, "s", "k")}
            WHERE {expressions.where(query.condition, "s", types)} AND NOT {windows.too_long("s")}) e"""
