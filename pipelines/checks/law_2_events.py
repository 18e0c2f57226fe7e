"""Every event is accounted for, and the late rows are those of the events that missed a window."""

from pipelines.checks.recount import sql
from pipelines.checks.recount.offending import SHOWN, values_list
from pipelines.checks.recount.rolling import cells
from pipelines.checks.recount.subject import Recount
from pipelines.checks.recount.windows import numbered
from pipelines.checks.verdict import Verdict

NAME = "law 2: every event is accounted for"
LAW = ("Every accepted event that arrived in the interval is exactly one of: filtered; in no window; too "
       "late for all its windows; held by at least one (passed or not).")
JUDGES = "audit"
IDENTITY = ("path", "line", "reading")
COMPARED = ("key_number", "start_us", "end_us", "arrival_us", "reason", "first_missed_us", "last_missed_us",
            "windows_missed", "late_by_us")
LATE_COLUMNS = ("reason", "first_missed", "last_missed", "windows_missed", "late_by")
ALL_TIMES_US = 1 << 61  # a lateness of this much or more says nothing of how late
FATES = ("filtered", "in no window", "too late for all", "held")


def run(recount: Recount) -> Verdict:
    """Say of each event of the day which it is; those that missed a window must be the run's late rows."""
    recount.connection.execute(f"CREATE OR REPLACE TEMP TABLE fates AS {_fates(recount)}")
    recount.connection.execute(f"CREATE OR REPLACE TEMP TABLE disagreeing AS {_disagreeing()}")
    found, = recount.one("SELECT count(*) FROM disagreeing")
    table = f"{recount.query.name}_late_audit"
    return Verdict(NAME, not found, _figure(recount, found), "0 events disagree",
                   _offending(recount) if found else None, table, recount.versions.late_audit)


def _figure(recount: Recount, found: int) -> str:
    counts = dict(recount.rows("SELECT fate, count(*) FROM fates GROUP BY fate"))
    parts = [f"{counts.get(fate, 0)} {fate}" for fate in FATES]
    return (f"{sum(counts.values())} accepted = {' + '.join(parts)}; the late rows disagree with the recount "
            f"on {found} events")


def _fates(recount: Recount) -> str:
    """SQL: each event of the day with the windows that it missed and what became of it."""
    missed = _missed_rolling(recount) if recount.query.window.kind == "rolling" else _missed_regular(recount)
    lateness_us = sql.microseconds(recount.query.lateness)
    return f"""
        SELECT m.* EXCLUDE (first_end_us),
               CASE WHEN NOT kept THEN 'filtered' WHEN windows = 0 OR too_long THEN 'in no window'
                    WHEN windows_missed = windows THEN 'too late for all' ELSE 'held' END AS fate,
               kept AND (too_long OR windows_missed > 0) AS told,
               CASE WHEN too_long THEN 'too long' ELSE 'too late' END AS reason,
               CASE WHEN {lateness_us} < {ALL_TIMES_US} THEN t.newest_us - {lateness_us} - m.first_end_us END
                   AS late_by_us
        FROM ({missed}) m ASOF LEFT JOIN ticks t ON m.arrival_us > t.tick_us"""


def _missed_regular(recount: Recount) -> str:
    return f"""
        WITH closed AS (
            SELECT a.*, CASE WHEN too_long THEN last ELSE least(last, coalesce(c.number, first - 1)) END AS last_missed
            FROM ({numbered(recount, 'arrived')}) a
            ASOF LEFT JOIN (SELECT closed_us, max(number) AS number FROM windows GROUP BY closed_us) c
                ON a.arrival_us > c.closed_us)
        SELECT a.* EXCLUDE (first, last, last_missed), greatest(0, last - first + 1) AS windows,
               f.window_start_us AS first_missed_us, f.window_end_us AS first_end_us,
               l.window_start_us AS last_missed_us, greatest(0, last_missed - first + 1) AS windows_missed
        FROM closed a
        LEFT JOIN windows f ON f.number = a.first AND a.first <= a.last
        LEFT JOIN windows l ON l.number = a.last_missed AND a.first <= a.last"""


def _missed_rolling(recount: Recount) -> str:
    """A late event's windows are those of the times that its key has seen by then, itself included."""
    size_us = sql.microseconds(recount.query.window.size)
    return f"""
        WITH shown AS (
            SELECT key_number, start_us AS time_us, min(arrival_us) AS seen_us,
                   floor_div(start_us, {size_us}) AS near
            FROM reading GROUP BY ALL),
        counted AS (
            SELECT a.key_number, a.path, a.line, a.reading, count(*) AS windows,
                   count(*) FILTER (t.closed_us < a.arrival_us) AS windows_missed,
                   min(t.window_start_us) FILTER (t.closed_us < a.arrival_us) AS first_missed_us,
                   max(t.window_start_us) FILTER (t.closed_us < a.arrival_us) AS last_missed_us,
                   min(t.window_end_us) FILTER (t.closed_us < a.arrival_us) AS first_end_us
            FROM {cells('(SELECT * FROM arrived WHERE kept)', size_us)} a
            JOIN shown s USING (key_number, near)
            JOIN times t ON s.time_us + 1 = t.window_end_us
            WHERE s.time_us >= a.start_us AND s.time_us < a.start_us + {size_us} AND s.seen_us <= a.arrival_us
            GROUP BY ALL)
        SELECT a.*, coalesce(c.windows, 0) AS windows, first_missed_us, first_end_us, last_missed_us,
               coalesce(windows_missed, 0) AS windows_missed
        FROM arrived a LEFT JOIN counted c USING (path, line, reading)"""


def _disagreeing() -> str:
    """SQL: events whose late row is missing, needless or different."""
    differs = " OR ".join(f"e.{column} IS DISTINCT FROM l.{column}" for column in COMPARED)
    return f"""
        SELECT coalesce(e.path, l.path) AS path, coalesce(e.line, l.line) AS line,
               coalesce(e.reading, l.reading) AS reading, coalesce(e.windows_missed, 0) AS windows_missed,
               e.first_missed_us, e.last_missed_us, e.late_by_us
        FROM (SELECT * FROM fates WHERE told) e
        FULL JOIN late_audit l ON {' AND '.join(f'e.{column} = l.{column}' for column in IDENTITY)}
        WHERE {differs}"""


def _offending(recount: Recount) -> str:
    """SQL that shows the events, their late rows and the recount side by side."""
    names = [*IDENTITY, "recounted_windows_missed", "recounted_first_missed_us", "recounted_last_missed_us",
             "recounted_late_by"]
    rows = recount.rows(f"SELECT * FROM disagreeing ORDER BY ALL LIMIT {SHOWN}")
    silver, late = f"silver_{recount.query.stream}", f"{recount.query.name}_late_audit"
    on = " AND ".join("{0}." + f"{column} = x.{column}" for column in IDENTITY)
    columns = [*(f"s.{each}" for each in (*recount.query.key, "start", "end", "arrival")),
               *(f"l.{each}" for each in LATE_COLUMNS)]
    return (f"SELECT x.*, {', '.join(columns)} FROM {values_list(rows, names)} "
            f"LEFT JOIN {silver} s ON {on.format('s')} LEFT JOIN {late} l ON {on.format('l')} ORDER BY ALL")
