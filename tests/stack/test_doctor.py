"""The doctor names each missing piece, with the command that fixes it, before anything is installed."""

import os
import shutil
import subprocess
import sys

import pytest

from pipelines.cli import _app as command_line
from pipelines.cli import doctor as windrow_doctor
from schemas.errors import NotSetUp
from stack import doctor as stack_doctor
from stack.doctor import Finding
from stack.places import REPOSITORY

FINE = Finding("Linux")
LACKS = Finding("Redis server, for tests", "there is none on PATH", "sudo apt-get install redis-server", optional=True)
WRONG = Finding("Java 17 or newer", "Spark finds none", "make setup")


@pytest.fixture
def checkout(tmp_path):
    """A fresh clone: what `python3 -m stack` needs, and nothing that was installed."""
    for name in ("stack", "processes", "schemas", "kernels", "pipelines", "requirements"):
        shutil.copytree(REPOSITORY / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def doctor(checkout, **variables) -> subprocess.CompletedProcess:
    """Run it by a Python without any packages: -S leaves site-packages out, -I all that the user added."""
    bare = {"PATH": os.environ["PATH"], "HOME": str(checkout)} | variables
    starter = "import sys, runpy; sys.path.insert(0, '.'); sys.argv = ['stack', 'doctor']; "
    starter += "runpy.run_module('stack', run_name='__main__')"
    command = [sys.executable, "-I", "-S", "-c", starter]
    return subprocess.run(command, cwd=checkout, env=bare, capture_output=True, text=True, check=False)


@pytest.mark.jvm
def test_a_fresh_clone_lacks_environments_jars_and_archive_and_says_what_brings_them(checkout):
    ended = doctor(checkout)
    assert ended.returncode == NotSetUp.exit_code, ended.stderr
    lines = ended.stdout.splitlines()
    wrong = {
        line.removeprefix("wrong").strip(): lines[at + 2].strip()
        for at, line in enumerate(lines)
        if line.startswith("wrong")
    }
    # uv may be this machine's own, or one that the set-up brings.
    assert wrong.keys() - {"uv"} == {
        "environment .venv",
        "environment .venv-airflow",
        "Delta's JARs",
        "class-data archive",
        "compiled kernels",
    }
    assert set(wrong.values()) == {"fix it with: make setup"}
    assert lines[-1] == f"{len(wrong)} of 14 are missing or wrong"


@pytest.mark.slow
def test_a_missing_java_is_named_with_one_command(checkout):
    ended = doctor(checkout, JAVA_HOME="/nowhere")
    assert "Spark finds none" in ended.stdout
    assert "fix it with: unset JAVA_HOME" in ended.stdout


@pytest.mark.slow
def test_a_missing_redis_is_reported_with_its_command_but_is_nothing_wrong(checkout):
    ended = doctor(checkout, PATH="/nowhere")
    assert "lacks  Redis server, for tests" in ended.stdout
    assert "fix it with: sudo sh -c 'apt-get update && apt-get install" in ended.stdout


@pytest.mark.slow
def test_a_landing_folder_that_is_not_there_is_named(checkout):
    ended = doctor(checkout, WINDROW_LANDING=str(checkout / "nowhere"))
    assert f"WINDROW_LANDING names {checkout / 'nowhere'}, which is not a folder" in ended.stdout


def test_the_set_up_that_runs_these_tests_is_healthy(set_up):
    command = [sys.executable, "-m", "stack", "doctor"]
    ended = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout
    assert ended.stdout.splitlines()[-1] == "nothing is missing or wrong"


@pytest.mark.parametrize("by", ["make", "windrow"])
@pytest.mark.parametrize(
    ("findings", "code", "summary"),
    [
        ((FINE,), 0, "nothing is missing or wrong"),
        ((FINE, LACKS), 0, "nothing is missing or wrong"),
        ((FINE, LACKS, WRONG), NotSetUp.exit_code, "1 of 3 are missing or wrong"),
    ],
    ids=["fine", "lacks what is optional", "wrong"],
)
def test_what_is_optional_and_lacking_is_listed_and_is_nothing_wrong(monkeypatch, capsys, by, findings, code, summary):
    monkeypatch.setattr(stack_doctor, "CHECKS", tuple(lambda each=each: each for each in findings))
    examined = f"from stack import doctor; doctor.findings = lambda: {findings!r}; raise SystemExit(doctor.run(True))"
    given = examined.replace("Finding(", "doctor.Finding(")
    monkeypatch.setattr(windrow_doctor, "COMMAND", (sys.executable, "-c", given))
    assert (stack_doctor.run() if by == "make" else command_line.run(["doctor"])) == code
    printed = "".join(capsys.readouterr())
    assert printed.splitlines()[-1] == summary
    assert all(finding.subject in printed for finding in findings)
