"""A Java that Spark can't use is not taken for one. Redis is optional: what can't be installed is reported, and the
set-up goes on."""

import pytest

from schemas.errors import NotSetUp
from stack import debian


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
    assert debian.java_major(text) == expected


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
    assert debian.java_version(old_java) == 'openjdk version "11.0.2" 2019-01-15'
    assert debian.find_java() is None


def test_nothing_is_installed_over_a_java_home_that_the_user_chose(old_java):
    with pytest.raises(NotSetUp, match="fix it with: unset JAVA_HOME"):
        debian.ensure_java()


@pytest.mark.jvm
def test_without_a_java_home_the_one_on_path_is_found(monkeypatch):
    monkeypatch.delenv("JAVA_HOME", raising=False)
    found = debian.find_java()
    assert found is not None
    assert debian.java_major(debian.java_version(found)) >= debian.OLDEST_JAVA


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
    monkeypatch.setattr(debian.commands, "run", fails)
    assert debian.ensure_redis() is None
    assert "its tests will be skipped: no network" in messages[-1]
