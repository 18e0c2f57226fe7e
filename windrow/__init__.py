"""Windrow in a notebook or a program: the lake's answers, replays of tables in memory, and the query language.

    import windrow

    windrow.sql("SELECT * FROM bikes_demand_final").to_pandas()      # or .to_polars(), .to_arrow()
    windrow.replay_table(events, windrow.Query(…))                   # events: a DataFrame or an Arrow table
    windrow.ingest("bikes")                                          # as the command does, over the project's lake

A name is imported when it is first used: a definition loads no library, also where Airflow parses DAGs.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from windrow.answer import Answer, sql
    from windrow.lake import backfill, features, ingest, report, whatif, why
    from windrow.pipelines.local import features_batches, features_table, late_table, replay_table
    from windrow.schemas.errors import WindrowError
    from windrow.schemas.feature_set import FeatureSet, latest
    from windrow.schemas.query import (
        Query,
        agg,
        count,
        delta,
        frame,
        month,
        policy,
        promise,
        rolling,
        session,
        slide_by_tuple,
        sliding,
        spanning,
        tumbling,
        week,
    )

__all__ = [
    "Answer",
    "FeatureSet",
    "Query",
    "WindrowError",
    "agg",
    "backfill",
    "count",
    "delta",
    "features",
    "features_batches",
    "features_table",
    "frame",
    "ingest",
    "late_table",
    "latest",
    "month",
    "policy",
    "promise",
    "replay_table",
    "report",
    "rolling",
    "session",
    "slide_by_tuple",
    "sliding",
    "spanning",
    "sql",
    "tumbling",
    "week",
    "whatif",
    "why",
]
_NOT_OF_QUERIES = {
    "Answer": "windrow.answer",
    "WindrowError": "windrow.schemas.errors",
    "FeatureSet": "windrow.schemas.feature_set",
    "backfill": "windrow.lake",
    "features": "windrow.lake",
    "features_batches": "windrow.pipelines.local",
    "features_table": "windrow.pipelines.local",
    "ingest": "windrow.lake",
    "late_table": "windrow.pipelines.local",
    "latest": "windrow.schemas.feature_set",
    "replay_table": "windrow.pipelines.local",
    "report": "windrow.lake",
    "sql": "windrow.answer",
    "whatif": "windrow.lake",
    "why": "windrow.lake",
}


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'windrow' has no attribute {name!r}")
    module = import_module(_NOT_OF_QUERIES.get(name, "windrow.schemas.query"))
    globals()[name] = getattr(module, name)
    return globals()[name]


def __dir__() -> list[str]:
    return [*globals(), *__all__]
