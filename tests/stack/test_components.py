"""A component of a real Airflow that dies is reported, and started again by the watcher or by `make up`."""

import os
import signal
import subprocess
import time

import pytest

from tests.stack.conftest import run_stack, start_stack
from tests.support.processes import wait_until
from windrow.pipelines.airflow import components, rest, server, settings
from windrow.pipelines.airflow.components import WATCHER
from windrow.processes import marked, proc

pytestmark = [pytest.mark.airflow, pytest.mark.nightly, pytest.mark.takes(15), pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The home of an Airflow that runs; each test leaves it complete."""
    home = tmp_path_factory.mktemp("watched") / "home"
    try:
        server.start(home)
        yield home
    finally:
        server.stop(home)


def kill(home, *names: str) -> dict[str, int]:
    """What lived before; the named components are killed."""
    before = components.alive(home)
    proc.send([before[name] for name in names], signal.SIGKILL)
    wait_until(lambda: not {before[name] for name in names} & {*components.alive(home).values()}, f"{names} are dead")
    return before


def new_of(home, before: dict[str, int]) -> set[str]:
    """The components that live by another process than before."""
    return {name for name, pid in components.alive(home).items() if before.get(name) != pid}


@pytest.mark.parametrize("name", components.OF_AIRFLOW)
def test_the_watcher_starts_again_what_died_and_ends_what_that_left(home, name):
    before = kill(home, name)
    wait_until(lambda: new_of(home, before) == {name}, f"{name} is started again")
    left = [pid for pid in marked.marked(settings.mark(home)) if f"{name} {before[name]}" in part_of(pid)]
    assert left == []
    assert f"the {name} had ended and is started again" in components.log(home, WATCHER).read_text()


def part_of(pid: int) -> str:
    return b" ".join(word for word in proc.environment(pid) if word.startswith(b"WINDROW_STACK_PART=")).decode()


def test_without_a_watcher_doctor_reports_the_dead_and_up_starts_them_while_the_server_is_slow(home):
    """The server stands still meanwhile: what looks first whether it answers would end all of it."""
    before = kill(home, WATCHER)
    kill(home, "scheduler", "dag-processor")
    wrong, fix = server.condition(home)
    assert "the scheduler has ended" in wrong and "the dag-processor has ended" in wrong and fix == "make up"
    assert "the watcher has ended: what dies of Airflow is not started again" in wrong
    assert wrong.split(": ")[0] in run_stack(home, "doctor")[1]
    os.kill(before["api-server"], signal.SIGSTOP)
    try:
        starting = start_stack(home, "up", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        wait_until(lambda: "scheduler" in components.alive(home), "the scheduler is started")
    finally:
        os.kill(before["api-server"], signal.SIGCONT)
    printed, _ = starting.communicate(timeout=300)
    assert starting.returncode == 0, printed
    assert "started again, since they had ended: scheduler, dag-processor, watcher" in printed
    assert new_of(home, before) == {"scheduler", "dag-processor", WATCHER}
    assert server.condition(home) == ("", "")


def test_a_component_that_dies_again_and_again_stays_dead_for_a_while_or_until_up(home):
    kill(home, WATCHER)
    assert run_stack(home, "up")[0] == 0  # another watcher, which has started nothing again
    for _ in range(components.MOST):
        before = kill(home, "triggerer")
        wait_until(lambda before=before: new_of(home, before) == {"triggerer"}, "the triggerer is started again")
    kill(home, "triggerer")
    time.sleep(2 * components._LOOK_EVERY_S)
    wrong, fix = server.condition(home)
    assert "the triggerer has ended; the watcher starts it again at most 3 times within 10 minutes" in wrong
    assert fix == "make up"
    assert "started again, since they had ended: triggerer" in run_stack(home, "up")[1]
    assert server.condition(home) == ("", "")


def test_doctor_reports_a_server_that_does_not_answer_and_up_leaves_it_alone(home, monkeypatch):
    before = components.alive(home)
    monkeypatch.setattr(server, "READY_LIMIT_S", 5.0)
    monkeypatch.setattr(rest, "HEALTH_LIMIT_S", 2.0)
    os.kill(before["api-server"], signal.SIGSTOP)
    try:
        wrong, _ = server.condition(home)
        assert f"the api-server runs (process {before['api-server']}), but does not answer" in wrong
        with pytest.raises(server.NotSetUp, match="api-server was not ready within 5 s"):
            server.complete(server.running(home))
    finally:
        os.kill(before["api-server"], signal.SIGCONT)
    assert components.alive(home) == before


def test_down_ends_the_watcher_and_all_that_it_started_also_after_the_watcher_was_killed(home):
    before = kill(home, "scheduler")
    wait_until(lambda: new_of(home, before) == {"scheduler"}, "the scheduler is started again")
    kill(home, WATCHER)
    assert "processes ended" in run_stack(home, "down")[1]
    assert marked.marked(settings.mark(home)) == []
    assert server.condition(home) == ("", "")
