"""`windrow replay` of a model as a user types it: rows of the model, and what its farms did."""

import json
from datetime import timedelta

import pytest

from pipelines.cli import _app
from pipelines.config import Config
from pipelines.delta.lake import Lake
from schemas.errors import NothingArrived, UnknownName
from tests.support.lakes import ingest
from tests.support.replay import landing

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(2)]

DAY = landing.FIRST_DAY + timedelta(days=1)
TABLE = "farm_bikes_anomalies"


@pytest.fixture(scope="module")
def ingested(tmp_path_factory) -> Config:
    folder = tmp_path_factory.mktemp("bikes")
    config = Config(folder / "home", folder / "landing", asked_engine="local")
    landing.write(config.landing, landing.trips())
    ingest(config, "bikes")
    return config


@pytest.fixture
def replay(ingested, monkeypatch, capsys):
    """Run `windrow replay` in this process."""
    for name, value in {"HOME": ingested.home, "LANDING": ingested.landing, "ENGINE": "local"}.items():
        monkeypatch.setenv(f"WINDROW_{name}", str(value))

    def run(*words: str) -> tuple[int, str, str]:
        return _app.run(["replay", *words]), *capsys.readouterr()

    return run


def test_a_day_of_a_model_is_published_and_its_farms_are_shown(replay, ingested):
    code, out, error = replay("bikes_anomalies", "--day", str(DAY), "--json")
    assert code == 0, error
    report = json.loads(out)
    rows = Lake(ingested).read(TABLE).to_pylist()
    assert (report["query"], report["rows"][TABLE], len(rows)) == (TABLE, len(rows), len(rows))
    assert sum(each["windows"] for each in report["farms"]) == len(rows)
    assert sum(each["tuples"] for each in report["farms"]) == sum(row["tuples"] for row in rows)
    counted: dict[str, int] = {}
    for each in report["farms"]:
        for status, windows in json.loads(each["statuses"]).items():
            counted[status] = counted.get(status, 0) + windows
    assert counted == {status: sum(row["status"] == status for row in rows) for status in counted}
    assert all(row["median"] is not None for row in rows if row["status"] == "ok")


def test_people_get_a_table_of_farms(replay):
    code, out, error = replay("bikes_anomalies", "--day", str(DAY))
    assert code == 0, error
    assert TABLE in out and "load_balance" in out and "statuses" in out


def test_of_several_queries_a_model_alone_has_farms(replay):
    code, out, error = replay("bikes_daily", "bikes_anomalies", "--day", str(DAY), "--json")
    assert code == 0, error
    by_query = {report["query"]: report for report in json.loads(out)}
    assert "farms" not in by_query["bikes_daily"]
    farms = by_query[TABLE]["farms"]
    assert sum(each["windows"] for each in farms) == by_query[TABLE]["rows"][TABLE] > 0
    assert replay(TABLE, "--day", str(DAY))[0] == 0


def test_the_same_day_again_gives_the_same_rows(replay, ingested):
    def rows() -> list[dict]:
        return Lake(ingested).read(TABLE).to_pylist()

    replay("bikes_anomalies", "--day", str(DAY))
    before = rows()
    assert replay("bikes_anomalies", "--day", str(DAY))[0] == 0
    assert rows() == before


def test_a_model_that_there_is_not_is_refused_with_those_that_there_are(replay):
    code, _, error = replay("bikes_anomaly", "--day", str(DAY))
    assert code == UnknownName.exit_code
    assert "no query is named 'bikes_anomaly'" in error and "Did you mean 'bikes_anomalies'?" in error


def test_a_day_before_the_first_arrival_is_skipped(replay):
    code, out, error = replay("bikes_anomalies", "--day", "2013-06-01", "--json")
    assert (code, out) == (NothingArrived.exit_code, "") and "has arrived on 2013-06-01" in error
