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
    """SQL: staircases as they were `kept`, and as they are `made` from events."""
    return (
        f"kept AS (SELECT arrival_date, tick, newest_start FROM {passes} {where}), "
        "made AS (SELECT arrival_date, min(arrival) AS tick, newest_start FROM ("
        "SELECT arrival_date, arrival, max(start) OVER (PARTITION BY arrival_date ORDER BY arrival) AS newest_start "
        f"FROM ({silver.moving(events, where)})) GROUP BY arrival_date, newest_start)"
    )
