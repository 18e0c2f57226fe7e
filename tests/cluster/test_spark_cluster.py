"""A cluster of Spark whose workers share nothing with the driver: the rows are those of one machine."""

import json
import os
import signal
import subprocess
import sys
from datetime import timedelta

import pytest

from stack.places import WINDROW
from tests.support import s3
from tests.support.command_line import typed
from tests.support.digests import digests_of_rows
from tests.support.lakes import ingest
from tests.support.processes import wait_until
from tests.support.replay import landing
from tests.support.spark_cluster import CORES, WORKERS, SparkCluster, cluster
from windrow.pipelines import config
from windrow.pipelines.config import REPOSITORY, Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.runs.replay import replay_day
from windrow.processes import proc
from windrow.schemas import registry
from windrow.schemas.errors import NotSetUp
from windrow.schemas.ledger_tables import FARM_RUNS

pytestmark = [pytest.mark.jvm, pytest.mark.timeout(1_200)]
QUERY, DAY = registry.query("bikes_demand"), landing.FIRST_DAY + timedelta(days=1)
MODEL = registry.query("farm_bikes_anomalies")
REPLAY, FARM = ("replay", QUERY.name, "--day", str(DAY)), ("replay", MODEL.name, "--day", str(DAY))
LIMIT_S = 600


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    """The cluster."""
    with cluster(tmp_path_factory.mktemp("cluster")) as made:
        yield made


@pytest.fixture(scope="module")
def variables(running, on_s3, outside) -> dict[str, str]:
    """Of a driver whose lake is on S3; also this process's."""
    settings = {**running.variables, "WINDROW_ENGINE": "spark"}
    for name, value in settings.items():
        outside.setenv(name, value)
    return {**on_s3, **settings}


@pytest.fixture(scope="module")
def in_folder(tmp_path_factory) -> Config:
    """What the local engine makes of the same files."""
    folder = tmp_path_factory.mktemp("alone")
    alone = Config(folder / "home", folder / "landing", asked_engine="local")
    landing.write(alone.landing, landing.trips())
    ingest(alone, "bikes")
    for query in (QUERY, MODEL):
        replay_day(alone, query.name, DAY)
    return alone


@pytest.fixture(scope="module")
def replayed(variables) -> Config:
    """A lake that the cluster has made."""
    made = config.load()
    landing.write(made.landing, landing.trips())
    for words in (("ingest", "bikes", "--day", str(DAY)), REPLAY, FARM):
        ended = typed(*words, limit_s=LIMIT_S, **variables)
        assert ended.code == 0, ended.error
    return made


def test_every_table_has_the_rows_of_the_local_engine(in_folder, replayed):
    assert digests_of_rows(replayed) == digests_of_rows(in_folder)


def test_a_second_task_on_a_host_compiles_nothing(running: SparkCluster, replayed, variables):
    before = {worker: running.compiled(worker) for worker in WORKERS}
    for _ in WORKERS:  # a task may be on the other one, which compiles then
        assert typed(*REPLAY, limit_s=LIMIT_S, **variables).code == 0
    # The gate of a model compiles too, its function and no more.
    replayed_on = [worker for worker in WORKERS if any("fill_replay-" in path for path in before[worker])]
    assert replayed_on
    assert {worker: running.compiled(worker) for worker in replayed_on} == {
        worker: before[worker] for worker in replayed_on
    }


LOOKING = """
import json, sys
from windrow.pipelines import config
from windrow.pipelines.engines import engine_of

def seen(_):
    import os, sys
    from windrow import pipelines
    return {"package": pipelines.__file__, "path": sys.path, "folder": os.getcwd()}

print(json.dumps(engine_of(config.load()).each(seen, [1, 2])))
"""


def test_the_workers_know_of_no_checkout(running, variables):
    ended = subprocess.run(
        [sys.executable, "-c", LOOKING], env=variables, capture_output=True, text=True, timeout=LIMIT_S
    )
    assert ended.returncode == 0, ended.stderr
    for seen in json.loads(ended.stdout.splitlines()[-1]):
        assert seen["package"].startswith(f"{seen['folder']}/windrow/pipelines/")
        assert seen["folder"].startswith(str(running.folder))
        assert not [path for path in seen["path"] if path.startswith(str(REPOSITORY))]


@pytest.fixture
def at_work(running, variables, tmp_path):
    """A driver whose executors are at work."""
    with (
        open(tmp_path / "log", "w") as log,
        subprocess.Popen([WINDROW, *REPLAY], env=variables, stdout=log, stderr=log, start_new_session=True) as process,
    ):
        wait_until(lambda: "== replay" in (tmp_path / "log").read_text() and running.executors(), "tasks replay")
        yield process
        process.kill()


