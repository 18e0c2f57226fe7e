"""The real trips, ingested whole: every line is accounted for, and the known dirt comes out as its description says.

Figures from ../shared/data/README.md: rows and duplicates per file, trips longer than a day, the doubled hour.
"""

from pathlib import Path

import pytest

from tests.support.lakes import ingest, tables_of
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ingest.profile import Spread, profile

REAL = Path(__file__).resolve().parents[3] / "shared" / "data"
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(not (REAL / "bikes").is_dir(), reason="the real trips are not in ../shared/data"),
    pytest.mark.timeout(1_200),
]
JERSEY_CITY, NEW_YORK = "bikes/citibike-jc/", "bikes/citibike-nyc-2017/trips-"
DUPLICATES = {"2017-04-18": 9, "2017-05-21": 21, "2017-06-03": 19, "2017-06-04": 16, "2017-06-05": 3, "2017-06-09": 4}


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> Config:
    config = Config(tmp_path_factory.mktemp("real") / "home", REAL)
    ingest(config, "bikes")
    return config


def of(rows: list[dict], beginning: str) -> list[dict]:
    return [row for row in rows if row["path"].startswith(beginning)]


def test_every_line_is_accepted_quarantined_or_a_duplicate(whole):
    files = Lake(whole).read("files_bikes").to_pylist()
    assert sum(row["readings"] for row in of(files, JERSEY_CITY)) == 167_707
    assert sum(row["readings"] for row in of(files, NEW_YORK)) == 327_474
    accepted = Lake(whole).read("silver_bikes", columns=["path"]).to_pylist()
    refused = Lake(whole).read("quarantine_bikes", columns=["path", "reason"]).to_pylist()
    for row in files:
        rows_of_file = len(of(accepted, row["path"])) + len(of(refused, row["path"]))
        assert row["readings"] == row["accepted"] + row["quarantined"] + row["duplicates"] == rows_of_file, row["path"]


def test_duplicates_are_those_that_the_description_counts(whole):
    refused = Lake(whole).read("quarantine_bikes").to_pylist()
    assert {row["reason"] for row in refused} == {"duplicate"}
    for day, count in DUPLICATES.items():
        assert len(of(refused, f"{NEW_YORK}{day}")) == count
    assert len(refused) == sum(DUPLICATES.values())


def test_the_station_list_is_skipped_with_a_message(whole):
    (row,) = of(Lake(whole).read("files_bikes").to_pylist(), "bikes/citibike-nyc-2017/stations")
    assert row["state"] == "no events" and row["detail"]


def test_weeks_long_trips_are_events(whole):
    columns = ["path", "start", "end", "trip_duration_s", "clock_note"]
    trips = Lake(whole).read("silver_bikes", columns=columns).to_pylist()
    long = [trip for trip in trips if trip["trip_duration_s"] > 86_400]
    assert (len(of(long, JERSEY_CITY)), len(of(long, NEW_YORK))) == (58, 81)
    assert max(trip["trip_duration_s"] for trip in trips) == 4_603_308
    lengths = [abs((trip["end"] - trip["start"]).total_seconds() - trip["trip_duration_s"]) for trip in trips]
    assert max(lengths) < 2  # the trip across the change of the clocks, 3,599 s off in local time, among them


def test_the_doubled_hour_is_noted(whole):
    noted = Lake(whole).read("silver_bikes", columns=["path", "clock_note", "start"]).to_pylist()
    repeated = [trip for trip in noted if trip["clock_note"] == "repeated hour"]
    assert len(repeated) >= 5 and all(trip["path"].startswith(JERSEY_CITY) for trip in repeated)
    assert {trip["start"].date().isoformat() for trip in repeated} == {"2018-11-04"}


def test_the_profile_has_the_figures_of_the_description(whole):
    """New York's as they are after 72 duplicates: d's 99th percentile was 3,676 and its maximum 225,722 with them."""
    jersey_city, new_york = profile(Lake(whole), tables_of("bikes"))
    shown = [
        (f"{100 * each.late_in_file_order:.1f}", f"{100 * each.descents:.1f}", each.d, each.dirt)
        for each in (jersey_city, new_york)
    ]
    assert shown == [
        ("94.6", "0.4", Spread(1, 78, 33_429), {}),
        ("22.4", "15.8", Spread(129, 3_674, 225_675), {"duplicate": 72}),
    ]
    lags = [
        (round(each.lag_s.median), round(each.lag_s.p99), round(each.lag_s.maximum / 86_400, 1))
        for each in (jersey_city, new_york)
    ]
    assert lags == [(56, 3_153, 23.9), (542, 4_134, 19.2)]
    assert (jersey_city.keys, jersey_city.lines, new_york.lines, new_york.accepted) == (
        51,
        167_707,
        327_474,
        327_474 - 72,
    )
