"""Opens the recounts of a run, one for each of its query's windows: what was known of each after each tick that changed
it, and so the rows that each day should have, with which the laws compare those of the run.

history    (key_number, window_start_us, window_end_us, closed_us, tick_us, revision, pane, events, late_events), with
           window_number where windows have one; with the ticks before the days, so that revisions go on from what
           earlier days counted. A view, which is gone through once where all rows are as it says
doubtful   the audit rows of a window and a day where they are not: laws 3 and 4 look at no others. Days whose rows
           differ are found by digests, and their windows by a join of whole rows
known      the history of these windows; expected: the rows that it gives to these days
"""

from collections.abc import Iterator
from dataclasses import replace

from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.gate.recount import sql
from windrow.pipelines.gate.recount.kinds import in_sql
from windrow.pipelines.gate.recount.query_days import ALL_KEYS, AuditedDays, KeyShare, Recount
from windrow.pipelines.gate.recount.sources import add_events, add_sources
from windrow.pipelines.gate.recount.tables import open_recount_database

SAME = {**{column: column for column in ("revision", "pane", "events", "late_events")}, "emitted_at_us": "tick_us"}


def recounts(lake: Lake, of: AuditedDays, share: KeyShare = ALL_KEYS) -> Iterator[Recount]:
    """Count some keys of days without a gap again, at their versions of silver, the pass ticks and the audit tables: of
    one window after the other, whose tables go before the next one's come. NotRecounted for windows of a kind that has
    no SQL."""
    whole = Recount(of.tables, of.days, of.versions, lake, open_recount_database(lake), before=of.before)
    with whole.connection:
        parts = [replace(whole, window_name=name) for name in of.tables.query.parts]
        lower_us = add_sources(whole, parts, share)
        shared = whole.made()
        for part, of_part_us in zip(parts, lower_us, strict=True):
            add_events(part, of_part_us)
            in_sql(part.query.window).add_windows(part)
            _add_history(part)
            yield part
            part.drop(part.made() - shared)


def _add_history(recount: Recount) -> None:
    """O(events + rows)."""
    connection, window = recount.connection, ", ".join(recount.window)
    connection.execute(f"CREATE TEMP VIEW history AS {in_sql(recount.query.window).history(recount)}")
    connection.execute(f"CREATE TEMP TABLE doubtful_windows AS {_doubtful(recount)}")
    (doubts,) = recount.one("SELECT count(*) FROM doubtful_windows")
    for name, rows, columns in (("doubtful", "audit", f"{window}, emitted_date"), ("known", "history", window)):
        of_them = f"SEMI JOIN doubtful_windows USING ({columns})" if doubts else "LIMIT 0"
        connection.execute(f"CREATE TEMP TABLE {name} AS FROM {rows} {of_them}")
    connection.execute(f"""
        CREATE TEMP VIEW expected AS FROM {_of_days(recount, "known")}
        SEMI JOIN doubtful_windows USING ({window}, emitted_date)""")


def _doubtful(recount: Recount) -> str:
    """SQL: the windows, by day, whose rows are not exactly the expected ones; all where no counts are expected."""
    place, again = (*recount.window, "emitted_date"), _of_days(recount, "history")
    if "law_3_counts" in in_sql(recount.query.window).exceptions(recount.query):
        return f"SELECT {', '.join(place)} FROM audit UNION SELECT {', '.join(place)} FROM {again}"
    compared = {**{column: column for column in place}, **SAME}
    differing = recount.days_that_differ({"audit": [*compared], again: [*compared.values()]})
    days = sql.literals(differing)
    same = " AND ".join(f"a.{audited} = e.{column}" for audited, column in compared.items())
    places = ", ".join(f"coalesce(a.{column}, e.{column}) AS {column}" for column in place)
    return f"""
        SELECT DISTINCT {places}
        FROM (FROM audit WHERE emitted_date IN ({days})) a
        FULL JOIN (FROM {again} WHERE emitted_date IN ({days})) e ON {same}
        WHERE a.key_number IS NULL OR e.key_number IS NULL
        UNION
        SELECT {", ".join(place)} FROM audit WHERE emitted_date IN ({days})
        GROUP BY {", ".join(place)}, revision HAVING count(*) > 1
        {"" if differing else "LIMIT 0"}"""


def _of_days(recount: Recount, history: str) -> str:
    """SQL: the rows that it gives the days."""
    return f"""(
        SELECT *, {sql.day_of("tick_us")} AS emitted_date FROM {history}
        WHERE tick_us >= {recount.start_us} AND tick_us < {recount.end_us})"""
