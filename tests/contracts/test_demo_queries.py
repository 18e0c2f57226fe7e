"""What the demo ends with, asked of a lake of its three streams: ten lines, and a picture whose bars are as long as the
numbers next to them."""

from datetime import date, timedelta

import pytest

from stack import demo
from tests.support.lakes import PATIENT, ingest
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.runs.backfill import backfill
from windrow.pipelines.sql import statements
from windrow.samples import bikes, cdr, telemetry

pytestmark = [PATIENT, pytest.mark.takes(30)]
LAST, ONE_DAY = date(2018, 11, 4), timedelta(days=1)
QUERIES = {
    "bikes": ["bikes_demand", "bikes_daily", "bikes_in_use_prorated"],
    "cdr": ["cdr_active"],
    "telemetry": ["telemetry_load"],
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory) -> list[list[dict]]:
    """Of each statement of the file."""
    folder = tmp_path_factory.mktemp("demo")
    config = Config(folder / "home", folder / "landing", asked_engine="local")
    bikes.write(config.landing, 3, LAST, trips_per_day=200)
    cdr.write(config.landing, 1, LAST, sessions_per_day=60)
    telemetry.write(config.landing, 1, LAST, events_per_day=60)
    for path in sorted(config.landing.rglob("*_metric.csv.gz"))[2:]:
        path.unlink()
    for stream, queries in QUERIES.items():
        ingest(config, stream)
        backfill(config, queries, (LAST - (2 * ONE_DAY if stream == "bikes" else timedelta()), LAST)).require()
    asked = demo.SUMMARY.read_text().rstrip(";\n").split(";\n")
    return [statements.run(Lake(config), each).to_pylist() for each in asked]


def test_ten_lines_say_what_came_out(answers):
    lines = [row["what came out"] for row in answers[0]]
    assert len(lines) == 10 and len(set(lines)) == 10
    assert all(len(line) <= 110 for line in lines)
    passed = next(line for line in lines if line.startswith("gate")).split()
    assert passed[1] == passed[3] != "0"


def test_the_bars_are_as_long_as_their_numbers(answers):
    most = max(row["in_the_end"] for row in answers[1])
    assert answers[1] and most > 0
    for row in answers[1]:
        bar = next(value for name, value in row.items() if name.startswith("trips known"))
        assert abs(bar.count("█") - 60 * row["on_time"] / most) <= 0.5
        assert abs(bar.count("░") - 60 * (row["in_the_end"] - row["on_time"]) / most) <= 0.5
