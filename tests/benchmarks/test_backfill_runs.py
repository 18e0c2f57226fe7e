"""A backfill next to DuckDB, as its days and its queries grow, runs at small sizes; what it costs, no test says."""

import re

import pytest

from benchmarks import backfill
from pipelines.flow import scheduled_queries
from schemas.streams.bikes import STREAM

pytestmark = [pytest.mark.slow, pytest.mark.nightly]
SMALL = ["--days", "2", "--most-days", "3", "--trips", "60", "--spark-trips", "60", "--rounds", "1"]


@pytest.mark.takes(80)
def test_the_page_has_every_way_of_the_local_engine_and_equal_rows(tmp_path):
    local = ["--parts", "duckdb", "growth", "batch"]
    text = backfill.main([*SMALL, *local, "--home", str(tmp_path / "lakes"), "--into", str(tmp_path)]).read_text()
    ways = ["windrow", "duckdb", "2 days", "3 days", *(each.name for each in scheduled_queries(STREAM)), backfill.BATCH]
    assert re.findall(r"^\| (?!way|---)([^|]+) \| [\d.]+ \|", text, re.MULTILINE) == ways
    assert re.search(r"- [1-9][\d,]* final rows are equal to those of duckdb", text)
    assert len(re.findall(r"^- (?:Holds|DOES NOT HOLD): ", text, re.MULTILINE)) == 3
    assert not (tmp_path / "lakes").exists()


@pytest.mark.jvm
@pytest.mark.takes(110)
def test_the_page_has_both_ways_of_spark_and_equal_rows(tmp_path):
    text = backfill.main([*SMALL, "--parts", "spark", "--home", str(tmp_path / "lakes"), "--into", str(tmp_path)])
    assert re.search(r"- [1-9][\d,]* final rows are equal to those of spark", text.read_text())
