"""A component that dies is started again so often and no more, until somebody else has started it."""

import pytest

from pipelines.airflow import airflow_home
from stack import components
from stack.components import MOST, WATCHER, WITHIN_S, Watcher


@pytest.fixture
def watcher(tmp_path, monkeypatch):
    """Of a home where nothing lives but what `dead` leaves out; what it starts is only noted."""
    (airflow_home(tmp_path) / "logs" / "stack").mkdir(parents=True)
    made, kept = Watcher(tmp_path), components.log(tmp_path, WATCHER)
    kept.touch()
    made.dead = ["scheduler"]
    monkeypatch.setattr(components, "dead", lambda home: made.dead)
    monkeypatch.setattr(components, "start", lambda home, name, given: name)
    monkeypatch.setattr(components, "say", lambda line: kept.write_text(f"{kept.read_text()}{line}\n"))
    return made


def test_the_limit_is_reached_by_starts_within_the_time_and_not_by_older_ones(watcher):
    step = WITHIN_S / MOST
    assert all(watcher.look(step * number) for number in range(10 * MOST))
    later = 100 * WITHIN_S
    assert [watcher.look(later + second) for second in range(MOST + 1)] == [["scheduler"]] * MOST + [[]]


def test_what_was_given_up_stays_so_and_others_are_started_until_it_lives_again(watcher, tmp_path):
    started = [watcher.look(second) for second in range(MOST + 3)]
    assert started == [["scheduler"]] * MOST + [[]] * 3
    assert components.is_given_up(tmp_path, "scheduler") and not components.is_given_up(tmp_path, "triggerer")
    watcher.dead = ["scheduler", "triggerer", WATCHER]
    assert watcher.look(100 * WITHIN_S) == ["triggerer"]
    watcher.dead = []
    assert watcher.look(101 * WITHIN_S) == []
    watcher.dead = ["scheduler"]
    assert watcher.look(101 * WITHIN_S + 1) == ["scheduler"]
    assert not components.is_given_up(tmp_path, "scheduler")
