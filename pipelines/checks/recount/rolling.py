"""Rolling windows: one per key and event time that an event not too late for it has shown (semantics §2).

Events and windows meet in cells as long as the window: a window's events lie in its last time's cell or the
one before. A join on the key alone would pair all of a station's events of the look-back with each other.
"""

from pipelines.checks.recount import sql
from pipelines.checks.recount.subject import Recount
from pipelines.checks.recount.ticks import with_passes


def add_windows(recount: Recount) -> None:
    """Make `times` (every event time's window) and `windows` (those that exist)."""
    connection, size_us = recount.connection, sql.microseconds(recount.query.window.size)
    connection.execute(f"""
        CREATE TEMP TABLE seen AS
        SELECT DISTINCT start_us + 1 - {size_us} AS window_start_us, start_us + 1 AS window_end_us
        FROM reading""")
    connection.execute(f"CREATE TEMP TABLE times AS {with_passes(recount, 'seen')}")
    connection.execute("""
        CREATE TEMP TABLE windows AS
        SELECT row_number() OVER () AS number, t.*, e.key_number, min(e.arrival_us) AS born_us
        FROM reading e JOIN times t ON e.start_us + 1 = t.window_end_us
        WHERE e.arrival_us <= t.closed_us
        GROUP BY ALL""")


def held(recount: Recount, of_windows: str, tick: str) -> str:
    """SQL: each event with each chosen window that takes it; no row counts it before the window exists."""
    size_us = sql.microseconds(recount.query.window.size)
    return f"""(
        SELECT e.* EXCLUDE (near), w.number, w.window_start_us, w.window_end_us, w.reached_us, w.closed_us,
               greatest({tick}, w.born_us) AS tick_us
        FROM {cells('reading', size_us)} e
        JOIN (SELECT *, floor_div(window_end_us - 1, {size_us}) AS near FROM windows WHERE {of_windows}) w
            USING (key_number, near)
        WHERE e.start_us >= w.window_start_us AND e.start_us < w.window_end_us
            AND e.arrival_us <= w.closed_us)"""


def cells(relation: str, size_us: int) -> str:
    """SQL: each event twice, `near` being the cells in which the last times of its windows lie."""
    cell = f"floor_div(start_us, {size_us})"
    return f"(SELECT *, unnest([{cell}, {cell} + 1]) AS near FROM {relation})"


def youngest_rows() -> str:
    """SQL for emit `arrival`: after each tick of a key, its youngest window, if the tick changed it."""
    return """
        WITH own AS (
            SELECT e.key_number, e.arrival_us AS tick_us, e.start_us, e.arrival_us <= t.closed_us AS shows
            FROM reading e JOIN times t ON e.start_us + 1 = t.window_end_us),
        bursts AS (
            SELECT key_number, tick_us, max(start_us) FILTER (shows) AS shown_us
            FROM own GROUP BY key_number, tick_us),
        youngest AS (
            SELECT key_number, tick_us,
                   max(shown_us) OVER (PARTITION BY key_number ORDER BY tick_us) AS time_us
            FROM bursts),
        said AS (
            SELECT DISTINCT y.key_number, y.tick_us, t.window_start_us, t.window_end_us, t.reached_us
            FROM youngest y
            JOIN times t ON y.time_us + 1 = t.window_end_us
            JOIN own e ON e.key_number = y.key_number AND e.tick_us = y.tick_us
            WHERE e.start_us BETWEEN t.window_start_us AND y.time_us AND e.tick_us <= t.closed_us)
        SELECT key_number, window_start_us, window_end_us, tick_us,
               row_number() OVER (PARTITION BY key_number, window_end_us ORDER BY tick_us) - 1 AS revision,
               CASE WHEN tick_us > reached_us THEN 'late' ELSE 'early' END AS pane
        FROM said"""
