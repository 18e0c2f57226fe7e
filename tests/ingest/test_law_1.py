"""Which files law 1 is asked of: those that an ingest touched, and all where the one before was not checked. No JVM."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.support import landings, trips
from tests.support.lakes import copied, ingest
from tests.support.landings import BIKES, content_of, path_of
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.gate.checks import law_1_files
from windrow.pipelines.ingest.ingest import ingest as ingest_unchecked
from windrow.pipelines.ledger.verdicts import verdicts_on
from windrow.pipelines.runs.ingest_day import forget
from windrow.pipelines.upkeep.maintain import maintain
from windrow.schemas.errors import GateFailed

pytestmark = pytest.mark.slow

A, B, C = (path_of(BIKES, name, packed=True) for name in "abc")
CONTENT = {
    path: content_of(BIKES, [trips.trip(f"2017-06-0{day} 09:00:00", 60), "no trip"])
    for day, path in enumerate((A, B, C), 3)
}


@pytest.fixture(scope="module")
def two(tmp_path_factory) -> Config:
    """A lake of two files; never changed by a test."""
    return landings.at_once(tmp_path_factory.mktemp("two"), BIKES, {path: CONTENT[path] for path in (A, B)})


@pytest.fixture
def config(two, tmp_path) -> Config:
    return copied(two, tmp_path)


def asked(config: Config) -> list[tuple[str, str]]:
    """Of how many files it was asked each time, and of which snapshot."""
    rows = verdicts_on(Lake(config), "silver_bikes", [("check_name", "=", law_1_files.NAME)]).sort_by("at").to_pylist()
    return [(row["figure"].split(" differ")[0], row["snapshot"]) for row in rows]


def spoil(config: Config) -> None:
    """Two files' rows with counts that only agree in sum: what no ingest leaves, and none looks for."""
    rows = landings.file_rows(config, BIKES)
    trips.remember(config, *(replace(rows[path], accepted=n, readings=n + 1) for path, n in ((A, 2), (B, 0))))


def test_of_the_files_that_an_ingest_touched(config):
    landings.put(config, C, CONTENT[C])
    report = ingest(config, BIKES)
    assert [figure for figure, _ in asked(config)] == ["0 of 2 files", "0 of 1 files"]
    assert asked(config)[-1][1] == report.snapshot.name
    ingest(config, BIKES)
    assert len(asked(config)) == 2


def test_of_none_again_after_maintenance(config):
    before = Lake(config).version("files_bikes")
    maintain(config, timedelta(0), False, lambda name: None)
    assert Lake(config).version("files_bikes") > before
    report = ingest(config, BIKES)
    assert [snapshot for _, snapshot in asked(config)] == [report.snapshot.name]


def test_of_all_where_an_ingest_ended_before_it_was_checked(config):
    landings.put(config, C, CONTENT[C])
    ingest_unchecked(Lake(config), engine_of(config), trips.TABLES)
    report = ingest(config, BIKES)
    assert asked(config)[-1] == ("0 of 3 files", report.snapshot.name)


def test_of_what_a_forgotten_file_left(config):
    (config.landing / A).unlink()
    report = forget(config, A, False, None, lambda text: None)
    assert asked(config)[-1] == ("0 of 0 files", report.snapshot.name)


def test_of_all_again_until_it_passes(config):
    spoil(config)
    for _ in range(2):
        with pytest.raises(GateFailed, match="2 of 2 files"):
            ingest(config, BIKES)
