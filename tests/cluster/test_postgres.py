"""Airflow over PostgreSQL by one variable: a scheduled run and a backfill of a real DAG, and nothing of SQLite."""

from datetime import UTC, datetime, timedelta

import pytest

from pipelines.config import Config
from samples import cdr
from schemas import registry
from stack import airflow, compiled, components, condition, database, settings
from tests.support import postgres
from tests.support.replay.reading import assert_oracles, events_of_silver

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(1_200)]

DAG = "cdr"
YESTERDAY = datetime.now(UTC).date() - timedelta(days=1)
DAYS, SESSIONS_PER_DAY, LIMIT_S = 3, 40, 900.0


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The installation, its client, and a scheduled and a backfilled run over PostgreSQL."""
    home = tmp_path_factory.mktemp("home")
    config = Config(home, home / "landing")
    cdr.write(config.landing, DAYS, YESTERDAY, sessions_per_day=SESSIONS_PER_DAY)
    compiled.ensure()
    with postgres.server() as url, pytest.MonkeyPatch.context() as outside:
        outside.setenv(database.VARIABLE, url)
        try:
            client = airflow.start(home, config.landing).client()
            client.wait_for_dag(DAG)
            client.unpause(DAG)
            client.backfill(DAG, YESTERDAY - timedelta(days=1), YESTERDAY - timedelta(days=1))
            found = {kind: client.wait_for_runs(DAG, kind, 1, LIMIT_S) for kind in ("scheduled", "backfill")}
            yield config, client, found
        finally:
            airflow.stop(home)


def test_each_run_does_all_its_tasks_at_its_first_try(runs):
    _, client, found = runs
    for run in (run for each in found.values() for run in each):
        tasks = client.tasks(DAG, run["dag_run_id"])
        assert {(task["state"], task["try_number"]) for task in tasks} == {("success", 1)}, run["dag_run_id"]


def test_the_published_rows_are_the_oracles(runs):
    config, _, _ = runs
    for query in registry.queries_of(DAG):
        assert_oracles(config, query, events_of_silver(config, DAG), [YESTERDAY - timedelta(days=1), YESTERDAY])


def test_every_component_is_well_and_there_is_no_sqlite(runs):
    config, _, _ = runs
    assert components.alive(config.home).keys() == components.COMMANDS.keys()
    assert condition.of(config.home) == ("", "")
    assert list(settings.airflow_home(config.home).glob("*.db*")) == []


def test_a_database_that_can_not_be_reached_is_named_with_what_to_do(tmp_path, monkeypatch):
    url = "postgresql+psycopg2://nobody:secret@127.0.0.1:1/nothing"
    monkeypatch.setenv(database.VARIABLE, url)
    with pytest.raises(airflow.NotSetUp, match=database.VARIABLE):
        airflow.start(tmp_path)
    assert components.alive(tmp_path) == {}
