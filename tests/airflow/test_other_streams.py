"""Phone records and telemetry through a real Airflow: their scheduled runs publish the oracle's rows, without Spark."""

from datetime import date, timedelta

import pytest

from tests.support.airflow.running import next_day
from tests.support.replay.reading import assert_oracles, events_of_silver
from windrow.pipelines import compiled, flow
from windrow.pipelines.airflow import server
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.runs.backfill import backfill
from windrow.samples import cdr, telemetry
from windrow.schemas import registry
from windrow.schemas.errors import AirflowRefused

pytestmark = [pytest.mark.airflow, pytest.mark.nightly, pytest.mark.takes(22), pytest.mark.timeout(1_200)]

STREAMS = ("cdr", "telemetry")
QUERIES = [query for name in STREAMS for query in flow.scheduled_queries(registry.stream(name))]
SESSIONS = registry.query("cdr_sessions")
IN_ORDER = f"{SESSIONS.stream}{flow.IN_ORDER}"
DAYS, EVENTS_PER_DAY, LIMIT_S = 2, 80, 900.0


def land(config: Config, last_day: date) -> None:
    """Generated files of both; of the pods and the series one each, since these have a fixed step. The first pod's
    clock is broken: none of its readings is an event."""
    cdr.write(config.landing, DAYS, last_day, sessions_per_day=EVENTS_PER_DAY)
    telemetry.write(config.landing, DAYS, last_day, events_per_day=EVENTS_PER_DAY)
    for kind in ("pods", "series"):
        files = sorted(path for path in config.landing.rglob(f"generated-{kind}/**/*") if path.is_file())
        for path in {*files} - {files[kind == "pods"]}:
            path.unlink()


def days_of_arrivals(config: Config) -> list[date]:
    """Of the stream of SESSIONS."""
    return sorted(Lake(config).partition_dates(f"silver_{SESSIONS.stream}"))


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The installation, the scheduler's own day, and its run of each stream with its tasks' states."""
    home = tmp_path_factory.mktemp("home")
    config = Config(home, home / "landing")
    compiled.ensure()  # or each worker of the first tasks would compile the kernels for itself
    try:
        client = server.start(home, config.landing).client()
        for name in STREAMS:
            client.wait_for_dag(name)
        day = next_day(client, STREAMS[0])
        land(config, day)
        for name in STREAMS:
            client.unpause(name)
        found = {name: client.wait_for_runs(name, "scheduled", 1, LIMIT_S)[0]["dag_run_id"] for name in STREAMS}
        backfill(config, [SESSIONS.name], (days_of_arrivals(config)[0], day - timedelta(days=1))).require()
        client.unpause(IN_ORDER)
        found[IN_ORDER] = client.wait_for_runs(IN_ORDER, "scheduled", 1, LIMIT_S)[0]["dag_run_id"]
        yield config, day, {name: client.tasks(name, run) for name, run in found.items()}
    finally:
        server.stop(home)


@pytest.mark.parametrize("name", [*STREAMS, IN_ORDER])
def test_a_scheduled_run_does_all_its_tasks(runs, name):
    *_, tasks = runs
    states = {task["task_id"]: task["state"] for task in tasks[name]}
    assert states == {"ingest": "success", "replay": "success", "replay_failed": "skipped"}


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.name)
def test_a_scheduled_run_publishes_the_oracles_rows(runs, query):
    config, day, _ = runs
    assert_oracles(config, query, events_of_silver(config, query.stream), [day])
    assert not config.spark.exists()


def test_a_query_whose_days_depend_on_each_other_goes_on_from_the_day_before(runs):
    config, *_ = runs
    assert_oracles(config, SESSIONS, events_of_silver(config, SESSIONS.stream), days_of_arrivals(config))


def test_airflow_refuses_to_run_its_days_backwards_and_says_why(runs):
    config, day, _ = runs
    with pytest.raises(AirflowRefused, match="in reverse .*depends_on_past"):
        server.running(config.home).client().backfill(IN_ORDER, day, day, backwards=True)
