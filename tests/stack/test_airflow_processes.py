"""The real Airflow: what is started is found, answers, and ends with all that its tasks started."""

import signal
import subprocess
from datetime import date
from pathlib import Path

import pytest

from tests.stack.conftest import run_stack, start_stack
from tests.support.processes import wait_until
from windrow.pipelines.airflow import components, rest, server, settings
from windrow.processes import marked
from windrow.schemas.errors import NotSetUp

pytestmark = pytest.mark.airflow
# A task as bad as can be: its process has a session of its own and doesn't listen to SIGTERM, as the JVM
# behind a killed task may, and then never ends.
DAG = """
from datetime import datetime, timezone

from airflow.sdk import CronDataIntervalTimetable, dag, task


@dag(schedule=CronDataIntervalTimetable("0 0 * * *", timezone="UTC"), catchup=False,
     start_date=datetime(2020, 1, 1, tzinfo=timezone.utc))
def stubborn():
    @task.bash
    def start():
        script = "trap : TERM; echo $$ > $WINDROW_LANDING/pid; while :; do sleep 1; done"
        return f"setsid sh -c '{script}' & sleep 600"

    start()


stubborn()
"""


@pytest.fixture
def home(tmp_path):
    """A home whose Airflow is ended even if the test fails."""
    yield tmp_path / "home"
    server.stop(tmp_path / "home")


def wait_for(path: Path) -> str:
    return wait_until(lambda: path.exists() and path.read_text().strip(), f"{path} is written")


def refuses_what_is_absent(client: rest.Client) -> None:
    """A refusal is Airflow's own answer, not a traceback."""
    with pytest.raises(NotSetUp, match=r"Airflow answered 404 to POST .*dags/absent.*not found"):
        client.trigger("absent", date(2020, 1, 1), "by-hand")
    with pytest.raises(NotSetUp, match=r"has not read the DAG 'absent': no file names it"):
        client.wait_for_dag("absent", limit_s=0.0)


@pytest.mark.nightly
@pytest.mark.takes(55)
def test_stop_ends_airflow_and_what_its_running_tasks_started(home, tmp_path):
    dags, landing = tmp_path / "dags", tmp_path / "landing"
    dags.mkdir()
    landing.mkdir()
    (dags / "stubborn.py").write_text(DAG)
    running = server.start(home, landing, dags)
    assert server.running(home) == running
    client = running.client()
    refuses_what_is_absent(client)
    client.wait_for_dag("stubborn")
    client.unpause("stubborn")
    started_by_task = int(wait_for(landing / "pid"))
    found = marked.marked(settings.mark(home))
    parts = {word for pid in found for word in marked.describe(pid).split()}
    assert {"api_server", "scheduler", "dag-processor", "triggerer"} <= parts

    assert server.stop(home) > len(components.ALL)
    assert marked.describe(started_by_task) == "-"
    assert server.running(home) is None
    assert not rest.healthy(running.port)


@pytest.mark.nightly
def test_ctrl_c_while_airflow_starts_leaves_no_process(set_up, home):
    starting = start_stack(home, "up", stderr=subprocess.PIPE)
    wait_for(settings.airflow_home(home) / "passwords.json")
    starting.send_signal(signal.SIGINT)
    _, ended = starting.communicate(timeout=60)
    assert starting.returncode == 128 + signal.SIGINT, ended
    assert marked.marked(settings.mark(home)) == []
    assert "stopped by SIGINT; no process is left running" in ended


@pytest.mark.nightly
def test_down_finds_an_airflow_whose_starter_was_killed(set_up, home):
    starting = start_stack(home, "up")
    wait_for(components.log(home, "scheduler"))
    starting.kill()
    starting.wait()
    assert marked.marked(settings.mark(home)) != []
    assert "processes ended" in run_stack(home, "down")[1]
    assert marked.marked(settings.mark(home)) == []
