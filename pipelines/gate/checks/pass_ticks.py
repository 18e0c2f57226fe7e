"""The day's pass ticks are those of its events: P(E) is what every other law is counted with.

The watermark at arrival time a follows from the newest start over all accepted events that arrived by a: the day's
pass ticks are the ticks, and the heartbeats after the first of them, that raised the day's newest start.
"""

from datetime import date

from windrow.pipelines.gate.recount import sql
from windrow.pipelines.gate.recount.silver import SilverDays
from windrow.pipelines.ledger.verdicts import Verdict

NAME = "pass ticks are those of silver"
CHECKS = "silver"


def run(silver: SilverDays) -> dict[date, Verdict]:
    """Compare the days' staircases with those made from the days' events."""
    rows = silver.rows(f"""
        WITH {_both(silver, "passes", "silver")}
        SELECT arrival_date, count(*) FILTER (k.arrival_date IS NULL OR m.arrival_date IS NULL), count(*)
        FROM kept k FULL JOIN made m USING (arrival_date, tick, newest_start) GROUP BY ALL""")
    found = {day: counted for day, *counted in rows}
    return {day: _verdict(silver, day, *found.get(day, (0, 0))) for day in silver.days}


def _verdict(silver: SilverDays, day: date, found: int, total: int) -> Verdict:
    figure, name = f"{found} of {total} pass ticks differ", silver.tables.silver.name
    of_day = f"WHERE arrival_date = {sql.literal(day)}"
    both = _both(silver, silver.tables.passes.name, name, of_day)
    # The ticks that only the table has, and those that only the events have.
    offending = (
        f"WITH {both} SELECT 'only in the table' AS problem, * FROM (FROM kept EXCEPT FROM made) UNION ALL "
        "SELECT 'missing in the table' AS problem, * FROM (FROM made EXCEPT FROM kept) ORDER BY ALL"
    )
    return Verdict(NAME, not found, figure, "0 pass ticks differ", offending if found else None, name, silver.version)


def _both(silver: SilverDays, passes: str, events: str, where: str = "") -> str:
    """SQL: staircases as they were `kept`, and as they are `made` from events: second by second, since no database
    holds a day of 100 million events in order. A tick's event is newer than all of the seconds before."""
    newest = "max(start) OVER (PARTITION BY arrival_date, second ORDER BY arrival)"
    before = "PARTITION BY arrival_date ORDER BY second ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"
    return (
        f"kept AS (SELECT arrival_date, tick, newest_start FROM {passes} {where}), "
        "moving AS NOT MATERIALIZED (SELECT *, epoch_us(arrival) // 1000000 AS second "
        f"FROM ({silver.moving(events, where)})), "
        "seconds AS (SELECT arrival_date, second, max(start) AS newest FROM moving GROUP BY ALL), "
        f"earlier AS (SELECT arrival_date, second, max(newest) OVER ({before}) AS newest_before FROM seconds), "
        "made AS (SELECT arrival_date, min(arrival) AS tick, newest_start FROM ("
        f"SELECT arrival_date, arrival, {newest} AS newest_start FROM moving JOIN earlier USING (arrival_date, second) "
        "WHERE newest_before IS NULL OR start > newest_before) GROUP BY arrival_date, newest_start)"
    )
