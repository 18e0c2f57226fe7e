"""Three days of `bikes_demand` on the real trips of Jersey City equal the oracle; one changes the clocks."""

import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from tests.support.lakes import ingest
from tests.support.replay.reading import assert_oracles, events_of_silver
from windrow.pipelines.config import REPOSITORY
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.runs.backfill import backfill
from windrow.schemas import registry

FILES = Path("bikes/citibike-jc")
REAL = REPOSITORY.parent / "shared" / "data" / FILES
DAYS = [date(2018, 11, 3), date(2018, 11, 4), date(2018, 11, 5)]
# Twice as long as a window and its allowed lateness together: the oracle walks every event for every row.
ORACLE_FROM = datetime(2018, 10, 30, tzinfo=UTC)
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(not REAL.is_dir(), reason=f"the real trips are not in {REAL}"),
]


@pytest.fixture
def real_trips(config):
    """Silver made from the months of October and November 2018."""
    (config.landing / FILES).mkdir(parents=True)
    for month in ("201810", "201811"):
        (source,) = REAL.glob(f"*{month}*")
        shutil.copy(source, config.landing / FILES)
    ingest(config, "bikes")
    return config


def _events(config) -> list[dict]:
    """All stations' trips that became known from the warm-up on."""
    end = datetime.combine(DAYS[-1] + timedelta(days=1), datetime.min.time(), UTC)
    return events_of_silver(config, "bikes", [("arrival", ">=", ORACLE_FROM), ("arrival", "<", end)])


@pytest.mark.takes(75)
def test_three_days_of_real_trips_are_the_oracles(real_trips):
    backfill(real_trips, ["bikes_demand"], (DAYS[0], DAYS[-1])).require()
    assert_oracles(real_trips, registry.query("bikes_demand"), _events(real_trips), DAYS)
    assert Lake(real_trips).read("bikes_demand").num_rows > 3 * 288 * 40
