"""Every kind of table is read by delta-rs, DuckDB and Polars alike: the lake belongs to no engine."""

import duckdb
import polars
import pyarrow as pa
import pytest
from deltalake import DeltaTable

from pipelines.delta.lake import Lake
from tests.support.lakes import PATIENT

pytestmark = PATIENT

INGESTED = ["files", "bronze", "silver", "quarantine", "pass", "partitions"]
OF_QUERIES = ["bikes_demand_audit", "bikes_demand", "bikes_demand_late_audit", "bikes_demand_late", "bikes_daily"]
KINDS = [*(f"{name}_bikes" for name in INGESTED), *OF_QUERIES, "bikes_last_hour", "runs", "verdicts"]


@pytest.mark.parametrize("name", KINDS)
def test_three_readers_see_the_same_rows_and_columns_and_nothing_that_they_cannot_read(first_published, name):
    place = str(first_published.lake / name)
    ours, table = Lake(first_published).read(name), DeltaTable(place)
    frame = polars.scan_delta(place).collect()
    with duckdb.connect() as database:
        database.register("found", Lake(first_published).dataset(name))
        assert database.sql("SELECT count(*) FROM found").fetchall() == [(ours.num_rows,)]
        assert database.sql("SELECT * FROM found LIMIT 0").columns == ours.column_names == frame.columns
    assert table.to_pyarrow_table().num_rows == frame.height == ours.num_rows
    assert table.protocol().min_reader_version == 1
    assert table.metadata().configuration["delta.enableDeletionVectors"] == "false"


def _sorted_rows(table: pa.Table) -> list[tuple]:
    return sorted(tuple(row.values()) for row in table.to_pylist())


def test_readers_see_the_same_events(first_published):
    columns = ["path", "line", "start_station_id", "trip_duration_s", "start", "arrival"]
    ours = _sorted_rows(Lake(first_published).read("silver_bikes", columns=columns))
    frame = polars.scan_delta(str(first_published.lake / "silver_bikes")).select(columns).collect()
    with duckdb.connect() as database:
        database.register("silver", Lake(first_published).dataset("silver_bikes"))
        found = database.sql(f"SELECT {', '.join(columns)} FROM silver").to_arrow_table()
    assert len(ours) > 100
    assert sorted(frame.rows()) == ours
    assert _sorted_rows(found) == ours
