"""What was known of each window after each tick that changed it, and so the rows that the day should have.

history    (key_number, window_start_us, window_end_us, tick_us, revision, pane, events, late_events), with
           window_number where windows have one; with the ticks before the day, so that revisions go on from what
           earlier days counted
expected   those of the day
doubtful   the audit rows of the windows whose rows are not exactly the expected ones: laws 3 and 4 look at no others.
           One join of whole rows finds them
"""

from pipelines.gate.recount.recount import Recount

SAME = {
    **{column: column for column in ("revision", "pane", "events", "late_events")},
    "emitted_at_us": "tick_us",
}


def add_history(recount: Recount) -> None:
    """Make `history`, `expected` and `doubtful`: O(events + rows)."""
    recount.connection.execute(f"CREATE TEMP TABLE history AS {recount.windows.history(recount)}")
    recount.connection.execute(
        f"CREATE TEMP VIEW expected AS SELECT * FROM history "
        f"WHERE tick_us >= {recount.start_us} AND tick_us < {recount.end_us}"
    )
    window = ", ".join(recount.window)
    recount.connection.execute(f"CREATE TEMP TABLE doubtful_windows AS {_doubtful(recount)}")
    recount.connection.execute(
        f"CREATE TEMP TABLE doubtful AS SELECT * FROM audit SEMI JOIN doubtful_windows USING ({window})"
    )


def _doubtful(recount: Recount) -> str:
    """SQL: the windows whose rows are not exactly the expected ones; every window where no counts are expected."""
    if recount.windows.exceptions(recount.query):
        return f"SELECT {', '.join(recount.window)} FROM audit UNION SELECT {', '.join(recount.window)} FROM expected"
    compared = {**{column: column for column in recount.window}, **SAME}
    same = " AND ".join(f"a.{audited} = e.{expected}" for audited, expected in compared.items())
    window = ", ".join(f"coalesce(a.{column}, e.{column}) AS {column}" for column in recount.window)
    return f"""
        SELECT DISTINCT {window} FROM audit a FULL JOIN expected e ON {same}
        WHERE a.key_number IS NULL OR e.key_number IS NULL"""
