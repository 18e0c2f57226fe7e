"""The same names in a Spark session as in `windrow query`, with the same rows."""

import pytest

from tests.support.rules import blocks
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines.spark.spark_session import session
from windrow.pipelines.sql import statements
from windrow.pipelines.sql.statements import register_spark_views

pytestmark = pytest.mark.jvm


@pytest.fixture(scope="module")
def spark(small_lake):
    spark = session(small_lake)
    register_spark_views(Lake(small_lake), spark)
    return spark


STATEMENTS = [
    "SELECT * FROM bikes_demand",
    "SELECT * FROM bikes_demand_final",
    "SELECT * FROM bikes_demand_as_of(TIMESTAMP '2018-10-01 23:59')",
    "SELECT * FROM bikes_demand_as_of(TIMESTAMP '2018-10-02 01:00')",
    "SELECT * FROM bikes_demand_as_of(TIMESTAMP '2018-10-03 12:00')",
]


@pytest.mark.nightly
@pytest.mark.parametrize("statement", STATEMENTS)
def test_spark_and_duckdb_give_the_same_rows(small_lake, spark, statement):
    expected = statements.run(Lake(small_lake), statement)
    found = spark.sql(statement).toArrow().cast(expected.schema)
    order = [(name, "ascending") for name in ("start_station_id", "window_start", "revision")]
    assert found.sort_by(order).to_pylist() == expected.sort_by(order).to_pylist()
    assert expected.num_rows > 0 or "23:59" in statement


@pytest.mark.nightly
def test_registering_again_is_allowed_and_sees_new_tables(small_lake, spark):
    register_spark_views(Lake(small_lake), spark)
    assert {row.viewName for row in spark.sql("SHOW VIEWS").collect()} == {"bikes_demand", "bikes_demand_final"}


def test_a_session_reads_the_newest_revisions_as_the_page_says(small_lake, spark):
    [source] = [body for body in blocks("docs/read-the-tables.md", "python") if body.startswith("from pyspark")]
    made = {"spark": spark}
    exec(source.replace("var/demo", str(small_lake.home)), made)
    expected = statements.run(Lake(small_lake), "SELECT * FROM bikes_demand_final ORDER BY start_station_id")
    found = made["newest"].orderBy("start_station_id").toArrow().cast(expected.schema)
    assert found.to_pylist() == expected.to_pylist() != []
