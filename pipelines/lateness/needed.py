"""The lateness that each event needed, to be on time for each of its windows (semantics §3).

    events, by arrival       09:01   09:07   09:02      window [09:00, 09:05)
    newest start before                 1       7      the third event came when 09:07 had been seen:
    needed                              -    2 min     it is on time where lateness > 09:07 − 09:05

A watermark reaches a window's end when the newest event start is `lateness` behind it, so an event is on time for a
window at every lateness greater than (newest start before its tick) − window end. The windows are those of the gate's
recount: no kernel takes part.
"""

from datetime import timedelta

import duckdb

from windrow.pipelines.gate.recount.kinds.rolling import RollingWindows
from windrow.pipelines.gate.recount.query_days import QueryConnection
from windrow.pipelines.gate.recount.sql import EVER_US
from windrow.pipelines.gate.recount.whole_stream import add_met, looked_back
from windrow.schemas.query import Query

# An event that is the first of all is on time for each of its windows.
_NEEDED_US = f"coalesce(e.newest_us, {EVER_US}) - w.window_end_us"
_PER_WINDOW = f"""
    SELECT w.window_end_us, count(*) AS events, max({_NEEDED_US}) AS most_us, min({_NEEDED_US}) AS least_us
    FROM (SELECT *, unnest(generate_series(first, last)) AS number FROM met) e JOIN windows w USING (number)
    GROUP BY e.key_number, w.number, w.window_end_us"""


def add_needed(
    query: Query, database: duckdb.DuckDBPyConnection, idle_after: timedelta | None = None, every: int = 1
) -> QueryConnection:
    """What `add_met` makes of the view `silver`, and

    late     events that were late for some of their windows without lateness: key_number, newest_us, the numbers
             `first` and `last` of these windows, and first_end_us
    windows_needed    of each window with events: their number, the greatest needed_us of them, and the least, which the
                      window needs for a row on time

    WrongParameter for windows that depend on their key's other events. O(events · their windows).
    """
    asked, windows = add_met(query, database, idle_after, every), looked_back(query)
    database.execute("""
        CREATE TEMP TABLE late AS
        SELECT m.key_number, m.newest_us, m.first, m.last, f.window_end_us AS first_end_us
        FROM met m JOIN windows f ON f.number = m.first WHERE m.newest_us >= f.window_end_us""")
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
