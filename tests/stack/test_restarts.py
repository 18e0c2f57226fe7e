"""A component that dies is started again, so often within a time and no more."""

import os
import signal

import pytest

from tests.support.processes import wait_until
from windrow.pipelines.airflow import PORT, Running, airflow_home, alive, components, mark, parts, running
from windrow.pipelines.airflow.components import MOST, WATCHER, WITHIN_S, Watcher
from windrow.processes import marked, proc


@pytest.fixture
def watcher(tmp_path, monkeypatch):
    """Of a home where nothing lives but what `dead` leaves out; what it starts is only noted."""
    airflow_home(tmp_path).mkdir()
    made = Watcher(tmp_path)
    made.dead = ["scheduler"]
    monkeypatch.setattr(components, "dead", lambda home: made.dead)
    monkeypatch.setattr(components, "start", lambda home, name, given: name)
    return made


def test_the_limit_is_reached_by_starts_within_the_time_and_not_by_older_ones(watcher):
    step = WITHIN_S / MOST
    assert all(watcher.look(step * number) for number in range(10 * MOST))
    later = 100 * WITHIN_S
    assert [watcher.look(later + second) for second in range(MOST + 1)] == [["scheduler"]] * MOST + [[]]


def test_each_component_has_a_limit_of_its_own_and_is_started_again_once_the_time_is_over(watcher):
    started = [watcher.look(second) for second in range(MOST + 3)]
    assert started == [["scheduler"]] * MOST + [[]] * 3
    watcher.dead = ["scheduler", "triggerer", WATCHER]
    assert watcher.look(MOST + 3) == ["triggerer"]
    assert watcher.look(WITHIN_S) == ["scheduler", "triggerer"]


@pytest.mark.slow
def test_a_component_that_was_killed_is_started_again_once_what_it_left_has_ended(tmp_path, monkeypatch):
    """Shells for components: each starts a process that outlives it."""
    (airflow_home(tmp_path) / "logs" / "stack").mkdir(parents=True)
    given = os.environ | {marked.MARK: mark(tmp_path), PORT: "18099"}
    monkeypatch.setattr(components, "_command", lambda name: ["sh", "-c", "sleep 60 & sleep 60"])
    monkeypatch.setattr(components, "environment", lambda process: given)
    try:
        for name in components.OF_AIRFLOW:
            components.start(tmp_path, name, given)
        before, everything = alive(tmp_path), marked.marked(mark(tmp_path))
        assert running(tmp_path) == Running(tmp_path, 18099) and components.dead(tmp_path) == [WATCHER]
        proc.send([before["scheduler"]], signal.SIGKILL)
        wait_until(lambda: "scheduler" not in alive(tmp_path), "it is dead")
        assert len(Watcher(tmp_path).look(0.0)) == 1
        after, left = alive(tmp_path), [pid for pid, name, _ in parts(tmp_path) if name == "scheduler"]
        assert {name for name in after if after[name] != before[name]} == {"scheduler"}
        assert not {*left} & {*everything}
    finally:
        marked.end(mark(tmp_path), grace_s=2.0)
    assert running(tmp_path) is None
