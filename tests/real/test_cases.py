"""Small files that users have, next to the repository: what an ingest makes of them."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support import meters
from tests.support.edited import with_layout
from tests.support.lakes import ingest
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.schemas.fields import decimal_or_none
from windrow.schemas.stream import Layout, Place, Record

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.few_tests(1),
    pytest.mark.skipif(not CASES.is_dir(), reason="the cases are not in ../shared/cases"),
]


def land(config: Config, case: str, folder: str) -> None:
    shutil.copytree(CASES / case, config.landing / folder)


def parse_half_hour(fields: list[str], place: Place) -> list[Record]:
    """A meter of London: seven decimals, of which the last is 0, and `Null` for what was not read."""
    meter, _, read_at, kwh = fields
    [reading] = meters.parse_reading([meter, read_at.removesuffix("0"), "0"], place)
    return [reading._replace(values=(meter, decimal_or_none(kwh.strip().removeprefix("Null"))))]


LONDON: Layout = replace(
    meters.IN_ORDER,
    header=("LCLid", "stdorToU", "DateTime", "KWH/hh (per half hour) "),
    parse=parse_half_hour,
    fields=4,
)


def test_the_day_of_25_hours_has_50_half_hours(config, monkeypatch):
    meters.make_known(monkeypatch, with_layout(meters.STREAM, LONDON))
    land(config, "meters", "meters")
    ingest(config, "meters")
    of_day = [row for row in Lake(config).read("silver_meters").to_pylist()
              if meters.MIDNIGHT <= row["start"] < meters.MIDNIGHT + 50 * meters.HALF_AN_HOUR]  # fmt: skip
    assert (len(of_day), sum(row["kwh"] for row in of_day)) == (50, 12.5)


def test_files_of_other_columns_are_refused_and_named(config):
    land(config, "headers", "bikes/citibike-jc")
    report = ingest(config, "bikes")
    states = {row["path"].rpartition("/")[2]: row["state"] for row in Lake(config).read("files_bikes").to_pylist()}
    assert states == {"201408.csv": "accepted"} | dict.fromkeys(
        ("201610.csv", "202102.csv", "202301_blue.csv"), "refused"
    )
    [warning] = [each for each in report.warnings if "hold no event" in each]
    assert warning.startswith("3 file(s)") and all(name in warning for name in states if name != "201408.csv")


def test_hidden_and_half_written_files_are_not_taken(config):
    land(config, "hidden", "bikes/citibike-jc")
    names = {path.name for path in (config.landing / "bikes/citibike-jc").iterdir()}
    report = ingest(config, "bikes")
    assert [row.path.rpartition("/")[2] for row in report.files] == ["202406.csv"]
    left_out = [each for each in report.messages if "left out, it is hidden" in each or "still being written" in each]
    assert len(left_out) == len(names - {"202406.csv"}) > 0
