"""All of it on servers: Airflow over PostgreSQL, its tasks drivers of a Spark cluster, lake and landing files on S3.

A run that the scheduler starts, a backfill, an executor and a driver that are killed: the rows are those of one
machine. What tasks need to know they take from connections of Airflow; a pool lets one driver run at a time.
"""

import json
import os
import signal
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.digests import digests_of_rows
from tests.support.lakes import replay_scheduled
from tests.support.processes import wait_until
from tests.support.replay.reading import assert_oracles, events_of_silver
from tests.support.spark_cluster import SparkCluster, cluster
from windrow.pipelines import compiled, config, flow
from windrow.pipelines.airflow import components, rest, server, settings
from windrow.pipelines.config import Config
from windrow.pipelines.location import KEYS, PLACES
from windrow.processes import proc
from windrow.samples import cdr
from windrow.schemas import registry
from windrow.schemas.errors import NotSetUp

pytestmark = [pytest.mark.airflow, pytest.mark.jvm, pytest.mark.timeout(2_400)]

DAG = "cdr"
YESTERDAY = datetime.now(UTC).date() - timedelta(days=1)
DAYS = [YESTERDAY - timedelta(days=back) for back in range(4)]
SCHEDULED, BACKFILLED, WITHOUT_EXECUTOR, WITHOUT_DRIVER = DAYS
TASK = "replay"
SESSIONS_PER_DAY, LIMIT_S = 40, 900.0
OF_TASKS = {
    "WINDROW_ENGINE": "spark",
    "WINDROW_SPARK_CONNECTION": "cluster",
    "WINDROW_STORAGE_CONNECTION": "lake",
    "WINDROW_POOL": "drivers",
}


@dataclass(frozen=True)
class Installation:
    """Airflow's local folder, a client of it, the cluster, and where lake and landing files are."""

    home: Path
    client: rest.Client
    cluster: SparkCluster
    config: Config

    def driver(self, run: str, task: str) -> int | None:
        """Process number of the `windrow` of a task."""
        words = {run.encode(), task.encode()}
        found = (pid for pid in proc.all_processes() if words.issubset(proc.command_line(pid)))
        return next((pid for pid in found if (status := proc.status(pid)) and status.session == pid), None)

    def wait_for_executors(self, run: str) -> int:
        """The driver of a run's first replay, once executors work for it."""
        wait_until(lambda: self.driver(run, TASK) and self.cluster.executors(), f"executors of {run}", LIMIT_S)
        return self.driver(run, TASK) or 0

    def states(self, run: str) -> dict[str, tuple[str, int]]:
        """State and number of tries of each task that was not skipped."""
        tasks = (task for task in self.client.tasks(DAG, run) if task["state"] != "skipped")
        return {task["task_id"]: (task["state"], task["try_number"]) for task in tasks}


@pytest.fixture(scope="module")
def installation(tmp_path_factory, on_s3, lock_server, outside):
    """Started with the variables of `OF_TASKS`, without those of S3."""
    places = config.load()
    home = places.here  # where the watcher of components looks for them, too
    land(places, tmp_path_factory.mktemp("files"))
    compiled.ensure()
    with cluster(tmp_path_factory.mktemp("cluster")) as workers:
        try:
            with pytest.MonkeyPatch.context() as of_airflow:
                for name, value in {**OF_TASKS, settings.DATABASE: lock_server}.items():
                    of_airflow.setenv(name, value)
                for name in (*PLACES, *KEYS):
                    of_airflow.delenv(name, raising=False)
                client = server.start(home, places.landing).client()
            connect(client, workers, on_s3)
            client.wait_for_dag(DAG)
            yield Installation(home, client, workers, places)
        finally:
            server.stop(home)


def land(places: Config, folder: Path) -> None:
    """Generated files, on S3."""
    for path in cdr.write(folder, len(DAYS), YESTERDAY, sessions_per_day=SESSIONS_PER_DAY):
        (places.landing / path.relative_to(folder).as_posix()).write_bytes(path.read_bytes())


