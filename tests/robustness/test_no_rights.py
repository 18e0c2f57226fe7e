"""A lake in which this user may not write: one message that names the table, and no panic of delta-rs before it."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipelines.config import Config
from schemas.errors import StorageFailed
from stack.places import WINDROW
from tests.support import trips
from tests.support.lakes import PATIENT
from tests.support.other_user import as_other_user, give

pytestmark = [pytest.mark.nightly, PATIENT]


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


def test_an_ingest_into_tables_without_the_right_to_write_names_the_table_and_does_not_panic(read_only):
    ended = run(read_only, "ingest", "bikes")
    assert ended.returncode == StorageFailed.exit_code, ended.stderr
    assert "panicked" not in ended.stderr and "backtrace" not in ended.stderr
    error = ended.stderr.splitlines()[-1]
    assert error.startswith("error: table '") and "' can't be written: this user has no right to write to " in error
    table = Path(error.split("right to write to ")[1].split(". Nothing was written")[0])
    assert table.parent == read_only.lake


def test_what_is_there_can_still_be_read(read_only):
    ended = run(read_only, "query", "SELECT count(*) AS n FROM silver_bikes", "--json")
    assert (ended.returncode, ended.stdout) == (0, '[{"n": 1}]\n'), ended.stderr
