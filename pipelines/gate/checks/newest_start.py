"""The day's newest start, as ingest noted it, is that of its events, or of its last heartbeat: later days take their
watermark from it.

    The watermark at arrival time a follows from the newest start over all accepted events that arrived by a: of earlier
    days only their newest starts are read.
"""

from datetime import date, datetime

from windrow.pipelines.gate.recount import sql
from windrow.pipelines.gate.recount.silver import SilverDays
from windrow.pipelines.ledger.verdicts import Verdict

NAME = "the newest start is that of silver"
CHECKS = "silver"


def run(silver: SilverDays) -> dict[date, Verdict]:
    """Compare what ingest noted with the days' events."""
    noted = dict(silver.rows("SELECT arrival_date, max(newest_start) FROM partitions GROUP BY ALL"))
    moving = silver.moving("silver")
    newest = dict(silver.rows(f"SELECT arrival_date, max(start) FROM ({moving}) GROUP BY ALL"))
    return {day: _verdict(silver, day, noted.get(day), newest.get(day)) for day in silver.days}


def _verdict(silver: SilverDays, day: date, noted: datetime | None, newest: datetime | None) -> Verdict:
    figure, name = f"ingest noted {noted}, events and heartbeats give {newest}", silver.tables.silver.name
    of_day = f"WHERE arrival_date = {sql.literal(day)}"
    moving = silver.moving(name, of_day)
    both = f"({moving}) s, (SELECT max(newest_start) AS noted FROM {silver.tables.partitions.name} {of_day})"
    offending = None if noted == newest else f"SELECT noted, max(s.start) AS newest FROM {both} GROUP BY noted"
    return Verdict(NAME, noted == newest, figure, "the same", offending, name, silver.version)
