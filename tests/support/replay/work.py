"""The work of one run, without the run."""

from datetime import date

from pipelines.lake.lake import Lake
from pipelines.lake.query_tables import QueryTables
from pipelines.replay import audit, look_back
from pipelines.replay.specifications import ServedQuery
from pipelines.replay.task import Work


def work_of(lake: Lake, tables: QueryTables, day: date) -> Work:
    """What the tasks of a run know."""
    served = ServedQuery.of(tables.query)
    return audit.work_of(lake, tables, served, look_back.of(lake, tables, served, day))
