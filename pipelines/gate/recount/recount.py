"""Days of a query without a gap, with its windows in SQL, which are asked about these days (kinds/)."""

from dataclasses import dataclass

from pipelines.gate.recount.kinds import SqlWindows
from pipelines.gate.recount.query_days import QueryDays


@dataclass(frozen=True)
class Recount(QueryDays):
    """What a law gets."""

    windows: SqlWindows
