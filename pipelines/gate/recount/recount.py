"""A day of a query with its windows in SQL, which are asked about that day (kinds/)."""

from dataclasses import dataclass

from pipelines.gate.recount.kinds import SqlWindows
from pipelines.gate.recount.query_day import QueryDay


@dataclass(frozen=True)
class Recount(QueryDay):
    """What a law gets."""

    windows: SqlWindows
