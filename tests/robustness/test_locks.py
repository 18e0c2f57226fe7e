"""A process that waits for a lock learns which process has it, and doesn't wait for ever."""

import json
import logging
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from tests.support import processes
from windrow.pipelines.config import MOST_WAIT
from windrow.pipelines.delta import locks
from windrow.pipelines.delta.locks.file_locks import FileLock
from windrow.processes import proc
from windrow.schemas.errors import LockHeld

NAME = "ingest_bikes"
# The commands that hold locks have their words in sys.argv; so has this one.
PROGRAM = """
import sys, time
from windrow.pipelines import config
from windrow.pipelines.delta import locks
sys.argv = ["/somewhere/windrow", "ingest", "bikes"]
with locks.locked(config.load(), "ingest_bikes"):
    print("taken", flush=True)
    time.sleep(600)
"""


@contextmanager
def held_by_another_process(config):
    """The process that holds the lock."""
    config.home.mkdir(parents=True, exist_ok=True)
    holder = processes.start_program(config, "holder", PROGRAM)
    try:
        processes.wait_until(lambda: "taken" in (config.home / "holder.log").read_text(), "the lock is taken")
        yield holder
    finally:
        processes.kill_all(holder.pid)


def take(config, shared: bool = False) -> None:
    with locks.locked(config, NAME, shared):
        pass


def test_one_waits_as_long_as_one_may_and_the_error_names_lock_holder_and_next_step(config, monkeypatch):
    monkeypatch.setenv(MOST_WAIT, "1")
    with held_by_another_process(config) as holder:
        with pytest.raises(LockHeld) as refused:
            take(config)
        os.kill(holder.pid, signal.SIGSTOP)
        processes.wait_until(lambda: proc.status(holder.pid).state == "T", "the holder stands still")
        with pytest.raises(LockHeld, match=f"it is stopped: kill -CONT {holder.pid} makes it go on"):
            take(config)
    message = str(refused.value)
    assert f"the lock '{NAME}' was not free within 1 s" in message
    assert f"process {holder.pid} (windrow ingest bikes), since 20" in message
    assert f"kill {holder.pid}" in message and MOST_WAIT in message


@pytest.mark.slow
def test_a_lock_that_is_free_in_time_is_taken_and_the_wait_is_reported_with_the_holder(config, monkeypatch, caplog):
    monkeypatch.setenv(MOST_WAIT, str(processes.PATIENCE_S))
    with held_by_another_process(config) as holder, ThreadPoolExecutor() as pool:
        taking = pool.submit(take, config)
        processes.wait_until(lambda: caplog.records, "the wait is reported")
        assert not taking.done()
        os.kill(holder.pid, signal.SIGKILL)
        assert taking.result(timeout=processes.PATIENCE_S) is None
    (record,) = caplog.records
    assert record.levelno == logging.WARNING
    held_by = f"process {holder.pid} (windrow ingest bikes), since 20"
    assert f"waiting for the lock '{NAME}': held by {held_by}" in record.message


def test_a_free_lock_is_taken_where_one_may_not_wait_at_all(config, monkeypatch, caplog):
    monkeypatch.setenv(MOST_WAIT, "0")
    take(config)
    with locks.locked(config, NAME), pytest.raises(LockHeld, match=f"process {os.getpid()} "):
        take(config)
    take(config)
    assert not caplog.records


def test_the_holder_is_the_one_who_has_it_now(config, monkeypatch):
    path = config.locks / f"{NAME}.lock"
    for words in (["/bin/windrow", "ingest", "a stream with a long name"], ["w"]):
        monkeypatch.setattr(sys, "argv", words)
        with locks.locked(config, NAME):
            found = FileLock(path, shared=False).holder()
        assert (found.process, found.command) == (os.getpid(), " ".join([words[0].rpartition("/")[2], *words[1:]]))


@pytest.mark.parametrize("written", ["", "{", "[]", json.dumps({"process": 1})])
def test_a_holder_that_is_not_known_is_reported_so(config, monkeypatch, written):
    monkeypatch.setenv(MOST_WAIT, "0")
    with locks.locked(config, NAME):
        (config.locks / f"{NAME}.lock").write_text(written)
        with pytest.raises(LockHeld, match="held by a process that is not known"):
            take(config)


def test_who_shares_a_lock_waits_for_nobody_who_shares_it_and_for_who_has_it_alone(config, monkeypatch):
    monkeypatch.setenv(MOST_WAIT, "0")
    with locks.locked(config, NAME, shared=True):
        take(config, shared=True)
        with pytest.raises(LockHeld, match=f"process {os.getpid()} .* UTC, or others with which it shares it"):
            take(config)
    with locks.locked(config, NAME), pytest.raises(LockHeld, match=f"process {os.getpid()} .* UTC\\."):
        take(config, shared=True)


def test_each_of_many_that_wait_gets_the_lock(config):
    inside, most = threading.Semaphore(1), 8

    def alone(_: int) -> bool:
        with locks.locked(config, NAME):
            free = inside.acquire(blocking=False)
            processes.pause()
            inside.release()
            return free

    with ThreadPoolExecutor(most) as pool:
        assert list(pool.map(alone, range(most))) == [True] * most