def test_nobody_sees_the_keys_of_lake_and_cluster(running, replayed, at_work):
    commands = [b" ".join(proc.command_line(each)).decode(errors="replace") for each in proc.all_processes()]
    assert [each for each in commands if "CoarseGrainedExecutorBackend" in each]
    assert at_work.wait(LIMIT_S) == 0
    folders = (config.load().here, *(running.folder / name for name in ("master", *WORKERS)))
    files = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    seen = (*commands, *(path.read_bytes().decode(errors="replace") for path in files))
    assert not [each for each in seen if s3.SECRET in each or running.key in each]


def test_a_driver_without_the_key_is_not_let_in(running, replayed, variables):
    conf = json.dumps({**running.conf, "spark.authenticate.secret": "another"})
    ended = typed(*REPLAY, limit_s=LIMIT_S, **{**variables, "WINDROW_SPARK_CONF": conf})
    assert ended.code == NotSetUp.exit_code, ended.error
    assert "doesn't take this driver" in ended.error and "Traceback" not in ended.error


def test_an_executor_that_is_killed_costs_no_row(in_folder, replayed, at_work, running):
    executors = running.started()
    running.kill_an_executor()
    assert at_work.wait(LIMIT_S) == 0
    assert running.started() > executors
    assert digests_of_rows(replayed) == digests_of_rows(in_folder)


def test_a_farm_has_all_cores_of_its_executor(replayed):
    farms = Lake(replayed).read(FARM_RUNS.name).to_pylist()
    assert {farm["workers"] for farm in farms} == {CORES}


FITTING = """
import json, sys
from windrow.pipelines import config
from windrow.pipelines.engines import engine_of

folder = sys.argv[1]

def fits(share):
    import hashlib, os
    import numpy as np
    from windrow.kernels.farm.given_windows import ComputeOptions, TuplesOfKeys, WindowsOfKeys, compute_windows
    count, windows = 200_000, 10_000
    times, starts = np.arange(count), np.arange(windows) * 10
    every, never = np.ones(count, bool), np.full(count, -(1 << 61))
    values = np.random.default_rng(share).normal(size=(1, count))
    tuples = TuplesOfKeys(np.array([0, count]), times, times, never, every, values)
    asked = WindowsOfKeys(np.zeros(windows, np.int64), starts, starts + 100_000, np.full(windows, 1 << 60))
    open(f"{folder}/{share}-{os.getpid()}", "w").close()
    results, metrics = compute_windows("polynomial_fit", {"degree": 8}, tuples, asked, ComputeOptions(2))
    assert (results.status == 0).all()
    return hashlib.sha256(results.outputs.tobytes()).hexdigest()

engine = engine_of(config.load())
print(json.dumps([engine.executors, engine.each(fits, [1, 2, 3], engine.executors[1]), list(map(fits, [1, 2, 3]))]))
"""


def test_a_farm_whose_executor_is_killed_is_computed_again_by_another(running, variables, tmp_path):
    words = [sys.executable, "-c", FITTING, str(tmp_path)]
    with subprocess.Popen(words, env=variables, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        wait_until(lambda: len(list(tmp_path.glob("[123]-*"))) >= len(WORKERS), "each executor has a farm at work")
        running.kill_an_executor()
        printed, _ = process.communicate(timeout=LIMIT_S)
    executors, found, alone = json.loads(printed.splitlines()[-1])
    assert (executors, found) == ([len(WORKERS), CORES], alone)
    assert len(list(tmp_path.glob("[123]-*"))) > 2 * len(found), "a share was begun twice, and the driver did all three"


def test_a_driver_that_is_killed_leaves_what_the_next_one_ends(in_folder, replayed, at_work, running, variables):
    os.killpg(at_work.pid, signal.SIGKILL)
    at_work.wait()
    wait_until(lambda: not running.executors(), "the cluster ends the executors of a driver that is gone")
    assert typed(*REPLAY, limit_s=LIMIT_S, **variables).code == 0
    assert digests_of_rows(replayed) == digests_of_rows(in_folder)


@pytest.mark.parametrize(
    ("python", "lacks"),
    [("/nowhere/python", "lacks the program /nowhere/python"), ("empty", "lacks the library")],
)
def test_an_executor_that_can_not_run_windrow_says_what_to_install(variables, tmp_path, python, lacks):
    if python == "empty":
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "empty"], check=True, timeout=120)
        python = str(tmp_path / "empty" / "bin" / "python")
    ended = typed(*REPLAY, limit_s=LIMIT_S, **{**variables, "PYSPARK_PYTHON": python})
    assert ended.code == NotSetUp.exit_code
    assert lacks in ended.error and "pip install -r requirements/spark.txt" in ended.error
    assert "Traceback" not in ended.error
