"""The doctor names each missing piece, with the command that fixes it, before anything is installed. A Java that Spark
can't use is not taken for one. Redis is optional: what can't be installed is reported, and the set-up goes on."""

import json
import os
import subprocess
import sys

import pytest

from stack import debian
from stack import doctor as stack_doctor
from stack.places import REPOSITORY
from tests.support.checkout import copied
from windrow.pipelines.cli import _app as command_line
from windrow.pipelines.cli import setting_up
from windrow.pipelines.setting_up import Finding
from windrow.processes import java
from windrow.schemas.errors import NotSetUp

FINE = Finding("Linux")
LACKS = Finding("Redis server, for tests", "there is none on PATH", "sudo apt-get install redis-server", optional=True)
WRONG = Finding("Java 17 or newer", "Spark finds none", "make setup")


@pytest.fixture
def checkout(tmp_path):
    """A fresh clone: what `python3 -m stack` needs, and nothing that was installed."""
    return copied(tmp_path, "stack", "processes", "schemas", "kernels", "pipelines", "requirements", "pyproject.toml")


def doctor(checkout, **variables) -> subprocess.CompletedProcess:
    """Run it by a Python without any packages: -S leaves site-packages out, -I all that the user added."""
    bare = {"PATH": os.environ["PATH"], "HOME": str(checkout)} | variables
    starter = "import sys, runpy; sys.path.insert(0, '.'); sys.argv = ['stack', 'doctor']; "
    starter += "runpy.run_module('stack', run_name='__main__')"
    command = [sys.executable, "-I", "-S", "-c", starter]
    return subprocess.run(command, cwd=checkout, env=bare, capture_output=True, text=True, check=False)


@pytest.mark.jvm
def test_a_fresh_clone_lacks_environments_and_says_what_brings_them(checkout):
    ended = doctor(checkout)
    assert ended.returncode == NotSetUp.exit_code, ended.stderr
    lines = ended.stdout.splitlines()
    wrong = {
        line.removeprefix("wrong").strip(): lines[at + 2].strip()
        for at, line in enumerate(lines)
        if line.startswith("wrong")
    }
    # uv may be this machine's own, or one that the set-up brings.
    assert wrong.keys() - {"uv"} == {"environment .venv", "environment .venv-airflow", "what windrow setup brings"}
    assert set(wrong.values()) == {"fix it with: make setup"}
    assert lines[-1] == f"{len(wrong)} of 6 are missing or wrong"


@pytest.mark.slow
@pytest.mark.few(3)
@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"JAVA_HOME": "/nowhere"}, ["Spark finds none", "fix it with: unset JAVA_HOME"]),
        (
            {"PATH": "/nowhere"},
            ["lacks  Redis server, for tests", "fix it with: sudo sh -c 'apt-get update"],
        ),
    ],
    ids=lambda given: next(iter(given)),
)
def test_what_is_missing_is_named_with_one_command(checkout, variables, said):
    printed = doctor(checkout, **variables).stdout
    assert all(each in printed for each in said), printed


def test_a_landing_folder_that_is_missing_is_named(monkeypatch, capsys):
    monkeypatch.setenv("WINDROW_LANDING", "/nowhere")
    assert command_line.run(["doctor", "--json"]) == NotSetUp.exit_code
    [landing] = [each for each in json.loads(capsys.readouterr().out) if each["subject"] == "landing folder"]
    assert landing["wrong"] == "WINDROW_LANDING names /nowhere, which is not a folder"
    assert landing["fix"] == "mkdir -p /nowhere"


def test_the_set_up_that_runs_these_tests_is_healthy(set_up):
    command = [sys.executable, "-m", "stack", "doctor"]
    ended = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout
    assert ended.stdout.splitlines()[-1].startswith("nothing is missing or wrong")


@pytest.mark.parametrize("by", ["make", "windrow"])
@pytest.mark.parametrize(
    ("findings", "code", "summary"),
    [
        ((FINE,), 0, "nothing is missing or wrong"),
        ((FINE, LACKS), 0, "nothing is missing or wrong, but for what is optional"),
        ((FINE, LACKS, WRONG), NotSetUp.exit_code, "1 of 3 are missing or wrong"),
    ],
    ids=["fine", "lacks what is optional", "wrong"],
)
def test_what_is_optional_and_lacking_is_listed_and_is_nothing_wrong(monkeypatch, capsys, by, findings, code, summary):
    monkeypatch.setattr(stack_doctor, "findings", lambda: [*findings])
    monkeypatch.setattr(setting_up, "findings", lambda home: [*findings])
    assert (stack_doctor.run() if by == "make" else command_line.run(["doctor"])) == code
    printed = "".join(capsys.readouterr())
    assert printed.splitlines()[-1] == summary
    assert all(finding.subject in printed for finding in findings)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('openjdk version "21" 2023-09-19', 21),
        ('java version "1.8.0_412"', 8),
        ("sh: java: not found", 0),
    ],
)
def test_the_major_version_is_read_in_both_ways_of_counting(text, expected):
    assert java.major(text) == expected


@pytest.fixture
def old_java(tmp_path, monkeypatch):
    """A JAVA_HOME whose Java says that it is of version 11."""
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    return program


def test_a_java_home_that_is_too_old_hides_a_good_java_on_path_as_it_does_for_spark(old_java):
    assert java.version(old_java) == 'openjdk version "11.0.2" 2019-01-15'
    assert java.find() is None


def test_nothing_is_installed_over_a_java_home_that_the_user_chose(old_java):
    with pytest.raises(NotSetUp, match="fix it with: unset JAVA_HOME"):
        debian.ensure_java()


@pytest.mark.jvm
def test_without_a_java_home_the_one_on_path_is_found(monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    found = java.find()
    assert found is not None
    assert java.major(java.version(found)) >= java.OLDEST


@pytest.fixture
def messages(monkeypatch):
    lines = []
    monkeypatch.setattr(debian, "say", lines.append)
    return lines


def test_a_server_on_path_is_taken(tmp_path, monkeypatch):
    program = tmp_path / "redis-server"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert debian.ensure_redis() == str(program)


def test_without_root_the_command_to_type_is_shown(monkeypatch, messages):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(debian.os, "geteuid", lambda: 1000)
    assert debian.ensure_redis() is None
    assert debian.fix(debian.REDIS) in messages[0]


def test_an_installation_that_fails_does_not_end_the_set_up(monkeypatch, messages):
    def fails(*_):
        raise NotSetUp("no network", debian.by_hand(debian.REDIS))

    monkeypatch.setattr(debian, "find_redis", lambda: None)
    monkeypatch.setattr(debian.os, "geteuid", lambda: 0)
    monkeypatch.setattr(debian.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(debian.logged, "run", fails)
    assert debian.ensure_redis() is None
    assert "its tests will be skipped: no network" in messages[-1]
