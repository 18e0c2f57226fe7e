"""Benchmarks run at small sizes, so that they can't rot, and their ways make the same rows; what things cost, no test
says."""

import os
import re
from pathlib import Path

import pytest

from benchmarks import (
    against_spark,
    against_spark_page,
    backfill,
    everyday,
    features,
    features_by_windrow,
    first_light_kernel,
    growth,
    growth_replay,
    hot_key,
    ingest_growth,
    long_windows,
    order_statistics,
    plan_at_scale,
    quantiles_replay,
    run_growth,
    several_windows,
    upkeep,
)
from benchmarks.calls import Calls
from benchmarks.features_compared import differing
from benchmarks.features_source import TripsCase, write
from benchmarks.first_light_trips import Sizes
from tests.support.lakes import ingest
from windrow.pipelines.config import Config
from windrow.pipelines.flow import scheduled_queries
from windrow.samples import cdr
from windrow.schemas import registry
from windrow.schemas.feature_set import SUFFIX
from windrow.schemas.streams.bikes import STREAM

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("case", growth.CASES, ids=lambda case: case.name)
def test_every_case_runs_at_small_sizes(case):
    small = case._replace(sizes=(64, 128))
    assert len(growth.report(small)) == 3


def test_every_case_of_a_replay_has_its_line():
    lines = growth_replay.main(["--events", "400", "--doublings", "1"])
    assert [line.split("  ")[0] for line in lines] == list(growth_replay.CASES)
    assert all("twice the events cost" in line for line in lines)


@pytest.mark.nightly
def test_every_window_has_its_cost_of_a_quantile():
    lines = quantiles_replay.main(["--rows", "20"])
    assert len(lines) == len(quantiles_replay.WINDOWS) * len(quantiles_replay.EMITS)
    assert all("µs a row" in line for line in lines)


@pytest.mark.nightly
def test_every_exact_aggregate_has_its_cost_next_to_its_sketch():
    lines = order_statistics.main(["--events", "40"])
    assert len(lines) == len(order_statistics.LATE) * (1 + len(order_statistics.SKETCHES))
    assert all(line.endswith(("times", "µs a row")) for line in lines)


@pytest.mark.nightly
@pytest.mark.takes(75)
def test_every_step_of_a_run_is_measured_in_every_lake():
    rows = run_growth.main(["--days", "2", "3", "--trips", "3", "--rounds", "1"])
    assert [row["step, processor seconds"] for row in rows] == list(run_growth.STEPS)
    assert all(float(row["3 / 2"]) > 0 for row in rows)


@pytest.mark.nightly
@pytest.mark.takes(75)
def test_every_way_to_run_a_long_window_is_measured():
    rows = long_windows.main(["--days", "3", "--trips", "3", "--rounds", "1"])
    assert [row["way"] for row in rows] == list(long_windows.WAYS)
    assert all(float(row["processor s"]) > 0 for row in rows)


@pytest.mark.nightly
def test_a_lake_of_many_runs_is_measured_before_and_after_maintenance():
    before, after = upkeep.main(["--days", "2", "--repeats", "1"])
    assert before["steps of runs"] == after["steps of runs"] == 2 * 2 * len(registry.queries())
    assert after["ms to read its steps"] > 0


def test_every_part_of_a_replay_has_its_seconds(tmp_path: Path):
    config = Config(tmp_path, tmp_path / "landing", asked_engine="local")
    cdr.write(config.landing, 2, everyday.YESTERDAY, sessions_per_day=200)
    ingest(config, "cdr")
    spent_s = everyday.from_within(config, "local")
    assert set(spent_s) >= {"work on shares", "Delta's log, by delta-rs"}
    assert min(spent_s.values()) > 0


def test_a_lake_of_nothing_but_logs_is_planned(tmp_path, monkeypatch):
    monkeypatch.setattr(plan_at_scale, "HOME", tmp_path)
    monkeypatch.setattr(plan_at_scale, "DAYS", 10)
    plan_at_scale.build(Config(tmp_path, tmp_path / "landing"))
    planned = plan_at_scale.measured()["planned"]
    assert planned["files"] == sum(each["files"] for each in planned["tasks"]) > 0


@pytest.mark.nightly
def test_a_hot_key_is_replayed_and_timed(tmp_path, monkeypatch):
    monkeypatch.setattr(hot_key, "CALLS", Calls(2_000, 100, 0.9))
    monkeypatch.setattr(hot_key, "ROUNDS", 1)
    for definitions in (registry.streams(), registry.queries()):  # taken out again behind the test
        monkeypatch.setitem(definitions, "calls", None)
        monkeypatch.setitem(definitions, hot_key.QUERY.name, None)
    config = Config(tmp_path, tmp_path / "landing", asked_engine="local")
    hot_key.build(config)
    assert hot_key.measured(config)["rows"] > 0


