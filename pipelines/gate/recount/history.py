"""What was known of each window after each tick that changed it, and so the rows that each day should have.

history    (key_number, window_start_us, window_end_us, closed_us, tick_us, revision, pane, events, late_events), with
           window_number where windows have one; with the ticks before the days, so that revisions go on from what
           earlier days counted
expected   those of the days, with their `emitted_date`
doubtful   the audit rows of a window and a day where these are not exactly the expected ones: laws 3 and 4 look at no
           others. Days whose rows differ are found by digests, and their windows by a join of whole rows
"""

from collections.abc import Mapping
from datetime import date

from pipelines.gate.recount import sql
from pipelines.gate.recount.query_days import Recount

SAME = {**{column: column for column in ("revision", "pane", "events", "late_events")}, "emitted_at_us": "tick_us"}


def add_history(recount: Recount) -> None:
    """Make `history`, `expected` and `doubtful`: O(events + rows)."""
    recount.connection.execute(f"CREATE TEMP TABLE history AS {recount.windows.history(recount)}")
    recount.connection.execute(
        f"CREATE TEMP VIEW expected AS SELECT *, {sql.day_of('tick_us')} AS emitted_date FROM history "
        f"WHERE tick_us >= {recount.start_us} AND tick_us < {recount.end_us}"
    )
    place = ", ".join((*recount.window, "emitted_date"))
    recount.connection.execute(f"CREATE TEMP TABLE doubtful_windows AS {_doubtful(recount)}")
    recount.connection.execute(
        f"CREATE TEMP TABLE doubtful AS SELECT * FROM audit SEMI JOIN doubtful_windows USING ({place})"
    )


def _doubtful(recount: Recount) -> str:
    """SQL: the windows, by day, whose rows are not exactly the expected ones; all where no counts are expected."""
    place = (*recount.window, "emitted_date")
    if recount.windows.exceptions(recount.query):
        return f"SELECT {', '.join(place)} FROM audit UNION SELECT {', '.join(place)} FROM expected"
    compared = {**{column: column for column in place}, **SAME}
    days = ", ".join(map(sql.literal, _days_that_differ(recount, compared))) or "NULL"
    same = " AND ".join(f"a.{audited} = e.{expected}" for audited, expected in compared.items())
    places = ", ".join(f"coalesce(a.{column}, e.{column}) AS {column}" for column in place)
    return f"""
        SELECT DISTINCT {places}
        FROM (FROM audit WHERE emitted_date IN ({days})) a
        FULL JOIN (FROM expected WHERE emitted_date IN ({days})) e ON {same}
        WHERE a.key_number IS NULL OR e.key_number IS NULL"""


def _days_that_differ(recount: Recount, compared: Mapping[str, str]) -> list[date]:
    """By sums over the rows of hashes of 64 bits, in any order: a join of five million rows that are all as
    expected took four times as long."""
    audited, expected = (
        f"SELECT emitted_date, count(*) AS rows, sum(CAST(hash({', '.join(columns)}) AS HUGEINT)) AS digest "
        f"FROM {table} GROUP BY ALL"
        for table, columns in (("audit", compared), ("expected", compared.values()))
    )
    differing = recount.rows(f"""
        SELECT emitted_date FROM (({audited}) UNION ALL ({expected})) GROUP BY ALL
        HAVING count(*) <> 2 OR min(rows) <> max(rows) OR min(digest) <> max(digest)""")
    return [day for (day,) in differing]
