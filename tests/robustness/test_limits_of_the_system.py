"""Limits that a system sets a process, and rights that a user lacks: each is said in words, without a panic of
delta-rs, and what was cut off is made by the next ingest. What Windrow writes under its home is not for users outside
the group: events may be people's."""

import os
import resource
import subprocess
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest

from stack.places import REPOSITORY, WINDROW
from tests.support import processes, trips
from tests.support.lakes import PATIENT, ingest
from tests.support.other_user import as_other_user, give
from tests.support.processes import python
from windrow.pipelines.cli import _errors
from windrow.pipelines.config import Config
from windrow.processes import modes
from windrow.schemas.errors import KernelOutOfMemory, StorageFailed

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
    assert capsys.readouterr().err.startswith("error: this process got no more memory; this write published nothing")


@pytest.fixture
def read_only(config) -> Iterator[Config]:
    """A home of this user whose tables, but not its locks, are another's or closed; a new file waits in the landing
    folder."""
    trips.write(config, "a", [trips.trip("2017-06-03 08:00:00", 600)])
    give(config.home)
    assert run(config, "ingest", "bikes").returncode == 0
    trips.write(config, "b", [trips.trip("2017-06-04 08:00:00", 600)])
    folders = [folder for folder in (config.lake, *config.lake.rglob("*")) if folder.is_dir()]
    for folder in folders:
        folder.chmod(0o555)
    yield config
    for folder in folders:
        folder.chmod(0o755)


def run(config: Config, *words: str) -> subprocess.CompletedProcess:
    places = {"WINDROW_HOME": str(config.home), "WINDROW_LANDING": str(config.landing)}
    variables = places | {"WINDROW_ENGINE": "local", "RUST_BACKTRACE": "1"}
    environment = {"PATH": os.environ["PATH"], "HOME": str(config.home)} | variables
    words = as_other_user(WINDROW, *words)
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300, check=False)


@PATIENT
@pytest.mark.nightly
def test_an_ingest_into_tables_without_the_right_to_write_names_the_table_and_does_not_panic(read_only):
    ended = run(read_only, "ingest", "bikes")
    assert ended.returncode == StorageFailed.exit_code, ended.stderr
    assert "panicked" not in ended.stderr and "backtrace" not in ended.stderr
    error = ended.stderr.splitlines()[-1]
    assert error.startswith("error: table '") and "' can't be written: this user has no right to write to " in error
    table = Path(error.split("right to write to ")[1].split(". Nothing was written")[0])
    assert table.parent == read_only.lake


@PATIENT
@pytest.mark.nightly
def test_what_is_there_can_still_be_read(read_only):
    ended = run(read_only, "query", "SELECT count(*) AS n FROM silver_bikes", "--json")
    assert (ended.returncode, ended.stdout) == (0, '[{"n": 1}]\n'), ended.stderr


KEPT = ("PATH", "JAVA_HOME", "WINDROW_JAVA_OPTIONS")


@pytest.fixture
def usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def windrow(home: Path, landing: Path, *words: str, engine: str) -> None:
    environment = {name: os.environ[name] for name in KEPT if name in os.environ} | {
        "WINDROW_HOME": str(home),
        "WINDROW_LANDING": str(landing),
        "WINDROW_ENGINE": engine,
    }
    python("-m", "windrow.pipelines", *words, env=environment, cwd=REPOSITORY, check=True)


@pytest.mark.nightly
@pytest.mark.takes(65)
@pytest.mark.parametrize("engine", ["local", pytest.param("spark", marks=pytest.mark.jvm)])
def test_nothing_that_an_ingest_and_a_replay_write_is_open_to_others(tmp_path, usual_umask, engine):
    home, landing = tmp_path / "home", tmp_path / "landing"
    trips.write(Config(home, landing), "a", [trips.trip(f"2017-06-0{day} 08:00:00", 600) for day in range(3, 9)])
    windrow(home, landing, "ingest", "bikes", engine=engine)
    windrow(home, landing, "replay", "bikes_daily", "--day", "2017-06-08", engine=engine)
    assert list((home / "lake" / "bikes_daily").glob("*/*.parquet"))
    assert [path for path in home.rglob("*") if path.stat().st_mode & 0o027] == []
    assert not home.stat().st_mode & 0o027


def test_a_stricter_umask_stays_and_comes_back(usual_umask):
    os.umask(0o077)
    with modes.others_kept_out():
        assert os.umask(0o077) == 0o077
    os.umask(0o002)
    with modes.others_kept_out():
        assert os.umask(0o027) == 0o027
    assert os.umask(0o022) == 0o002


@pytest.mark.parametrize(("umask", "digits"), [(0o022, "027"), (0o002, "027"), (0o077, "077"), (0, "027")])
def test_the_digits_for_other_programs_are_at_least_that_and_change_nothing(usual_umask, umask, digits):
    os.umask(umask)
    assert modes.umask_digits() == digits
    assert os.umask(0o022) == umask
