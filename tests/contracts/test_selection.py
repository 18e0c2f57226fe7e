"""`--fast` leaves marked tests out, ten parts together run everything, a failure says how to repeat it; tests/cluster,
tests/image and tests/days are run where they are asked for by their names, and nowhere else."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.support import postgres
from tests.support.processes import python

ROOT = Path(__file__).parents[2]
CONFTEST = 'pytest_plugins = ["tests.support.selection", "tests.support.failing"]'
TESTS = """
import subprocess
import pytest
from hypothesis import given, strategies as st
from stack.places import AIRFLOW_ENVIRONMENT

def test_that_needs_neither():
    pass

def test_that_starts_java():
    subprocess.run(["java", "-version"], check=True)

def test_that_starts_airflow():
    subprocess.run([AIRFLOW_ENVIRONMENT / "bin" / "python", "--version"], check=True)

class TestOfAll:
    @given(st.just(7))
    def test_numbers_are_small(self, number):
        assert number < 7, "seven is large"

@pytest.mark.jvm
def test_that_is_marked():
    raise AssertionError

@pytest.mark.airflow
def test_that_is_marked_too():
    raise AssertionError

@pytest.mark.slow
@pytest.mark.parametrize("case", range(30))
def test_that_takes_long(case):
    assert case != 3, "three is wrong\\nand four is right"

@pytest.mark.few(5)
@pytest.mark.parametrize("case", range(30))
def test_of_which_five_run(case):
    pass

@pytest.mark.nightly
def test_that_is_nightly():
    pass

def test_that_asks_for_spark(through_spark):
    raise AssertionError

@pytest.fixture
def through_spark():
    pass
"""
OF_A_FILE = """
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.few_tests(2)]

@pytest.mark.parametrize("case", range(3))
def test_one(case): pass
def test_two(): pass
def test_three(): pass
def test_four(): pass
"""
DEAR = """
import pytest

pytestmark = pytest.mark.nightly

@pytest.mark.parametrize("seconds", [pytest.param(each, marks=pytest.mark.takes(each)) for each in range(5, 101, 5)])
def test_dear(seconds): pass
"""
CASES = 8 + 30 + 30 + 6 + 20
EACH_TIME = 7 + 1 + 5 + 2
IN_PARTS = """
import pytest
for part in range(1, 11):
    pytest.main(["-q", "--collect-only", "-p", "no:cacheprovider", "--part", f"{part}/10"])
"""
pytestmark = pytest.mark.slow


@pytest.fixture
def run(tmp_path):
    """Run Python over the tests above, and get what it prints."""
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "test_of_a_file.py").write_text(OF_A_FILE)
    (tmp_path / "test_dear.py").write_text(DEAR)
    settings = os.environ | {"PYTHONPATH": str(ROOT)}

    def printed(*words: str) -> str:
        ended = python(*words, cwd=tmp_path, env=settings)
        return ended.stdout + ended.stderr

    return printed


def test_fast_runs_the_unmarked_ones_without_an_import_of_marked_files_and_those_that_start_either_fail(run):
    printed = run("-m", "pytest", "--fast", "-q", "-p", "no:cacheprovider")
    assert "3 failed, 6 passed, 79 deselected" in printed, printed
    assert "--fast lets none start" in printed
    both = run("-m", "pytest", "--fast", "--part", "3/10", "-q", "-p", "no:cacheprovider")
    assert both.startswith("ERROR: --part is of the nightly set"), both


def test_each_part_runs_some_each_time_and_ten_together_everything(run):
    parts = [part.splitlines() for part in run("-c", IN_PARTS).split("selected)")[:10]]
    collected = [[line for line in part if "::" in line] for part in parts]
    each_time = set.intersection(*map(set, collected))
    alone = run("-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", "--nightly", "-m", "not nightly")
    assert {line for line in alone.splitlines() if "::" in line} == each_time and len(each_time) == EACH_TIME
    others = [name for part in collected for name in part if name not in each_time]
    assert len(others) == len(set(others)) == CASES - EACH_TIME
    dealt = {sum("takes_long" in name and name not in each_time for name in part) for part in collected}
    assert dealt <= {2, 3, 4}, "cases are dealt in turn"
    seconds = {sum(int(name) for name in re.findall(r"test_dear\[(\d+)\]", "\n".join(part))) for part in collected}
    assert seconds == {5 + 100}, "no part has most of what is dear"


@pytest.mark.nightly
def test_what_is_named_runs_and_a_failure_says_what_of_which_case_and_how_to_repeat_it(run):
    printed = run("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_some.py::test_that_takes_long")
    assert "1 failed, 29 passed" in printed, printed
    first, second = printed.split("____\n", 1)[1].splitlines()[:2]
    assert first == "that takes long [3]: three is wrong"
    assert second.endswith(".venv/bin/python -m pytest 'test_some.py::test_that_takes_long[3]'")


def test_a_failure_names_the_class_and_the_example_and_is_repeated_as_it_ran(run):
    printed = run("-m", "pytest", "--fast", "-q", "-k", "numbers", "--timeout", "77", "-p", "no:cacheprovider")
    assert "1 failed" in printed, printed
    first, example, repeat = printed.split("____\n", 1)[1].splitlines()[:3]
    assert first == "TestOfAll: numbers are small: seven is large"
    assert example.startswith("Fa") and example.endswith("number=7, )")
    assert repeat.endswith("-m pytest --fast --timeout=77 test_some.py::TestOfAll::test_numbers_are_small")


@pytest.mark.nightly
def test_what_is_named_by_words_runs_though_it_is_nightly(run):
    assert "1 passed" in run("-m", "pytest", "-q", "-k", "that_is_nightly", "-p", "no:cacheprovider")


def test_a_part_that_is_none_is_refused_with_what_is_allowed(run):
    printed = run("-m", "pytest", "-q", "--part", "11/10")
    assert printed.strip() == "ERROR: --part is '11/10'; allowed: K/N, such as 3/10"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["cluster", "image", "days"])
@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ([], ["test_always"]),
        (["tests"], ["test_always"]),
        (["tests/{}"], ["test_with_servers"]),
        (["tests/{}/test_it.py"], ["test_with_servers"]),
        (["tests/{}/test_it.py::test_with_servers"], ["test_with_servers"]),
    ],
    ids=str,
)
def test_only_its_name_runs_it(tmp_path, asked, found, name):
    folder = tmp_path / "tests" / name
    folder.mkdir(parents=True)
    (tmp_path / "pytest.ini").write_text(f"[pytest]\ntestpaths = tests\npythonpath = {ROOT}\n")
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["tests.support.selection"]')
    (folder / "test_it.py").write_text("def test_with_servers(): pass")
    (folder.parent / "test_other.py").write_text("def test_always(): pass")
    words = [word.format(name) for word in asked]
    ended = python("-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *words, cwd=tmp_path)
    assert [line.rpartition("::")[2] for line in ended.stdout.splitlines() if "::" in line] == found, ended.stdout


@pytest.mark.parametrize("name", ["cluster", "image", "days"])
def test_make_runs_all_of_it_by_its_name(name):
    command = ["make", "--no-print-directory", "-n", f"test-{name}"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert f"-m pytest --nightly tests/{name}" in shown, "without --nightly a part of it"


def test_without_a_server_it_fails_and_says_how_to_install_one(tmp_path):
    with pytest.raises(AssertionError, match=f"no PostgreSQL server.*{postgres.INSTALL}"):
        postgres.programs(tmp_path)
