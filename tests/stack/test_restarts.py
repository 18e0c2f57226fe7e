"""A component that dies is started again so often and no more; what is known of it outlives the watcher."""

import pytest

from stack import restarts, settings
from stack.restarts import MOST, WITHIN_S, Restarts


@pytest.fixture
def home(tmp_path):
    settings.airflow_home(tmp_path).mkdir()
    return tmp_path


def test_the_limit_is_reached_by_starts_within_the_time_and_not_by_older_ones():
    close = Restarts()
    assert [close.may_start("scheduler", now) for now in range(MOST + 1)] == [True] * MOST + [False]
    assert close.given_up == ["scheduler"]
    apart = Restarts()
    step = WITHIN_S / MOST
    assert all(apart.may_start("scheduler", step * number) for number in range(10 * MOST))
    assert apart.given_up == []


def test_what_was_given_up_stays_so_however_long_ago_and_others_are_started():
    known = Restarts(given_up=["scheduler"])
    assert not known.may_start("scheduler", 100 * WITHIN_S)
    assert known.may_start("triggerer", 0.0)


def test_the_next_watcher_knows_until_it_is_forgotten(home):
    known = Restarts()
    known.may_start("scheduler", 5.0)
    known.given_up.append("triggerer")
    restarts.write(home, known)
    assert restarts.read(home) == known
    restarts.forget(home)
    assert restarts.read(home) == Restarts()


@pytest.mark.parametrize("damaged", ["", "{", "[]", "{}", '{"starts": 1, "given_up": []}', '{"starts": {"a": 1}}'])
def test_a_damaged_file_counts_anew(home, damaged):
    (settings.airflow_home(home) / "restarts.json").write_text(damaged)
    assert restarts.read(home) == Restarts()
