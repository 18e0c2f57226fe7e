"""What was known of each window after each tick that changed it, and so the rows that the day should have.

history    (key_number, window_start_us, window_end_us, tick_us, revision, pane, events, late_events);
           with the ticks before the day, so that revisions go on from what earlier days counted
expected   those of the day
"""

from pipelines.gate.recount.recount import Recount


def add_history(recount: Recount) -> None:
    """Make `history` and `expected`: O(events x windows of an event), one grouping."""
    recount.connection.execute(f"CREATE TEMP TABLE history AS {recount.windows.history(recount)}")
    recount.connection.execute(
        f"CREATE TEMP VIEW expected AS SELECT * FROM history "
        f"WHERE tick_us >= {recount.start_us} AND tick_us < {recount.end_us}"
    )
