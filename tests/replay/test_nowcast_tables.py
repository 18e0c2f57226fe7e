"""The table of nowcasts follows from the query's rows, in every order in which days are published."""

from dataclasses import replace
from datetime import date

import pytest

from tests.support.lakes import DAYS
from tests.support.oracle import nowcast as oracle
from tests.support.rules import FENCED, ROOT
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import code_hash, openlineage
from windrow.pipelines.nowcast import estimates
from windrow.pipelines.runs.backfill import backfill
from windrow.pipelines.runs.replay import replay_day
from windrow.pipelines.sql import statements
from windrow.schemas import registry
from windrow.schemas.promise import promise
from windrow.schemas.query import Query

DEFINED, ASKED = (body for _, body in FENCED.findall((ROOT / "docs" / "nowcast.md").read_text())[:2])
IMPORTS = "from datetime import timedelta\nfrom windrow.schemas.query import *\n"
exec(compile(IMPORTS + DEFINED, "docs/nowcast.md", "exec"), named := {})
TRIPS: Query = named["QUERY"]
pytestmark = [pytest.mark.slow, pytest.mark.few_tests(1)]


@pytest.fixture
def lake(ingested, monkeypatch) -> Config:
    """With the same query twice, once with a promise, and one without nowcasts; nothing is published."""
    promised = replace(TRIPS, promises=(promise(complete=0, within="1 h"),))
    for name, query in {TRIPS.name: TRIPS, "again": promised, "plain": replace(TRIPS, nowcast=None)}.items():
        monkeypatch.setitem(registry.queries(), name, replace(query, name=name))
    monkeypatch.setattr(code_hash, "query_hash", lambda name: name)
    for module in (estimates, oracle):
        monkeypatch.setattr(module, "LEAST_ROWS", 10)
    return ingested


def test_the_order_of_the_days_changes_no_nowcast_and_a_day_that_is_made_again_gives_the_same(lake):
    backfill(lake, [TRIPS.name, "plain"], (DAYS[0], DAYS[-1])).require()
    for day in (DAYS[3], DAYS[1], DAYS[4], DAYS[0], DAYS[2], DAYS[1]):
        replay_day(lake, "again", day)
    found, again = (_rows(lake, f"{name}_nowcast") for name in (TRIPS.name, "again"))
    assert {row["verdict"] for row in Lake(lake).read("promises").to_pylist()} == {"kept"}
    assert found == again and any(row["trips_low"] is not None for row in found)
    assert "plain_nowcast" not in Lake(lake).names()
    on_time = [row for row in found if row["pane"] == "on_time"]
    assert statements.run(Lake(lake), ASKED).num_rows == len(on_time)

    rows = _rows(lake, TRIPS.name)
    for day in DAYS:
        for row, each in zip(*_of_day(rows, found, day), strict=True):
            assert {name: row[name] for name in each if row[name] is not None} == pytest.approx(
                {name: value for name, value in each.items() if value is not None}, rel=1e-6
            )


def test_lineage_tells_of_the_table(lake, tmp_path, monkeypatch):
    monkeypatch.setenv(openlineage.FILE, str(tmp_path / "steps"))
    replay_day(lake, TRIPS.name, DAYS[0])
    told = [openlineage.StepLineage.of_json(line) for line in (tmp_path / "steps").read_text().splitlines()]
    [table] = [each for each in told[-1].outputs if each.place[1].endswith(f"/{TRIPS.name}_nowcast")]
    made_from = {each.name: each.made_from for each in table.columns}
    assert made_from["trips_low"] == [["file", str(Lake(lake).folder(TRIPS.name)), "trips"]]


def _of_day(rows: list[dict], found: list[dict], day: date) -> tuple[list[dict], list[dict]]:
    return [row for row in found if row["emitted_date"] == day], oracle.nowcasts(rows, TRIPS, day)


def _rows(config: Config, table: str) -> list[dict]:
    """By window and revision."""
    place = ", ".join((*TRIPS.window_identity, "revision"))
    return statements.run(Lake(config), f"FROM {table} ORDER BY {place}").to_pylist()
