"""`pytest --fast` leaves the marked tests out, and an unmarked one that starts a JVM or Airflow fails."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONFTEST = 'pytest_plugins = ["tests.support.fast"]'
TESTS = """
import subprocess
import pytest
from stack.places import AIRFLOW_ENVIRONMENT

def test_that_needs_neither():
    pass

def test_that_starts_java():
    subprocess.run(["java", "-version"], check=True)

def test_that_starts_airflow():
    subprocess.run([AIRFLOW_ENVIRONMENT / "bin" / "python", "--version"], check=True)

@pytest.mark.jvm
def test_that_is_marked():
    raise AssertionError

@pytest.mark.airflow
def test_that_is_marked_too():
    raise AssertionError

@pytest.mark.slow
def test_that_takes_long():
    raise AssertionError

def test_that_asks_for_spark(through_spark):
    raise AssertionError

@pytest.fixture
def through_spark():
    pass
"""


def test_only_unmarked_tests_run_and_those_that_start_either_fail(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_some.py").write_text(TESTS)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--fast",
        "-q",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        tmp_path,
        tmp_path,
    ]
    settings = os.environ | {"PYTHONPATH": str(ROOT)}
    ran = subprocess.run(command, cwd=tmp_path, env=settings, capture_output=True, text=True, timeout=120)
    assert "2 failed, 1 passed, 4 deselected" in ran.stdout, ran.stdout
    assert "--fast lets none start" in ran.stdout
