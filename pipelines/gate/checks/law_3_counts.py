"""Each row counts what silver has.

For each row: events = the key's accepted, unfiltered events in the window that arrived by emitted_at and were not
too late for it; late_events = those of them with arrival after P(window_end).
"""

from datetime import date

from windrow.pipelines.gate.recount import sql
from windrow.pipelines.gate.recount.finding import LawFinding, found_in_rows, verdict_on_rows
from windrow.pipelines.gate.recount.query_days import AuditedDays, Recount
from windrow.pipelines.ledger.verdicts import Verdict

NAME = "law 3: rows count what silver has"
CHECKS = "audit"
EXPECTED = ("recounted_events", "recounted_late_events")


def find(recount: Recount) -> dict[date, LawFinding]:
    """Compare each row with what was known of its window at the last change by its own emitted_at; of a window that had
    closed before the row's day nothing is, whether or not earlier days are looked at along with it."""
    same = " AND ".join(f"a.{column} = h.{column}" for column in recount.window)
    window = ", ".join(f"a.{column}" for column in recount.window)
    is_open = f"h.closed_us >= {sql.begin_us('a.emitted_date')}"
    return found_in_rows(
        recount,
        f"""
        WITH known AS (
            SELECT {window}, a.revision, a.emitted_date AS day, a.events, a.late_events,
                   CASE WHEN {is_open} THEN h.events ELSE 0 END AS recounted_events,
                   CASE WHEN {is_open} THEN h.late_events ELSE 0 END AS recounted_late_events
            FROM doubtful a ASOF LEFT JOIN known h ON {same} AND a.emitted_at_us >= h.tick_us)
        FROM known WHERE events <> recounted_events OR late_events <> recounted_late_events""",
        EXPECTED,
    )


def verdict(of: AuditedDays, found: LawFinding) -> Verdict:
    return verdict_on_rows(of, NAME, found, EXPECTED, "count other events than silver has")