def connect(client: rest.Client, workers: SparkCluster, on_s3: dict[str, str]) -> None:
    """Connections and pool, as an operator makes them."""
    conf = {**workers.conf, "spark.pyspark.python": workers.variables["PYSPARK_PYTHON"]}
    host, _, port = workers.variables["WINDROW_SPARK_MASTER"].rpartition(":")
    spark = {"conn_type": "spark", "host": host, "port": int(port), "extra": json.dumps({"conf": conf})}
    server = {"region_name": on_s3["AWS_REGION"], "endpoint_url": on_s3["AWS_ENDPOINT_URL"]}
    keys = {"login": on_s3["AWS_ACCESS_KEY_ID"], "password": on_s3["AWS_SECRET_ACCESS_KEY"]}
    client.call("POST", "/connections", {"connection_id": "cluster", **spark})
    client.call(
        "POST", "/connections", {"connection_id": "lake", "conn_type": "aws", **keys, "extra": json.dumps(server)}
    )
    client.call("POST", "/pools", {"name": "drivers", "slots": 1})


@pytest.fixture(scope="module")
def undisturbed(installation) -> list[str]:
    """A run of the scheduler and one of a backfill."""
    client = installation.client
    client.unpause(DAG)
    client.backfill(DAG, BACKFILLED, BACKFILLED)
    return [client.wait_for_runs(DAG, kind, 1, LIMIT_S)[0]["dag_run_id"] for kind in ("scheduled", "backfill")]


@pytest.fixture(scope="module")
def disturbed(installation, undisturbed) -> dict[date, str]:
    """By their days a run that lost an executor, and one that lost a driver with its JVM."""
    client, workers = installation.client, installation.cluster
    found = {WITHOUT_EXECUTOR: client.trigger(DAG, WITHOUT_EXECUTOR, "without-an-executor")}
    installation.wait_for_executors(found[WITHOUT_EXECUTOR])
    workers.kill_an_executor()
    client.wait_for_runs(DAG, "manual", 1, LIMIT_S)
    found[WITHOUT_DRIVER] = client.trigger(DAG, WITHOUT_DRIVER, "without-a-driver")
    os.killpg(installation.wait_for_executors(found[WITHOUT_DRIVER]), signal.SIGKILL)
    client.wait_for_runs(DAG, "manual", 2, LIMIT_S)
    return found


def test_each_run_does_all_its_tasks_at_its_first_try(installation, undisturbed):
    for run in undisturbed:
        assert set(installation.states(run).values()) == {("success", 1)}, run


def test_an_executor_that_is_killed_fails_no_task(installation, disturbed):
    assert set(installation.states(disturbed[WITHOUT_EXECUTOR]).values()) == {("success", 1)}


def test_a_driver_that_is_killed_is_tried_again(installation, disturbed):
    states = installation.states(disturbed[WITHOUT_DRIVER])
    assert states.pop(TASK) == ("success", 2)
    assert set(states.values()) == {("success", 1)}


def test_the_rows_are_those_of_the_local_engine(installation, disturbed, tmp_path, monkeypatch):
    monkeypatch.delenv(config.LOCKS)
    alone = Config(tmp_path / "home", tmp_path / "landing", asked_engine="local")
    cdr.write(alone.landing, len(DAYS), YESTERDAY, sessions_per_day=SESSIONS_PER_DAY)
    replay_scheduled(alone, DAG, DAYS)
    assert digests_of_rows(installation.config) == digests_of_rows(alone)


def test_the_rows_are_the_oracles(installation, disturbed):
    for query in flow.scheduled_queries(registry.stream(DAG)):
        assert_oracles(installation.config, query, events_of_silver(installation.config, DAG), DAYS)


def test_every_component_is_well_and_there_is_no_sqlite(installation, disturbed):
    assert components.alive(installation.home).keys() == components.COMMANDS.keys()
    assert server.condition(installation.home) == ("", "")
    assert list(settings.airflow_home(installation.home).glob("*.db*")) == []


def test_a_database_that_can_not_be_reached_is_named_with_what_to_do(tmp_path, monkeypatch):
    url = "postgresql+psycopg2://nobody:secret@127.0.0.1:1/nothing"
    monkeypatch.setenv(settings.DATABASE, url)
    with pytest.raises(NotSetUp, match=settings.DATABASE):
        server.start(tmp_path)
    assert components.alive(tmp_path) == {}
