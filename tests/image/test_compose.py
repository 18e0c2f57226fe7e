"""All services of docker/compose.yaml, really run: a scheduled day, a backfill, kills of a worker, of the scheduler and
of the database, and a restart of all. The rows are those of the local engine. Run by `make test-image`."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from stack.images import LOGIN, SPARK
from tests.support import services
from tests.support.digests import digests_of_rows
from tests.support.images import docker
from tests.support.lakes import replay_scheduled
from tests.support.processes import wait_until
from windrow.pipelines import config
from windrow.pipelines.airflow import rest
from windrow.pipelines.config import Config
from windrow.samples import cdr

pytestmark = [pytest.mark.airflow, pytest.mark.jvm, pytest.mark.timeout(3_600)]

DAG, TASK, EXECUTOR = "cdr", "replay", "CoarseGrainedExecutorBackend"
YESTERDAY = datetime.now(UTC).date() - timedelta(days=1)
KILLED = ["spark-worker-1", "scheduler", "postgres"]
DAYS = [YESTERDAY - timedelta(days=back) for back in range(2 + len(KILLED))]
SCHEDULED, BACKFILLED, *DISTURBED = DAYS
SESSIONS_PER_DAY, LIMIT_S = 40, 1_500.0
ONE_SHOT = {"bucket", "airflow-database"}


@pytest.fixture(scope="module")
def places(built, tmp_path_factory):
    """Lake and landing files, with generated ones, of services that run."""
    folder = tmp_path_factory.mktemp("services")
    with pytest.MonkeyPatch.context() as outside, services.running(folder, outside):
        found, files = config.load(), folder / "files"
        for path in cdr.write(files, len(DAYS), YESTERDAY, sessions_per_day=SESSIONS_PER_DAY):
            (found.landing / path.relative_to(files).as_posix()).write_bytes(path.read_bytes())
        yield found


def client() -> rest.Client:
    return rest.Client(8080, "admin", services.secret(LOGIN))


def executors(worker: str) -> int:
    return docker("top", services.container(worker)).count(EXECUTOR)


@pytest.fixture(scope="module")
def undisturbed(places) -> list[str]:
    """A run of the scheduler and one of a backfill."""
    airflow = client()
    airflow.wait_for_dag(DAG)
    airflow.unpause(DAG)
    airflow.backfill(DAG, BACKFILLED, BACKFILLED)
    return [airflow.wait_for_runs(DAG, kind, 1, LIMIT_S)[0]["dag_run_id"] for kind in ("scheduled", "backfill")]


@pytest.fixture(scope="module")
def disturbed(undisturbed) -> list[str]:
    """By service that was killed while executors worked for it, a run."""
    for number, (service, day) in enumerate(zip(KILLED, DISTURBED, strict=True), 1):
        client().trigger(DAG, day, f"without-{service}")
        wait_until(lambda: executors(KILLED[0]), f"executors of {service}", LIMIT_S)
        docker("kill", services.container(service))
        if service != KILLED[0]:  # the other worker goes on; what there is one of has to be started again
            services.up()
        client().wait_for_runs(DAG, "manual", number, LIMIT_S)
        services.up()
    return [f"without-{service}" for service in KILLED]


def states(run: str) -> dict[str, str]:
    return {task["task_id"]: task["state"] for task in client().tasks(DAG, run) if task["state"] != "skipped"}


def test_every_service_is_well_by_itself(places):
    shown = [json.loads(line) for line in docker("compose", "ps", "--all", "--format", "json").splitlines()]
    well = {each["Service"]: each["Health"] or each["ExitCode"] for each in shown}
    assert well == {name: 0 if name in ONE_SHOT else "healthy" for name in services.IMAGES}


def test_no_process_is_root_s_and_no_port_is_open_to_other_hosts(places):
    shown = json.loads(docker("inspect", *(services.container(name) for name in services.IMAGES)))
    for each in shown:
        bound = [port["HostIp"] for ports in (each["NetworkSettings"]["Ports"] or {}).values() for port in ports or ()]
        assert {*bound} <= {"127.0.0.1"}, each["Name"]
        if each["State"]["Running"]:
            users = {line.split()[0] for line in docker("top", each["Id"], "-eo", "user,pid").splitlines()[1:]}
            assert "root" not in users, each["Name"]


def test_no_secret_is_in_what_the_engine_tells_of_a_container(places):
    told = docker("inspect", *(services.container(name) for name in services.IMAGES))
    values = [services.secret(name) for name in ("POSTGRES_PASSWORD", LOGIN, "AWS_SECRET_ACCESS_KEY")]
    key = services.secret(SPARK).split("spark.authenticate.secret")[1].split()[0]
    assert not [value for value in (*values, key) if value in told]


def test_every_run_succeeds_also_those_that_lost_a_worker_the_scheduler_or_the_database(undisturbed, disturbed):
    for run in (*undisturbed, *disturbed):
        assert {*states(run).values()} == {"success"}, run


def test_the_rows_are_those_of_the_local_engine_also_after_a_restart_of_all(places, disturbed, tmp_path):
    alone = Config(tmp_path / "home", tmp_path / "landing", asked_engine="local")
    cdr.write(alone.landing, len(DAYS), YESTERDAY, sessions_per_day=SESSIONS_PER_DAY)
    replay_scheduled(alone, DAG, DAYS)
    expected, runs = digests_of_rows(alone), client().runs(DAG, "manual")
    assert digests_of_rows(places) == expected
    docker("compose", "down")
    services.up()
    assert digests_of_rows(places) == expected
    assert client().runs(DAG, "manual") == runs
