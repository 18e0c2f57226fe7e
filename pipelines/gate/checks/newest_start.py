"""The day's newest start, as ingest noted it, is that of its events, or of its last heartbeat: later days take their
watermark from it."""

from pipelines.gate.recount.silver import SilverDay
from pipelines.ledger.verdicts import Verdict

NAME = "the newest start is that of silver"
LAW = (
    "The watermark at arrival time a follows from the newest start over all accepted events that arrived by a: of "
    "earlier days only their newest starts are read."
)
CHECKS = "silver"


def run(silver_day: SilverDay) -> Verdict:
    """Compare what ingest noted with the day's events."""
    ((noted,),) = silver_day.rows("SELECT max(newest_start) FROM partitions")
    ((newest,),) = silver_day.rows(f"SELECT max(start) FROM ({silver_day.moving('silver')})")
    silver, partitions = silver_day.tables.silver.name, silver_day.tables.partitions.name
    offending = (
        f"SELECT noted, max(s.start) AS newest FROM ({silver_day.moving(silver)}) s, "
        f"(SELECT max(newest_start) AS noted FROM {partitions} WHERE {silver_day.of_day}) GROUP BY noted"
    )
    figure = f"ingest noted {noted}, events and heartbeats give {newest}"
    differs = noted != newest
    return Verdict(NAME, not differs, figure, "the same", offending if differs else None, silver, silver_day.version)
