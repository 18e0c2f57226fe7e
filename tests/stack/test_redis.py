"""Redis is optional: what can't be installed is reported, and the set-up goes on."""

import pytest

from schemas.errors import NotSetUp
from stack import redis


@pytest.fixture
def messages(monkeypatch):
    lines = []
    monkeypatch.setattr(redis, "say", lines.append)
    return lines


def test_a_server_on_path_is_taken(tmp_path, monkeypatch):
    program = tmp_path / "redis-server"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert redis.ensure() == str(program)


def test_without_root_the_command_to_type_is_shown(monkeypatch, messages):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(redis.os, "geteuid", lambda: 1000)
    assert redis.ensure() is None
    assert redis.fix() in messages[0]


def test_an_installation_that_fails_does_not_end_the_set_up(monkeypatch, messages):
    def fails(*_):
        raise NotSetUp("no network", redis.BY_HAND)

    monkeypatch.setattr(redis, "find", lambda: None)
    monkeypatch.setattr(redis.os, "geteuid", lambda: 0)
    monkeypatch.setattr(redis.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(redis.commands, "run", fails)
    assert redis.ensure() is None
    assert "its tests will be skipped: no network" in messages[-1]
