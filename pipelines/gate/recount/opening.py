"""Opens the recount of a run: what was known of each window after each tick that changed it, and so the rows that each
day should have, with which the laws compare those of the run.

history    (key_number, window_start_us, window_end_us, closed_us, tick_us, revision, pane, events, late_events), with
           window_number where windows have one; with the ticks before the days, so that revisions go on from what
           earlier days counted
expected   those of the days, with their `emitted_date`
doubtful   the audit rows of a window and a day where these are not exactly the expected ones: laws 3 and 4 look at no
           others. Days whose rows differ are found by digests, and their windows by a join of whole rows
"""

from collections.abc import Mapping
from datetime import date

from pipelines.delta.lake import Lake
from pipelines.gate.recount import sql
from pipelines.gate.recount.drawn import add_drawn
from pipelines.gate.recount.kinds import in_sql
from pipelines.gate.recount.plain.kinds import not_cut_exactly
from pipelines.gate.recount.query_days import ALL_KEYS, AuditedDays, KeyShare, Recount
from pipelines.gate.recount.sources import add_sources
from pipelines.gate.recount.tables import open_recount_database

SAME = {**{column: column for column in ("revision", "pane", "events", "late_events")}, "emitted_at_us": "tick_us"}


def open_recount(lake: Lake, of: AuditedDays, share: KeyShare = ALL_KEYS) -> Recount:
    """Count some keys of days without a gap again, at their versions of silver, the pass ticks and the audit tables.
    NotRecounted for windows of a kind that has no SQL."""
    recount = Recount(of.tables, of.days, of.versions, open_recount_database(lake), before=of.before)
    add_sources(recount, lake, share)
    in_sql(of.query.window).add_windows(recount)
    _add_history(recount)
    if not of.query.window.context_free and not_cut_exactly(of.query.window) is None:
        add_drawn(recount, lake)
    return recount


def _add_history(recount: Recount) -> None:
    """Make `history`, `expected` and `doubtful`: O(events + rows)."""
    recount.connection.execute(f"CREATE TEMP TABLE history AS {in_sql(recount.query.window).history(recount)}")
    recount.connection.execute(f"""
        CREATE TEMP VIEW expected AS SELECT *, {sql.day_of("tick_us")} AS emitted_date FROM history
        WHERE tick_us >= {recount.start_us} AND tick_us < {recount.end_us}""")
    recount.connection.execute(f"CREATE TEMP TABLE doubtful_windows AS {_doubtful(recount)}")
    place = ", ".join((*recount.window, "emitted_date"))
    recount.connection.execute(f"""
        CREATE TEMP TABLE doubtful AS FROM audit SEMI JOIN doubtful_windows USING ({place})""")


def _doubtful(recount: Recount) -> str:
    """SQL: the windows, by day, whose rows are not exactly the expected ones; all where no counts are expected."""
    place = (*recount.window, "emitted_date")
    if in_sql(recount.query.window).exceptions(recount.query):
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
    digest = "SELECT emitted_date, count(*) AS rows, sum(CAST(hash({1}) AS HUGEINT)) AS digest FROM {0} GROUP BY ALL"
    audited = digest.format("audit", ", ".join(compared))
    expected = digest.format("expected", ", ".join(compared.values()))
    differing = recount.rows(f"""
        SELECT emitted_date FROM (({audited}) UNION ALL ({expected})) GROUP BY ALL
        HAVING count(*) <> 2 OR min(rows) <> max(rows) OR min(digest) <> max(digest)""")
    return [day for (day,) in differing]
