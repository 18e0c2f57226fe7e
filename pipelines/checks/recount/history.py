"""What was known of each window after each tick that changed it, and so the rows that the day should have.

    history    (key_number, window_start_us, window_end_us, tick_us, revision, pane, events, late_events);
               with the ticks before the day, so that revisions go on from what earlier days said
    expected   those of the day
"""

from pipelines.checks.recount.rolling import youngest_rows
from pipelines.checks.recount.subject import Recount
from pipelines.checks.recount.windows import held, tells

PANES = {
    "final": "'final'",
    "watermark": "CASE WHEN tick_us = reached_us THEN 'on_time' ELSE 'late' END",
    "arrival": "CASE WHEN tick_us > reached_us THEN 'late' ELSE 'early' END",
}


def add_history(recount: Recount) -> None:
    """Make `history` and `expected`: O(events x windows of an event), one grouping."""
    recount.connection.execute(f"CREATE TEMP TABLE history AS {_history(recount)}")
    recount.connection.execute(
        f"CREATE TEMP VIEW expected AS SELECT * FROM history "
        f"WHERE tick_us >= {recount.start_us} AND tick_us < {recount.end_us}")


def _history(recount: Recount) -> str:
    if recount.youngest_only:
        return youngest_rows()
    return f"""
        WITH changes AS (
            SELECT key_number, number, tick_us, count(*) AS taken,
                   count(*) FILTER (arrival_us > reached_us) AS taken_late
            FROM {held(recount, tells(recount))} GROUP BY key_number, number, tick_us)
        SELECT c.key_number, w.window_start_us, w.window_end_us, c.tick_us,
               row_number() OVER so_far - 1 AS revision, {PANES[recount.query.emit]} AS pane,
               CAST(sum(taken) OVER so_far AS BIGINT) AS events,
               CAST(sum(taken_late) OVER so_far AS BIGINT) AS late_events
        FROM changes c JOIN windows w USING (number)
        WINDOW so_far AS (PARTITION BY c.key_number, number ORDER BY tick_us)"""
