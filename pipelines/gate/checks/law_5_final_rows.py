"""A window that can't change any more has its final values.

For each window whose P(end + allowed) lies in the interval: its newest revision, taken from the warm-up if it is
older, has the final row's events, late_events and aggregates.
"""

from collections.abc import Sequence
from datetime import date

from windrow.pipelines.gate.recount import aggregates, sql
from windrow.pipelines.gate.recount.finding import LawFinding, found_in_rows, verdict_on_rows
from windrow.pipelines.gate.recount.kinds import in_sql
from windrow.pipelines.gate.recount.query_days import AuditedDays, Recount
from windrow.pipelines.ledger.verdicts import Verdict
from windrow.schemas.query import Query

NAME = "law 5: closed windows have their final values"
CHECKS = "audit"


def find(recount: Recount) -> dict[date, LawFinding]:
    """Compare what every window that closed in a day holds with its newest row of that day. A window whose last change
    is older needs no row; that it has none is law 4."""
    place = ", ".join((*recount.window, "emitted_date"))
    final = in_sql(recount.query.window).final_rows(recount)
    differing = _days_that_differ(recount, final)
    days = sql.literals(differing)
    offenders = f"""
        SELECT {", ".join(recount.window)}, emitted_date AS day, n.revision, f.recounted_events, f.recounted_late_events
               {aggregates.expected(recount)}
        FROM (FROM ({final}) WHERE emitted_date IN ({days})) f
        LEFT JOIN (FROM ({_newest(recount)}) WHERE emitted_date IN ({days})) n USING ({place})
        WHERE CASE WHEN n.revision IS NULL THEN f.newest_tick_us >= {sql.begin_us("emitted_date")}
              ELSE n.events <> f.recounted_events OR n.late_events <> f.recounted_late_events
                   OR {aggregates.differs(recount)} END
        {"" if differing else "LIMIT 0"}"""
    return found_in_rows(recount, offenders, _expected(recount.query))


def _newest(recount: Recount) -> str:
    """SQL: of each window its newest row of a day."""
    place = ", ".join((*recount.window, "emitted_date"))
    changed = f"SELECT {place}, max(revision) AS newest FROM audit WHERE revision > 0 GROUP BY ALL"
    return f"""
        SELECT a.* FROM audit a LEFT JOIN ({changed}) c USING ({place})
        WHERE a.revision >= coalesce(c.newest, a.revision)"""


def _days_that_differ(recount: Recount, final: str) -> Sequence[date]:
    """Days of which rows may be wrong: those of the others are the same, to the last bit."""
    closed_in_their_day = in_sql(recount.query.window).closed_in_their_day(recount)
    if closed_in_their_day is None:
        return recount.days
    place = (*recount.window, "emitted_date")
    newest = f"({_newest(recount)}) n {closed_in_their_day}"
    changed = f"({final}) WHERE newest_tick_us >= {sql.begin_us('emitted_date')}"
    audited = (*place, "events", "late_events", *aggregates.as_numbers(recount))
    return recount.days_that_differ({newest: audited, changed: (*place, *_expected(recount.query))})


def verdict(of: AuditedDays, found: LawFinding) -> Verdict:
    left_out = sorted(of.query.aggregates.keys() - aggregates.recounted(of.query).keys())
    what = "are not the final values" + (f" (not recounted: {', '.join(left_out)})" if left_out else "")
    return verdict_on_rows(of, NAME, found, _expected(of.query), what)


def _expected(query: Query) -> tuple[str, ...]:
    again = (f"recounted_{number}" for number in range(len(aggregates.recounted(query))))
    return ("recounted_events", "recounted_late_events", *again)
