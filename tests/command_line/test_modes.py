"""What Windrow writes under its home is not for users outside the group: events may be people's."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipelines.config import Config
from processes import modes
from stack.places import REPOSITORY
from tests.support import trips

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
    command = [sys.executable, "-m", "pipelines", *words]
    subprocess.run(command, env=environment, cwd=REPOSITORY, capture_output=True, check=True, timeout=300)


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
