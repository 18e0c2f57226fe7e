"""The day by both engines runs at a tiny size, with equal rows; what it takes, no test says."""

import os
import sys
from datetime import timedelta

import numpy as np
import pytest

from benchmarks import scale
from benchmarks.generated_sessions import DAY, Day, Newest, Sessions, build
from benchmarks.process_tree import DRIVER, JVM, OTHER, WORKER, watched
from benchmarks.scale_page import CHECK, QUERY_RUN, page
from windrow.pipelines.config import ENGINES, Config
from windrow.pipelines.delta.lake import Lake

pytestmark = pytest.mark.slow
PARENT = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; kept = bytearray(96 << 20); time.sleep(1)"])
began = time.process_time()
while time.process_time() - began < 0.5:
    pass
child.wait()
"""


@pytest.mark.jvm
@pytest.mark.nightly
@pytest.mark.takes(110)
def test_both_engines_publish_the_same_rows(tmp_path):
    found = scale.run(tmp_path / "lakes", [Day(6, 40)])
    works = [(work, engine) for work in (CHECK, QUERY_RUN) for engine in ENGINES]
    assert [(each.work, each.engine) for each in found] == works
    by_spark, locally = ({seen.role for seen in each.watched.processes} - {OTHER} for each in found[-2:])
    assert by_spark >= {DRIVER, JVM, WORKER} and locally == {DRIVER}
    assert all({"replay", "gate", "publish"} <= each.stages.keys() for each in found if each.work == QUERY_RUN)
    text = page(found)
    assert "| 240 | query | local | driver (Python) |" in text and "| 240 | query | spark | JVM |" in text


def test_days_are_in_silver_sorted_with_the_ticks_of_their_events(tmp_path):
    config, next_day = Config(tmp_path / "home", tmp_path / "landing"), DAY + timedelta(days=1)
    build(config, Day(30, 20), Day(30, 20, next_day))
    both = Lake(config).read("silver_cdr").to_pylist()
    silver = [row for row in both if row["arrival_date"] == DAY]
    assert {row["arrival"].date() for row in both if row not in silver} == {next_day}
    assert len(silver) == len({row["line"] for row in silver}) == len(both) - 600 == 600
    newest, steps = None, {}
    for row in sorted(silver, key=lambda row: (row["arrival"], row["start"])):
        if newest is None or row["start"] > newest:
            newest = steps[row["arrival"]] = row["start"]
    ticks = Lake(config).read("pass_cdr").to_pylist()
    assert {row["tick"]: row["newest_start"] for row in ticks if row["arrival_date"] == DAY} == steps


def test_the_newest_start_of_a_second_is_that_of_its_sessions():
    newest = Newest(Day(1))
    newest.add(Sessions(Day(1), np.zeros(3, np.int64), np.array([5, 5, 9]), np.array([4, 1, 9])))
    assert newest.ticks()["newest_start"].to_pylist()[0].second == 4 and len(newest.ticks()) == 1


def test_what_a_command_starts_is_seen_with_its_memory_and_processor_seconds():
    found = watched([sys.executable, "-c", PARENT], os.environ)
    (driver,), (child,) = found.of(DRIVER), found.of(OTHER)
    assert child.peak_mib > 96 > driver.peak_mib and found.together_mib > 96
    assert 0.3 < driver.processor_s <= found.processor_s < found.wall_s + 1


def test_a_command_that_takes_more_memory_than_it_may_is_stopped():
    words = [sys.executable, "-c", "import time; kept = bytearray(256 << 20); time.sleep(60)"]
    found = watched(words, os.environ, most_mib=128)
    assert found.stopped and found.together_mib > 128


def test_a_command_that_fails_is_an_error_with_what_it_printed():
    with pytest.raises(RuntimeError, match="no such thing"):
        watched([sys.executable, "-c", "raise SystemExit('no such thing')"], os.environ)
