"""Limits that a system sets a process: each is said in words, and what was cut off is made by the next ingest."""

import os
import resource
import subprocess
from datetime import date, timedelta

import pytest

from pipelines.cli import _errors
from pipelines.config import Config
from schemas.errors import KernelOutOfMemory, StorageFailed
from stack.places import WINDROW
from tests.support import processes, trips
from tests.support.lakes import PATIENT, ingest

FIRST, DAYS = date(2017, 6, 3), 40


@pytest.fixture
def landed(config) -> Config:
    """Forty days, each in every bucket."""
    days = [FIRST + timedelta(days=n) for n in range(DAYS)]
    lines = [trips.trip(f"{day} 08:00:00", 600, station) for day in days for station in range(1, 60)]
    trips.write(config, "many-days", [*lines, "no trip"])
    return config


def limited(config: Config, what: int, soft: int, hard: int) -> subprocess.CompletedProcess:
    environment = processes.environment(config) | {"WINDROW_ENGINE": "local", "PATH": os.environ["PATH"]}
    how = {"preexec_fn": lambda: resource.setrlimit(what, (soft, hard)), "env": environment, "timeout": 600}
    return subprocess.run([WINDROW, "ingest", "bikes"], capture_output=True, text=True, check=False, **how)


@PATIENT
@pytest.mark.nightly
@pytest.mark.takes(40)
def test_as_many_files_are_opened_as_the_user_may_and_too_few_are_told(landed, tmp_path):
    failed = limited(landed, resource.RLIMIT_NOFILE, 40, 40)
    assert failed.returncode == StorageFailed.exit_code, failed.stderr
    assert "this process may have 40 files open, and needs more" in failed.stderr
    done = limited(landed, resource.RLIMIT_NOFILE, 40, 4_096)
    assert done.returncode == 0, done.stderr
    at_once = Config(tmp_path / "at once", landed.landing)
    ingest(at_once, "bikes")
    assert trips.contents(landed) == trips.contents(at_once)


def test_a_process_that_gets_no_memory_says_so_without_a_traceback(capsys):
    """Where Python finds it out: Rust and C++ end the process, and the next ingest makes what that cut off."""

    def work() -> None:
        raise MemoryError

    assert _errors.reported(work, False) == KernelOutOfMemory.exit_code
    assert capsys.readouterr().err.startswith("error: this process got no more memory; nothing of this write was")
