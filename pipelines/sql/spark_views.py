"""The lake in a Spark session: the same names as `windrow query` has, for notebooks and jobs.

register_spark_views(lake, session)
session.sql("SELECT * FROM bikes_demand_final")
session.sql("SELECT * FROM bikes_demand_as_of(timestamp'2018-10-03 12:00')")
"""

from typing import TYPE_CHECKING

from pipelines.delta.lake import Lake
from schemas.query import Query
from schemas.registry import queries

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register_spark_views(lake: Lake, session: "SparkSession") -> None:
    """Temporary views of all tables, and for each query `<query>_final` and the function `<query>_as_of(t)`, as long as
    the session lives. A table made later needs another call; new rows of a table don't."""
    for name in lake.names():
        session.sql(f"CREATE OR REPLACE TEMPORARY VIEW {name} AS SELECT * FROM delta.`{lake.folder(name)}`")
        if name in queries():
            _add_revisions(session, queries()[name], session.table(name).columns)


def _add_revisions(session: "SparkSession", query: Query, columns: list[str]) -> None:
    session.sql(f"CREATE OR REPLACE TEMPORARY VIEW {query.name}_final AS {_newest(query, columns, query.name)}")
    fields = session.table(query.name).schema.fields
    returned = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in fields)
    # The condition on the partition column follows from the other one: it spares reading the days after t.
    known = f"(SELECT * FROM {query.name} WHERE emitted_at <= t AND emitted_date <= to_date(t))"
    session.sql(
        f"CREATE OR REPLACE TEMPORARY FUNCTION {query.name}_as_of(t TIMESTAMP) RETURNS TABLE ({returned}) "
        f"RETURN {_newest(query, columns, known)}"
    )


def _newest(query: Query, columns: list[str], rows: str) -> str:
    """The newest revision of every window: one grouping."""
    identity = query.window_identity
    others = [column for column in columns if column not in identity]
    row = ", ".join(f"`{column}`" for column in others)
    listed = ", ".join(f"`{column}`" if column in identity else f"newest.`{column}`" for column in columns)
    grouped = ", ".join(f"`{column}`" for column in identity)
    # A window that is no more has a last revision without events.
    existing = "" if query.window.context_free else " WHERE newest.events > 0"
    return (
        f"SELECT {listed} FROM (SELECT {grouped}, max_by(struct({row}), revision) AS newest FROM {rows} "
        f"GROUP BY {grouped}){existing}"
    )