@pytest.mark.nightly
def test_an_ingest_is_measured_stage_by_stage(tmp_path):
    found = ingest_growth.measure(ingest_growth.build(tmp_path, 2), 2)
    assert {"seconds", "processor", "land", "bronze", "silver"} <= found.keys()


def test_the_benchmark_makes_its_rows_without_the_real_files(tmp_path: Path):
    lines = first_light_kernel.main(["--events", "3000", "--keys", "2", "--runs", "1", "--data", str(tmp_path)])
    assert len(lines) == 5
    assert "log-normal" in lines[0]
    assert all("rows" in line and " 0 rows" not in line for line in lines[1:])


@pytest.mark.jvm
@pytest.mark.nightly
@pytest.mark.takes(110)
@pytest.mark.parametrize("case", against_spark.CASES[:2], ids=lambda case: case.title)
def test_every_way_makes_the_same_rows(case, tmp_path, through_spark, monkeypatch):
    monkeypatch.setattr(against_spark, "ROUNDS", 1)
    found, _ = against_spark.measure(case._replace(sizes=Sizes(300, 3, 2, 1)), tmp_path)
    assert {each.theirs for each in found.comparisons} == {*case.theirs} - {against_spark.COPY}
    assert [each.differing for each in found.comparisons] == [0] * len(found.comparisons)
    assert all(each.missing == 0 for each in found.comparisons if each.theirs != against_spark.WATERMARK)
    assert all(each.ratio > 0 for each in found.comparisons)
    assert against_spark_page.section(found).count("| times |") == 1


SMALL = ["--days", "2", "--most-days", "3", "--trips", "60", "--spark-trips", "60", "--rounds", "1"]


@pytest.mark.nightly
@pytest.mark.takes(80)
def test_the_page_has_every_way_of_the_local_engine_and_equal_rows(tmp_path):
    local = ["--parts", "duckdb", "growth", "batch"]
    text = backfill.main([*SMALL, *local, "--home", str(tmp_path / "lakes"), "--into", str(tmp_path)]).read_text()
    ways = ["windrow", "duckdb", "2 days", "3 days", *(each.name for each in scheduled_queries(STREAM)), backfill.BATCH]
    assert re.findall(r"^\| (?!way|---)([^|]+) \| [\d.]+ \|", text, re.MULTILINE) == ways
    assert re.search(r"- [1-9][\d,]* final rows are equal to those of duckdb", text)
    assert len(re.findall(r"^- (?:Holds|DOES NOT HOLD): ", text, re.MULTILINE)) == 3
    assert not (tmp_path / "lakes").exists()


@pytest.mark.nightly
@pytest.mark.takes(60)
def test_several_windows_have_the_rows_of_as_many_queries(tmp_path):
    small = ["--days", "2", "--trips", "60", "--rounds", "1", "--home", str(tmp_path / "lakes")]
    text = several_windows.main([*small, "--into", str(tmp_path)]).read_text()
    assert re.search(r"^- The [1-9][\d,]* rows and late rows are those that 20 queries", text, re.MULTILINE)
    assert len(re.findall(r"^- (?:Holds|DOES NOT HOLD): ", text, re.MULTILINE)) == 1


@pytest.mark.jvm
@pytest.mark.nightly
@pytest.mark.takes(110)
def test_the_page_has_both_ways_of_spark_and_equal_rows(tmp_path):
    text = backfill.main([*SMALL, "--parts", "spark", "--home", str(tmp_path / "lakes"), "--into", str(tmp_path)])
    assert re.search(r"- [1-9][\d,]* final rows are equal to those of spark", text.read_text())


@pytest.mark.nightly
@pytest.mark.takes(110)
def test_the_page_of_features_has_every_way_and_equal_features(tmp_path):
    small = ["--trips", "2000", "--most-labels", "20000", "--engines", "duckdb", "polars"]
    text = features.main([*small, "--home", str(tmp_path / "home"), "--into", str(tmp_path)]).read_text()
    ways = [way for way in features.WAYS if way.engine != "spark"]
    assert all(f"| {way.title} |" in text for way in ways)
    assert f"| {features.LAKE} |" in text
    assert "- Holds: All 50 features of all" in text and "has otherwise" not in text


@pytest.mark.jvm
@pytest.mark.nightly
@pytest.mark.takes(110)
@pytest.mark.parametrize("way", [way for way in features.WAYS if way.engine == "spark"], ids=lambda way: way.name)
def test_spark_makes_the_same_features(way, tmp_path):
    write(tmp_path, TripsCase(300, 3), 40)
    features_by_windrow.main(way.knowledge, tmp_path)
    features.measured(way.engine, way.title, features.words_of(way.engine, way.name, tmp_path), os.environ)
    ours, theirs = (tmp_path / f"{name}.parquet" for name in (f"windrow_{way.knowledge}", f"spark_{way.name}"))
    assert differing(ours, theirs, SUFFIX[way.knowledge]) == []
