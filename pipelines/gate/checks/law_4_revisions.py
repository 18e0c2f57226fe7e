"""Revisions follow without a gap, one for each tick that changed the window.

Per window: revisions follow without a gap on the number that the warm-up counted; emitted_at rises; events never
falls, unless windows depend on their key's other events. So the interval has one row for each tick that changed the
window, and no other.
"""

from datetime import date

from windrow.pipelines.gate.recount.finding import LawFinding, found_in_rows, verdict_on_rows
from windrow.pipelines.gate.recount.query_days import AuditedDays, Recount
from windrow.pipelines.ledger.verdicts import Verdict

NAME = "law 4: revisions follow without a gap"
CHECKS = "audit"
EXPECTED = ("problem", "recounted_emitted_at_us", "recounted_pane")


def find(recount: Recount) -> dict[date, LawFinding]:
    """Compare each row's number, tick and firing with silver's ticks; earlier days count into the number."""
    place = ", ".join((*recount.window, "emitted_date"))
    return found_in_rows(
        recount,
        f"""
        WITH falling AS (
            SELECT *, {recount.query.context_free} AND events < max(events) OVER (
                PARTITION BY {place} ORDER BY revision
                ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS falls,
                count(*) OVER (PARTITION BY {place}, revision) > 1 AS is_copied
            FROM doubtful)
        SELECT DISTINCT {", ".join(recount.window)}, revision, emitted_date AS day,
               CASE WHEN a.emitted_at_us IS NULL THEN 'row is missing'
                    WHEN e.tick_us IS NULL THEN 'no such revision'
                    WHEN a.is_copied THEN 'row is there more than once'
                    WHEN a.emitted_at_us <> e.tick_us THEN 'other tick'
                    WHEN a.pane <> e.pane THEN 'other firing'
                    ELSE 'events fall' END AS problem,
               e.tick_us AS recounted_emitted_at_us, e.pane AS recounted_pane
        FROM falling a FULL JOIN expected e USING ({place}, revision)
        WHERE a.emitted_at_us IS DISTINCT FROM e.tick_us OR a.pane IS DISTINCT FROM e.pane OR a.falls OR a.is_copied""",
        EXPECTED,
    )


def verdict(of: AuditedDays, found: LawFinding) -> Verdict:
    what = "are missing, too many, or have another tick or firing than silver's arrivals say"
    return verdict_on_rows(of, NAME, found, EXPECTED, what)
