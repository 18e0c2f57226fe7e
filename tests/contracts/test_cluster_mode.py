"""tests/cluster, tests/image and tests/days are run where they are asked for by their names, and nowhere else."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import postgres

ROOT = Path(__file__).parents[2]


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
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["tests.support.cluster"]')
    (folder / "test_it.py").write_text("def test_with_servers(): pass")
    (folder.parent / "test_other.py").write_text("def test_always(): pass")
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    command += [word.format(name) for word in asked]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert [line.rpartition("::")[2] for line in ended.stdout.splitlines() if "::" in line] == found, ended.stdout


@pytest.mark.parametrize("name", ["cluster", "image", "days"])
def test_make_runs_all_of_it_by_its_name(name):
    command = ["make", "--no-print-directory", "-n", f"test-{name}"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert f"-m pytest --nightly tests/{name}" in shown, "without --nightly a part of it"


def test_without_a_server_it_fails_and_says_how_to_install_one(tmp_path):
    with pytest.raises(AssertionError, match=f"no PostgreSQL server.*{postgres.INSTALL}"):
        postgres.programs(tmp_path)
