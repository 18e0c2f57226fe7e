"""What was known of windows after each tick that changed them, without pairing events with windows.

An event is in a range of windows (`spans` of a kind), and between two neighbouring ends of a key's ranges all windows
hold the same events: a stretch (stretches.py). Windows get a row of their stretch's counts, and one for each later tick
that brought events: O(events log events + rows), in any order.
"""

from pipelines.gate.recount.emit import can_emit, firing
from pipelines.gate.recount.final_values import add_final_values
from pipelines.gate.recount.query_days import QueryDays

# By emit: the tick of a window's first row with the counts of it; and the windows to which an event brings a row of its
# own, at its arrival, as the end of their range.
FIRST_ROWS = {
    "final": ("w.closed_us", "recounted_events", "recounted_late_events"),
    "watermark": ("w.reached_us", "recounted_events - recounted_late_events", "0"),
}
WINDOW = "key_number, window_start_us, window_end_us, closed_us"
BOUNDS = "w.window_start_us, w.window_end_us, w.reached_us, w.closed_us"
LATER_UNTIL = {"final": "held_from", "watermark": "on_time_from", "arrival": "until"}


def history(recount: QueryDays, spans: str, began_us: str) -> str:
    """SQL: the rows of `history` (history.py) of the windows of which the days may emit rows, whose spans these are.

    Most windows have one row only. To number and add up those with the others took twice as long.
    began_us: SQL for the time from which on a window `w` exists.
    """
    recount.connection.execute(f"CREATE OR REPLACE TEMP TABLE spans AS {spans}")
    add_final_values(recount)
    recount.connection.execute(f"CREATE OR REPLACE TEMP TABLE later AS {_later_rows(recount, began_us)}")
    if recount.query.emit not in FIRST_ROWS:
        return _numbered(recount, "later")
    recount.connection.execute(f"CREATE OR REPLACE TEMP TABLE firsts AS {_first_rows(recount, began_us)}")
    changed = "SELECT DISTINCT key_number, number FROM later"
    return f"""
        SELECT {WINDOW}, tick_us, 0 AS revision, {firing(recount)} AS pane, taken AS events, taken_late AS late_events
        FROM firsts ANTI JOIN ({changed}) USING (key_number, number)
        UNION ALL
        {_numbered(recount, f"FROM firsts SEMI JOIN ({changed}) USING (key_number, number) UNION ALL FROM later")}"""


def _numbered(recount: QueryDays, rows: str) -> str:
    """SQL: the revisions of windows, one for each tick that changes them."""
    return f"""
        SELECT {WINDOW}, tick_us, row_number() OVER so_far - 1 AS revision, {firing(recount)} AS pane,
               CAST(sum(taken) OVER so_far AS BIGINT) AS events,
               CAST(sum(taken_late) OVER so_far AS BIGINT) AS late_events
        FROM (
            SELECT * EXCLUDE (taken, taken_late), sum(taken) AS taken, sum(taken_late) AS taken_late
            FROM ({rows}) GROUP BY ALL)
        WINDOW so_far AS (PARTITION BY key_number, number ORDER BY tick_us)"""


def _first_rows(recount: QueryDays, began_us: str) -> str:
    """SQL: what a window's first row counts of its stretch. With emit `arrival` every row is a later one."""
    tick_us, taken, late = FIRST_ROWS[recount.query.emit]
    return f"""
        SELECT s.key_number, number, {BOUNDS}, greatest({tick_us}, {began_us}) AS tick_us, taken, taken_late
        FROM (
            SELECT key_number, unnest(generate_series(first, until - 1)) AS number, {taken} AS taken,
                   {late} AS taken_late
            FROM final_values WHERE {taken} > 0) s
        JOIN windows w USING (number)
        WHERE {can_emit(recount)}"""


def _later_rows(recount: QueryDays, began_us: str) -> str:
    """SQL: a row for each window that an event changes by its arrival: as many as the replay has to emit."""
    return f"""
        SELECT e.key_number, number, {BOUNDS}, greatest(e.arrival_us, {began_us}) AS tick_us, 1 AS taken,
               CAST(e.arrival_us > w.reached_us AS INTEGER) AS taken_late
        FROM (
            SELECT key_number, arrival_us, unnest(generate_series(held_from, {LATER_UNTIL[recount.query.emit]} - 1))
                       AS number
            FROM spans) e
        JOIN windows w USING (number)
        WHERE {can_emit(recount)}"""
