"""`windrow replay` of a model as a user types it: rows of the model, and what its farms did."""

import json
from collections import Counter
from datetime import timedelta
from functools import partial

import pytest

from tests.support.lakes import lake_of
from tests.support.replay import landing
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.schemas.errors import NothingArrived, UnknownName

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(2)]

DAY = landing.FIRST_DAY + timedelta(days=1)
TABLE = "farm_bikes_anomalies"


@pytest.fixture(scope="module")
def ingested(tmp_path_factory) -> Config:
    return lake_of(tmp_path_factory.mktemp("bikes"), landing.trips())


@pytest.fixture
def replay(ingested, monkeypatch, run):
    """Run `windrow replay` in this process."""
    monkeypatch.setenv("WINDROW_ENGINE", "local")
    return partial(run, ingested, "replay")


def test_a_day_of_a_model_is_published_and_its_farms_are_shown(replay, ingested):
    ended = replay("bikes_anomalies", "--day", str(DAY), "--json")
    assert ended.code == 0, ended.error
    farms, rows, counted = ended.json["farms"], Lake(ingested).read(TABLE).to_pylist(), Counter()
    assert (ended.json["query"], ended.json["rows"][TABLE]) == (TABLE, len(rows))
    assert sum(each["windows"] for each in farms) == len(rows)
    assert sum(each["tuples"] for each in farms) == sum(row["tuples"] for row in rows)
    for each in farms:
        counted.update(json.loads(each["statuses"]))
    assert counted == Counter(row["status"] for row in rows)
    assert all(row["median"] is not None for row in rows if row["status"] == "ok")
    ended = replay("bikes_anomalies", "--day", str(DAY))
    assert ended.code == 0 and all(word in ended.out for word in (TABLE, "load_balance", "statuses"))
    assert Lake(ingested).read(TABLE).to_pylist() == rows, "the same day again"


def test_of_several_queries_a_model_alone_has_farms(replay):
    ended = replay("bikes_daily", "bikes_anomalies", "--day", str(DAY), "--json")
    assert ended.code == 0, ended.error
    by_query = {report["query"]: report for report in ended.json}
    assert "farms" not in by_query["bikes_daily"]
    farms = by_query[TABLE]["farms"]
    assert sum(each["windows"] for each in farms) == by_query[TABLE]["rows"][TABLE] > 0
    assert replay(TABLE, "--day", str(DAY)).code == 0


def test_a_model_that_there_is_not_is_refused_and_a_day_before_the_first_arrival_skipped(replay):
    ended = replay("bikes_anomaly", "--day", str(DAY))
    assert ended.code == UnknownName.exit_code
    assert "no query is named 'bikes_anomaly'" in ended.error and "Did you mean 'bikes_anomalies'?" in ended.error
    ended = replay("bikes_anomalies", "--day", "2013-06-01", "--json")
    assert (ended.code, ended.out) == (NothingArrived.exit_code, "") and "have arrived on 2013-06-01" in ended.error
