"""What was known of windows after each tick that changed them, without pairing events with windows.

An event is in a range of windows (`spans` of a kind), and between two neighbouring ends of a key's ranges all windows
hold the same events: a stretch (stretches.py). Windows get a row of their stretch's counts, and one for each later tick
that brought events: O(events log events + rows), in any order.
"""

from windrow.pipelines.gate.recount.final_values import add_final_values
from windrow.pipelines.gate.recount.query_days import Recount

# What a query's `emit` says (semantics §3), in SQL. The tick of a window's first row, where no event brings it:
FIRST_TICKS = {"final": "closed_us", "watermark": "reached_us"}
# what that row counts of its stretch;
FIRST_COUNTS = {
    "final": ("recounted_events", "recounted_late_events"),
    "watermark": ("recounted_events - recounted_late_events", "0"),
}
# the end of the range of windows to which an event brings a row of its own, at its arrival, and which events do;
LATER = {"final": ("held_from", "FALSE"), "watermark": ("on_time_from", "is_late"), "arrival": ("until", "TRUE")}
# a row's firing; and the tick of the newest row of a window `w`, by its newest arrival and from when on it exists.
FIRINGS = {
    "final": "'final'",
    "watermark": "CASE WHEN tick_us = reached_us THEN 'on_time' ELSE 'late' END",
    "arrival": "CASE WHEN tick_us > reached_us THEN 'late' ELSE 'early' END",
}
NEWEST_TICKS = {"final": "w.closed_us", "watermark": "greatest({0}, w.reached_us, {1})", "arrival": "{0}"}
WINDOW = "key_number, window_start_us, window_end_us, closed_us"
BOUNDS = "w.window_start_us, w.window_end_us, w.reached_us, w.closed_us"


def firing(recount: Recount) -> str:
    """SQL: the firing (column `pane`) of a row that came at `tick_us`, of a window that was reached at `reached_us`."""
    return FIRINGS[recount.query.emit]


def can_emit(recount: Recount) -> str:
    """SQL: whether the days may emit rows of a window: still open, and its first row can have come."""
    first_row = FIRST_TICKS.get(recount.query.emit)
    return f"closed_us >= {recount.start_us}" + (f" AND {first_row} < {recount.end_us}" if first_row else "")


def history(recount: Recount, spans: str, began_us: str) -> str:
    """SQL: the rows of `history` (opening.py) of the windows of which the days may emit rows, whose spans these are.

    Most windows have one row only. To number and add up those with the others took twice as long.
    began_us: SQL for the time from which on a window `w` exists.
    """
    recount.connection.execute(f"CREATE OR REPLACE TEMP VIEW spans AS {spans}")
    add_final_values(recount)
    recount.connection.execute(f"CREATE OR REPLACE TEMP TABLE later AS {_later_rows(recount, began_us)}")
    if recount.query.emit not in FIRST_TICKS:
        return _numbered(recount, "later")
    recount.connection.execute(f"CREATE OR REPLACE TEMP VIEW firsts AS {_first_rows(recount, began_us)}")
    changed = "SELECT DISTINCT key_number, number FROM later"
    return f"""
        SELECT {WINDOW}, tick_us, 0 AS revision, {firing(recount)} AS pane, taken AS events, taken_late AS late_events
        FROM firsts ANTI JOIN ({changed}) USING (key_number, number)
        UNION ALL
        {_numbered(recount, f"FROM firsts SEMI JOIN ({changed}) USING (key_number, number) UNION ALL FROM later")}"""


def _numbered(recount: Recount, rows: str) -> str:
    """SQL: the revisions of windows, one for each tick that changes them."""
    return f"""
        SELECT {WINDOW}, tick_us, row_number() OVER so_far - 1 AS revision, {firing(recount)} AS pane,
               CAST(sum(taken) OVER so_far AS BIGINT) AS events,
               CAST(sum(taken_late) OVER so_far AS BIGINT) AS late_events
        FROM (
            SELECT * EXCLUDE (taken, taken_late), sum(taken) AS taken, sum(taken_late) AS taken_late
            FROM ({rows}) GROUP BY ALL)
        WINDOW so_far AS (PARTITION BY key_number, number ORDER BY tick_us)"""


def _first_rows(recount: Recount, began_us: str) -> str:
    """SQL: what a window's first row counts of its stretch. With emit `arrival` every row is a later one."""
    emit = recount.query.emit
    taken, late = FIRST_COUNTS[emit]
    return f"""
        SELECT s.key_number, number, {BOUNDS}, greatest(w.{FIRST_TICKS[emit]}, {began_us}) AS tick_us, taken, taken_late
        FROM (
            SELECT key_number, unnest(generate_series(first, until - 1)) AS number, {taken} AS taken,
                   {late} AS taken_late
            FROM final_values WHERE {taken} > 0) s
        JOIN windows w USING (number)
        WHERE {can_emit(recount)}"""


def _later_rows(recount: Recount, began_us: str) -> str:
    """SQL: a row for each window that an event changes by its arrival: as many as the replay has to emit."""
    until, bring_rows = LATER[recount.query.emit]
    return f"""
        SELECT e.key_number, number, {BOUNDS}, greatest(e.arrival_us, {began_us}) AS tick_us, 1 AS taken,
               CAST(e.arrival_us > w.reached_us AS INTEGER) AS taken_late
        FROM (
            SELECT key_number, arrival_us, unnest(generate_series(held_from, {until} - 1))
                       AS number
            FROM spans WHERE {bring_rows}) e
        JOIN windows w USING (number)
        WHERE {can_emit(recount)}"""
