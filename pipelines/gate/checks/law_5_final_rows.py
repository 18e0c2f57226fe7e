"""A window that can't change any more has its final values."""

from pipelines.gate.recount import aggregates
from pipelines.gate.recount.offending import verdict_on_rows
from pipelines.gate.recount.recount import Recount
from pipelines.ledger.verdicts import Verdict

NAME = "law 5: closed windows have their final values"
LAW = (
    "For each window whose P(end + allowed) lies in the interval: its newest revision, taken from the "
    "warm-up if it is older, has the final row's events, late_events and aggregates."
)
CHECKS = "audit"
WINDOW = "key_number, window_start_us, window_end_us"


def run(recount: Recount) -> Verdict:
    """Group the events of each window that closed in the day, and compare with its newest row of the day.

    A window whose last change is older needs no row; that it has none is law 4.
    """
    left_out = sorted(recount.query.aggregates.keys() - aggregates.recounted(recount.query).keys())
    what = "are not the final values" + (f" (not recounted: {', '.join(left_out)})" if left_out else "")
    again = (f"recounted_{number}" for number in range(len(aggregates.recounted(recount.query))))
    return verdict_on_rows(
        recount, NAME, _offenders(recount), ("recounted_events", "recounted_late_events", *again), what
    )


def _offenders(recount: Recount) -> str:
    closed = f"closed_us >= {recount.start_us} AND closed_us < {recount.end_us}"
    return f"""
        WITH final AS (
            SELECT {WINDOW}, max(tick_us) AS newest_tick_us, count(*) AS recounted_events,
                   count(*) FILTER (arrival_us > reached_us) AS recounted_late_events
                   {aggregates.columns(recount)}
            FROM {recount.windows.held(recount, closed)}
            GROUP BY {WINDOW}),
        newest AS (
            SELECT * FROM audit
            QUALIFY row_number() OVER (PARTITION BY {WINDOW} ORDER BY revision DESC) = 1)
        SELECT {WINDOW}, n.revision, f.* EXCLUDE ({WINDOW})
        FROM final f LEFT JOIN newest n USING ({WINDOW})
        WHERE CASE WHEN n.revision IS NULL THEN f.newest_tick_us >= {recount.start_us}
              ELSE n.events <> f.recounted_events OR n.late_events <> f.recounted_late_events
                   OR {aggregates.differs(recount, "n", "f")} END"""
