"""Every event is accounted for, and the late rows are those of the events that missed a window.

Every accepted event that arrived in the interval is exactly one of: filtered; in no window; too late for all its
windows; held by at least one (passed or not).
"""

from datetime import date

from windrow.pipelines.gate.recount import sources, sql
from windrow.pipelines.gate.recount.finding import LawFinding, found_by_day, named_window, values_list
from windrow.pipelines.gate.recount.kinds import in_sql
from windrow.pipelines.gate.recount.query_days import AuditedDays, Recount
from windrow.pipelines.ledger.verdicts import Verdict

NAME = "law 2: every event is accounted for"
CHECKS = "audit"
IDENTITY = ("path", "line", "reading")
LATE_COLUMNS = ("reason", "first_missed", "last_missed", "windows_missed", "late_by")
ALL_TIMES_US = 1 << 61  # beyond all times: how late is not known
FATES = ("filtered", "in no window", "too late for all", "held")


def find(recount: Recount) -> dict[date, LawFinding]:
    """Count what each event of a day is; those that missed a window must be the day's late rows."""
    recount.connection.execute(f"CREATE OR REPLACE TEMP VIEW fates AS {_fates(recount)}")
    recount.connection.execute(f"CREATE OR REPLACE TEMP TABLE disagreeing AS {_disagreeing(recount)}")
    counted: dict[date, dict[str, int]] = {day: {} for day in recount.days}
    for day, fate, events in recount.rows("SELECT arrival_date, fate, count(*) FROM fates GROUP BY ALL"):
        counted[day][fate] = events
    shown = ", ".join([*named_window(recount), "* EXCLUDE (day)"])
    return found_by_day(recount, counted, "disagreeing", f"SELECT {shown} FROM disagreeing")


def verdict(of: AuditedDays, found: LawFinding) -> Verdict:
    parts = [f"{found.counted.get(fate, 0)} {fate}" for fate in FATES]
    figure = (
        f"{sum(found.counted.values())} accepted = {' + '.join(parts)}; the late rows disagree with the recount "
        f"on {found.broken} events"
    )
    offending = _offending(of, found) if found.broken else None
    table, version = of.tables.late_audit.name, of.versions.late_audit
    return Verdict(NAME, not found.broken, figure, "0 events disagree", offending, table, version)


def _fates(recount: Recount) -> str:
    """SQL: each event of the days with the windows that it missed and what became of it."""
    return f"""
        SELECT *, CASE WHEN NOT kept THEN 'filtered' WHEN windows = 0 OR too_long THEN 'in no window'
                       WHEN windows_missed = windows THEN 'too late for all' ELSE 'held' END AS fate,
               kept AND (too_long OR windows_missed > 0) AS is_late,
               CASE WHEN too_long THEN 'too long' ELSE 'too late' END AS reason
        FROM ({in_sql(recount.query.window).missed(recount)})"""


def _disagreeing(recount: Recount) -> str:
    """SQL: events whose late row is missing, needless, different, or there more than once."""
    lateness_us = sql.microseconds(recount.query.lateness)
    late_by_us = f"CASE WHEN {lateness_us} < {ALL_TIMES_US} THEN t.newest_us - {lateness_us} - m.first_end_us END"
    # Of windows that depend on their key's other events a late row has none.
    missed = f"CASE WHEN {recount.query.context_free} THEN windows_missed END"
    late = f"""
        SELECT m.* REPLACE ({missed} AS windows_missed), {late_by_us} AS late_by_us
        FROM (FROM fates WHERE is_late) m ASOF LEFT JOIN ticks t ON m.arrival_us > t.tick_us"""
    same = ("arrival_date", *sources.IDENTITY)
    others = [column for column in recount.types_of("late_audit") if column not in same]
    copies = f"SELECT *, count(*) OVER (PARTITION BY {', '.join(same)}) AS copies FROM late_audit"
    differs = " OR ".join(f"e.{column} IS DISTINCT FROM l.{column}" for column in others)
    return f"""
        SELECT coalesce(e.arrival_date, l.arrival_date) AS day, p.path,
               coalesce(e.line, l.line) AS line, coalesce(e.reading, l.reading) AS reading,
               coalesce(e.windows_missed, 0) AS windows_missed,
               e.first_missed_us, e.last_missed_us, e.late_by_us
        FROM ({late}) e
        FULL JOIN ({copies}) l ON {" AND ".join(f"e.{column} = l.{column}" for column in same)}
        JOIN paths p ON p.path_number = coalesce(e.path_number, l.path_number)
        WHERE l.copies > 1 OR {differs}"""


def _offending(of: AuditedDays, found: LawFinding) -> str:
    """SQL that shows the events, their late rows and the recount side by side."""
    again = ("windows_missed", "first_missed_us", "last_missed_us", "late_by")
    names = [*of.query.name_column, *IDENTITY, *(f"recounted_{each}" for each in again)]
    silver, late = of.tables.source.silver.name, of.tables.late_audit.name
    of_event, of_row = (
        " AND ".join(f"{table}.{column} = x.{column}" for column in columns)
        for table, columns in (("s", IDENTITY), ("l", (*IDENTITY, *of.query.name_column)))
    )
    columns = [f"s.{each}" for each in (*of.query.key, "start", "end", "arrival")]
    columns += [f"l.{each}" for each in LATE_COLUMNS]
    return (
        f"SELECT x.*, {', '.join(columns)} FROM {values_list(found.rows, names)} "
        f"LEFT JOIN {silver} s ON {of_event} LEFT JOIN {late} l ON {of_row} ORDER BY ALL"
    )
