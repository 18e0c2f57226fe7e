"""A disk that is full, or files that may not grow: a clear error, nothing half-published, and the next try succeeds."""

import errno
import random
import subprocess
from pathlib import Path

import pytest

from tests.support import processes, trips
from tests.support.lakes import DAYS, PATIENT, copied, ingest, pending
from tests.support.replay.reading import rows
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger.stale import stale
from windrow.pipelines.runs.replay import replay_day
from windrow.schemas.errors import StorageFailed

LIMITED = """
import resource, sys
from windrow.pipelines import config
from windrow.schemas.errors import WindrowError
from tests.support.lakes import ingest
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
try:
    ingest(config.load(), "bikes")
except WindrowError as error:
    print(error)
    sys.exit(error.exit_code)
"""
pytestmark = [pytest.mark.slow, PATIENT, pytest.mark.few_tests(1)]
FILE_BYTES = 400_000  # less than bronze takes


def many_trips() -> list[str]:
    chance = random.Random(5)
    lines = []
    for _ in range(30_000):
        hour, minute, second, *rest = (chance.randrange(most) for most in (24, 60, 60, 9_999, 600, 120))
        lines.append(trips.trip(f"2017-06-03 {hour:02}:{minute:02}:{second:02}", *rest[:2], 1_900 + rest[2]))
    return lines


def run_limited(config: Config, limit_bytes: int) -> subprocess.CompletedProcess:
    return processes.python("-c", LIMITED, limit_bytes, env=processes.environment(config))


def test_a_limit_on_file_sizes_is_reported_and_the_next_ingest_succeeds(config):
    path = trips.write(config, "a", many_trips())
    refused = run_limited(config, FILE_BYTES)
    assert refused.returncode == StorageFailed.exit_code, refused.stderr[-2_000:]
    assert "free some space" in refused.stdout
    assert Lake(config).read("bronze_bikes").num_rows == 0
    assert Lake(config).read("silver_bikes").num_rows == 0
    assert pending(config, "bikes") == [path]
    ingest(config, "bikes")
    row = trips.file_row(config, path)
    assert row["accepted"] + row["duplicates"] == row["readings"] == 30_000
    assert Lake(config).read("silver_bikes").num_rows == row["accepted"]


@pytest.fixture
def small_disk(tmp_path, request):
    """A file system in memory, of 1 MiB by default; only root may mount one."""
    place = tmp_path / "small"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={getattr(request, 'param', '1m')}", "tmpfs", str(place)]
    mounted = subprocess.run(mount, capture_output=True, text=True)
    if mounted.returncode:
        pytest.skip(f"no small file system can be mounted here: {mounted.stderr.strip()}")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(place: Path) -> Path:
    """Write until nothing more fits."""
    filler = place / "filler"
    with open(filler, "wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError as full:
            assert full.errno == errno.ENOSPC
    return filler


@pytest.mark.parametrize("ingested_before", [False, True], ids=["from the start", "after an ingest"])
def test_a_full_disk_is_reported_and_the_next_ingest_succeeds(small_disk, tmp_path, ingested_before):
    config = Config(small_disk / "home", tmp_path / "landing")
    config.landing.mkdir()
    if ingested_before:
        ingest(config, "bikes")
    path = trips.write_bytes(config, trips.path_of("a"), b"")
    filler = fill(small_disk)
    with pytest.raises(StorageFailed, match="free some space"):
        ingest(config, "bikes")
    filler.unlink()
    assert pending(config, "bikes") == [path]
    assert ingest(config, "bikes").files[0].state == "empty"
    assert not pending(config, "bikes")


@pytest.mark.parametrize("small_disk", ["64m"], indirect=True)
def test_a_disk_that_fills_before_silver_is_written_leaves_nothing_in_it(small_disk, tmp_path):
    config = Config(small_disk / "home", tmp_path / "landing")
    path = trips.write(config, "a", many_trips())
    fillers = []

    def fill_before_silver(stage: str) -> None:
        if stage.startswith("silver") and "arrival day" in stage:
            fillers.append(fill(small_disk))

    with pytest.raises(StorageFailed, match="free some space"):
        ingest(config, "bikes", fill_before_silver)
    assert len(fillers) == 1
    assert Lake(config).read("silver_bikes").num_rows == 0
    fillers[0].unlink()
    assert pending(config, "bikes") == [path]
    ingest(config, "bikes")
    assert Lake(config).read("silver_bikes").num_rows == trips.file_row(config, path)["accepted"]


@pytest.mark.parametrize("small_disk", ["64m"], indirect=True)
def test_a_disk_that_fills_before_the_publication_leaves_the_day_stale_and_the_next_run_publishes(
    small_disk, first_ingested, first_published
):
    config, query, fillers = copied(first_ingested, small_disk), "bikes_daily", []

    def fill_before_publish(stage: str) -> None:
        if stage == "publish":
            fillers.append(fill(small_disk))

    with pytest.raises(StorageFailed, match="free some space"):
        replay_day(config, query, DAYS[1], progress=fill_before_publish)
    (filler,) = fillers
    filler.unlink()
    assert Lake(config).version(query) is None
    assert [(each.query, each.day) for each in stale(Lake(config))] == [(query, DAYS[1])]
    replay_day(config, query, DAYS[1])
    assert stale(Lake(config)) == []
    expected = [row for row in rows(first_published, query, ()) if row["emitted_date"] == DAYS[1]]
    assert rows(config, query, ()) == expected != []
