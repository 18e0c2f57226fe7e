"""The comparison that ends a round of `make chaos` finds what a lake has lost. No JVM."""

import gzip

import pytest
from deltalake import DeltaTable

from tests.support.chaos.real_files import RealFiles
from tests.support.chaos.round import Round
from tests.support.lakes import PATIENT
from tests.support.replay import landing
from windrow.pipelines.delta.day_files import by_day
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.runs.replay import replay_day

FILES = RealFiles("bikes", "bikes/generated-nyc", "trips-2018-06-0", True, ("bikes_demand",))
pytestmark = [PATIENT, pytest.mark.slow, pytest.mark.nightly]


@pytest.fixture
def ended(tmp_path) -> Round:
    """A round in which nothing went wrong, with one published day."""
    landing.write(tmp_path, landing.trips())
    for file in (tmp_path / FILES.folder).iterdir():
        file.with_suffix(".csv.gz").write_bytes(gzip.compress(file.read_bytes()))
    made = Round(tmp_path / "round", tmp_path, FILES, "a seed", spark=False)
    made.begin()
    lake = Lake(made.config)
    days = by_day(lake, "silver_bikes")
    replay_day(made.config, "bikes_demand", max(days, key=days.get))
    return made


def test_a_whole_lake_is_as_built_at_once(ended):
    ended.compare()
    assert ended.happened["days compared"] == 1


@pytest.mark.parametrize(
    ("table", "message"), [("silver_bikes", "the stream's tables differ"), ("bikes_demand", "bikes_demand differs")]
)
def test_rows_that_are_gone_are_found(ended, table, message):
    DeltaTable(Lake(ended.config).folder(table)).delete()
    with pytest.raises(AssertionError, match=message):
        ended.compare()
