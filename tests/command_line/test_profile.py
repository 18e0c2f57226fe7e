"""windrow profile: its figures by their definitions. Those of the real trips are in tests/real."""

import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.lakes import PATIENT, tables_of
from windrow.pipelines.cli.ingesting import _named
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ingest.profile import Profile, Spread, _disorder, overtaken_by, profile
from windrow.schemas.errors import NotSetUp, UnknownName

pytestmark = PATIENT
PAGE = (Path(__file__).parents[2] / "docs/profile.md").read_text()


@pytest.mark.slow
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=40))
def test_d_is_the_number_of_earlier_places_with_a_later_time(times):
    slow = [sum(other > time for other in times[:place]) for place, time in enumerate(times)]
    assert overtaken_by(np.array(times)).tolist() == slow


def test_percentiles_are_values_that_occur():
    assert Spread.of(np.arange(1, 101)) == Spread(50.0, 99.0, 100.0)
    assert Spread.of(np.array([3_000_000]), 1_000_000) == Spread(3.0, 3.0, 3.0)


def test_every_row_of_the_table_is_explained_on_its_page():
    explained = {word for row in re.findall(r"^\| ([^|]+) \|", PAGE, re.MULTILINE) for word in row.split(", ")}
    shown = {_named(field.name).partition(":")[0] for field in fields(Profile)}
    assert shown - {"folder"} <= explained


def test_the_example_of_the_page_has_the_figures_of_its_times():
    rows = re.findall(r"^\| 10:(\d\d) \|[^|]*\| (yes|no) \| (yes|no) \| (\d) \| (\d)", PAGE, re.MULTILINE)
    minutes, late, descents, d, lag = (list(column) for column in zip(*rows, strict=True))
    start = np.array([int(minute) * 60_000_000 for minute in minutes])
    found = _disorder(start, np.arange(len(start)))
    assert overtaken_by(start).tolist() == [int(each) for each in d]
    assert found["late_in_arrival_order"] == late.count("yes") / len(late)
    assert found["descents"] == descents.count("yes") / len(descents)
    assert found["lag_s"].maximum == max(int(each) for each in lag) * 60


@pytest.mark.slow
def test_the_command_prints_a_table_or_json(ingested, run):
    as_table, as_json = (run(ingested, "profile", "bikes", *more) for more in ((), ("--json",)))
    assert (as_table.code, as_json.code) == (0, 0), as_table.error
    assert "d: median / p99 / max" in as_table.out and "descents" in as_table.out
    assert [each["folder"] for each in as_json.json] == [
        each.folder for each in profile(Lake(ingested), tables_of("bikes"))
    ]
    daily = as_json.json[0]
    assert daily["lines"] == daily["readings"] == daily["accepted"] > 0 and 0 <= daily["late_in_file_order"] <= 1
    assert daily["d"].keys() == daily["lag_s"].keys() == {"median", "p99", "maximum"}
    assert daily["files"] >= 1 and daily["dirt"] == {}


@pytest.mark.slow
def test_an_unknown_stream_and_one_that_was_never_ingested_are_refused(ingested, run):
    unknown, never = (run(ingested, "profile", name) for name in ("boats", "cdr"))
    assert (unknown.code, never.code) == (UnknownName.exit_code, NotSetUp.exit_code)
    assert "no stream is named 'boats'" in unknown.error and "windrow ingest" in never.error
