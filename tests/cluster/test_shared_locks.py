"""Locks of a server that all writers see: of many commits to one table on S3 none is lost, and none made without."""

import os
import signal
import subprocess
import sys
from collections import Counter

import psycopg
import pytest

from tests.support.commits import TABLE
from tests.support.lakes import ingest
from tests.support.processes import wait_until
from tests.support.replay import landing
from windrow.pipelines import config, storage
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.delta.locks import lock_of, locked
from windrow.pipelines.delta.locks.postgresql_locks import PostgresqlLock
from windrow.pipelines.ledger import run_table
from windrow.pipelines.runs.replay import replay_day
from windrow.schemas.errors import LockHeld, StorageFailed

pytestmark = [pytest.mark.jvm, pytest.mark.timeout(3_600)]
WRITERS = {"one": "local", "two": "spark", "three": "local", "four": "spark"}
COMMITS = int(os.environ.get("WINDROW_COMMITS", "1000"))


def test_of_many_commits_none_is_lost_and_none_doubled(on_s3):
    each = COMMITS // len(WRITERS)
    command = [sys.executable, "-m", "tests.support.commits"]
    running = [subprocess.Popen([*command, engine, name, str(each)], env=on_s3) for name, engine in WRITERS.items()]
    assert [process.wait() for process in running] == [0] * len(running)
    lake = Lake(config.load())
    rows = Counter((row["writer"], row["number"]) for row in lake.read(TABLE.name).to_pylist())
    assert rows == Counter({(writer, number): 1 for writer in WRITERS for number in range(each)})
    history = storage.delta_table(lake.folder(TABLE.name)).history()
    assert sum(commit["operation"] == "WRITE" for commit in history) == each * len(WRITERS)


HOLDER = """
import sys, time
from windrow.pipelines import config
from windrow.pipelines.delta.locks import locked
with locked(config.load(), sys.argv[1]):
    print("held", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def holder(on_s3):
    """A process that has the lock `held`."""
    with subprocess.Popen([sys.executable, "-c", HOLDER, "held"], env=on_s3, stdout=subprocess.PIPE) as process:
        assert process.stdout and process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def test_who_waits_too_long_learns_who_has_it(holder, on_s3, monkeypatch):
    monkeypatch.setenv(config.MOST_WAIT, "0")
    with pytest.raises(LockHeld, match=rf"held.*{holder.pid}"), locked(config.load(), "held"):
        pass


def test_the_server_frees_the_lock_of_a_process_that_was_killed(holder, on_s3):
    taken = lock_of(config.load(), "held")
    assert not taken.is_taken()
    holder.send_signal(signal.SIGKILL)
    wait_until(taken.is_taken, "the lock of the killed process is free")
    taken.close()


def test_nothing_is_committed_without_the_lock(on_s3, monkeypatch):
    """The server ends the connection, as it does when it restarts, between the write of rows and their commit."""
    lake = Lake(config.load(engine="local"))
    lake.ensure(TABLE)
    version, asked = lake.version(TABLE.name), PostgresqlLock.require_held

    def lost(lock: PostgresqlLock) -> None:
        with psycopg.connect(lock.server, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s)", (lock.connection.info.backend_pid,))
        asked(lock)

    monkeypatch.setattr(PostgresqlLock, "require_held", lost)
    with pytest.raises(StorageFailed, match="the lock 'commits' is lost.*What was about to be committed was not"):
        lake.append(TABLE, [{"writer": "five", "number": 0}])
    assert lake.version(TABLE.name) == version


def test_a_folder_that_several_machines_mount_has_its_locks_there_too(on_s3, tmp_path):
    """Of an operating system's lock another machine may not know."""
    mounted = Config(tmp_path / "home", tmp_path / "landing", asked_engine="local")
    landing.write(mounted.landing, landing.trips())
    ingest(mounted, "bikes")
    replay_day(mounted, "bikes_demand", landing.FIRST_DAY)
    assert {row.state for row in run_table.rows(Lake(mounted))} == {"done"}
    assert not [name for name in Lake(mounted).names() if (mounted.locks / f"{name}.lock").exists()]
    assert list(mounted.running.iterdir()) == []


def test_a_server_that_can_not_be_reached_is_named_without_its_password(on_s3, monkeypatch):
    monkeypatch.setenv(config.LOCKS, "postgresql://somebody:secret@127.0.0.1:1/nothing")
    with pytest.raises(StorageFailed, match="127.0.0.1:1/nothing.*Nothing was written") as refused:
        Lake(config.load(engine="local")).append(TABLE, [{"writer": "six", "number": 0}])
    assert "secret" not in str(refused.value)
