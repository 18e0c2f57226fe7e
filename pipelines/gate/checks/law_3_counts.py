"""Each row counts what silver has."""

from pipelines.gate.recount.finding import LawFinding
from pipelines.gate.recount.offending import found_in_rows, verdict_on_rows
from pipelines.gate.recount.query_day import AuditedDay
from pipelines.gate.recount.recount import Recount
from pipelines.ledger.verdicts import Verdict

NAME = "law 3: rows count what silver has"
LAW = (
    "For each row: events = the key's accepted, unfiltered events in the window that arrived by "
    "emitted_at and were not too late for it; late_events = those of them with arrival after P(window_end)."
)
CHECKS = "audit"
EXPECTED = ("recounted_events", "recounted_late_events")


def find(recount: Recount) -> LawFinding:
    """Compare each row with what was known of its window at the last change by its own emitted_at."""
    same = " AND ".join(f"a.{column} = h.{column}" for column in recount.window)
    window = ", ".join(f"a.{column}" for column in recount.window)
    return found_in_rows(
        recount,
        f"""
        SELECT {window}, a.revision,
               coalesce(h.events, 0) AS recounted_events, coalesce(h.late_events, 0) AS recounted_late_events
        FROM doubtful a
        ASOF LEFT JOIN history h ON {same} AND a.emitted_at_us >= h.tick_us
        WHERE a.events <> coalesce(h.events, 0) OR a.late_events <> coalesce(h.late_events, 0)""",
        EXPECTED,
    )


def verdict(of: AuditedDay, found: LawFinding) -> Verdict:
    """Of the whole day."""
    return verdict_on_rows(of, NAME, found, EXPECTED, "count other events than silver has")
