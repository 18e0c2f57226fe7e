"""The day's pass ticks are those of its events: P(E) is what every other law is counted with."""

from pipelines.gate.recount.silver import SilverDay
from pipelines.ledger.verdicts import Verdict

NAME = "pass ticks are those of silver"
LAW = (
    "The watermark at arrival time a follows from the newest start over all accepted events that arrived "
    "by a: the day's pass ticks are the ticks, and the heartbeats after the first of them, that raised the day's "
    "newest start."
)
CHECKS = "silver"


def run(silver_day: SilverDay) -> Verdict:
    """Compare the day's staircase with one made from the day's events."""
    found, total = silver_day.one(f"""
        WITH {_both("passes", "silver", silver_day)}
        SELECT count(*) FILTER (k.tick IS NULL OR m.tick IS NULL), count(*)
        FROM kept k FULL JOIN made m USING (tick, newest_start)""")
    return Verdict(
        NAME,
        not found,
        f"{found} of {total} pass ticks differ",
        "0 pass ticks differ",
        _offending(silver_day) if found else None,
        silver_day.tables.silver.name,
        silver_day.version,
    )


def _both(passes: str, silver: str, silver_day: SilverDay) -> str:
    """SQL: the day's staircase as it was `kept`, and as it is `made` from the day's events."""
    return (
        f"kept AS (SELECT tick, newest_start FROM {passes} WHERE {silver_day.of_day}), "
        "made AS (SELECT min(arrival) AS tick, newest_start FROM ("
        "SELECT arrival, max(start) OVER (ORDER BY arrival) AS newest_start "
        f"FROM ({silver_day.moving(silver)})) GROUP BY newest_start)"
    )


def _offending(silver_day: SilverDay) -> str:
    """SQL that shows the ticks which only the table has, and those which only the events have."""
    passes, silver = silver_day.tables.passes.name, silver_day.tables.silver.name
    return (
        f"WITH {_both(passes, silver, silver_day)} "
        "SELECT 'only in the table' AS problem, * FROM (FROM kept EXCEPT FROM made) UNION ALL "
        "SELECT 'missing in the table' AS problem, * FROM (FROM made EXCEPT FROM kept) ORDER BY ALL"
    )
