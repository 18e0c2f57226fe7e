"""Windrow in a notebook or a program: the lake's answers, and replays of tables in memory.

    import windrow

    windrow.sql("SELECT * FROM bikes_demand_final").to_pandas()      # or .to_polars(), .to_arrow()
    windrow.replay_table(events, windrow.Query(…))                   # events: a DataFrame or an Arrow table

A definition that Airflow reads too imports from `schemas` instead: there are no libraries where it parses DAGs.
"""

from pipelines.local import late_table, replay_table
from schemas.errors import WindrowError
from schemas.query import (
    Query,
    agg,
    count,
    delta,
    frame,
    month,
    policy,
    rolling,
    session,
    slide_by_tuple,
    sliding,
    spanning,
    tumbling,
    week,
)
from windrow.answer import Answer, sql

__all__ = [
    "Answer",
    "Query",
    "WindrowError",
    "agg",
    "count",
    "delta",
    "frame",
    "late_table",
    "month",
    "policy",
    "replay_table",
    "rolling",
    "session",
    "slide_by_tuple",
    "sliding",
    "spanning",
    "sql",
    "tumbling",
    "week",
]
