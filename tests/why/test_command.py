"""`windrow why` over a published lake: what it prints, the mistakes that it names, and differences of two versions."""

import json
import re
import shlex
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

import windrow
from tests.support.edited import edit
from tests.support.lakes import DAYS, PATIENT, ingest
from tests.support.replay import landing
from tests.support.rules import ROOT
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger.kept_definition import query_of, text_of
from windrow.pipelines.runs.backfill import backfill
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.why.listing import as_json
from windrow.schemas import registry
from windrow.schemas.errors import GateFailed, NotSetUp, UnknownName, WrongParameter
from windrow.schemas.query import agg

pytestmark = [PATIENT]
QUERY = "bikes_demand"


def most_revised(config: Config, query: str = QUERY) -> dict:
    rows = Lake(config).read(query).to_pylist()
    return max(rows, key=lambda row: (row["revision"], row["events"], str(row["window_start"])))


def words(row: dict, query: str = QUERY) -> list[str]:
    return ["why", query, "--key", f"start_station_id={row['start_station_id']}", "--window", str(row["window_start"])]


@pytest.mark.parametrize("query", [QUERY, "bikes_last_hour", "bikes_daily"])
def test_each_revision_has_its_events_its_run_and_its_verdicts(published, run, query):
    row = most_revised(published, query)
    found = run(published, *words(row, query), "--json")
    assert found.code == 0 and found.json["adds_up"] and not found.json["remarks"]
    [window] = found.json["windows"]
    assert window["revisions"][-1]["revision"] == row["revision"]
    covered = 0
    for each in window["revisions"]:
        covered += each["came"] - each["left"]
        assert covered == each["events"] and len(each["changes"]) == each["came"] + each["left"]
    [change] = window["revisions"][0]["changes"][:1]
    lines = (published.landing / change["path"]).read_text().splitlines()
    assert change["change"] == "+" and lines[change["line"] - 1].split(",")[1] == str(change["trip_duration_s"])
    for each in found.json["runs"]:
        assert each["verdicts"] and all(verdict["passed"] for verdict in each["verdicts"])
        assert query_of(each["definition_text"]) == registry.query(query) and "today's" in each["definition"]


def test_in_python_it_is_the_same(published, run):
    row = most_revised(published)
    printed = run(published, *words(row), "--json").json
    found = windrow.why(QUERY, {"start_station_id": row["start_station_id"]}, str(row["window_start"]))
    assert as_json(found)["windows"][0]["revisions"][-1]["trips"] == row["trips"]
    assert len(as_json(found)["windows"][0]["revisions"]) == len(printed["windows"][0]["revisions"])


def test_people_read_tables_and_a_sentence(published, run):
    row = most_revised(published)
    ended = run(published, *words(row), "--rows", "1")
    assert ended.code == 0 and "every revision is what its events say" in ended.error
    assert "published by" in ended.out and "passed" in ended.out and "trips-2018-06" in ended.out
    assert "only the first 1 are shown" in ended.error


def test_a_row_that_was_changed_by_hand_is_loud(published, run):
    lake, row = Lake(published), most_revised(published)
    rows = [{**each, "trips": each["trips"] + 7} if each == row else each for each in lake.read(QUERY).to_pylist()]
    lake.replace(QueryTables.of(registry.query(QUERY)).results, {"emitted_date": DAYS}, rows)
    ended = run(published, *words(row))
    assert ended.code == GateFailed.exit_code
    assert f"revision {row['revision']} doesn't add up: trips {row['trips'] + 7}, and {row['trips']}" in ended.error


MISTAKES = [
    (["--key", "station=1", "--window", "2018-06-01"], UnknownName, "no key column of bikes_demand is named 'station'"),
    (["--window", "2018-06-01"], WrongParameter, "also start_station_id=VALUE"),
    (["--key", "start_station_id=one", "--window", "2018-06-01"], WrongParameter, "a value of type int64"),
    (["--key", "start_station_id=1", "--window", "noon"], WrongParameter, "a time such as"),
    (["--key", "start_station_id=1", "--window", "2018-06-02T00:01"], WrongParameter,
     "nearest are 2018-06-01T23:50:00Z/2018-06-02T23:50:00Z, 2018-06-01T23:55:00Z"),
    (["--key", "start_station_id=99", "--window", "2018-06-02"], WrongParameter,
     "of bikes_demand has rows"),
    (["--key", "start_station_id=99", "--window", "2018-06-02", "--at", "0"], WrongParameter, "of which version 0 of"),
    (["--key", "start_station_id", "--window", "2018-06-02"], WrongParameter, "--key is 'start_station_id'; allowed"),
    (["--key", "start_station_id=1", "--key", "start_station_id=2", "--window", "2018-06-02"], WrongParameter,
     "--key is 'start_station_id=2'; allowed: start_station_id once"),
    (["--key", "start_station_id=1", "--window", "0001-01-01T00:00+10:00"], WrongParameter, "a time such as"),
    (["--key", "start_station_id=99", "--window", "2018-06-02", "--at", "9999-12-31"], WrongParameter,
     "of which version"),
    (["--key", "start_station_id=1", "--window", "2018-06-02", "--window-name", "hour"], WrongParameter,
     "has one window"),
    (["--key", "start_station_id=1", "--window", "2018-06-02", "--at", "999"], WrongParameter,
     "a version of bikes_demand"),
    (["--key", "start_station_id=1", "--window", "2018-06-02", "--at", "1999-01-01"], WrongParameter,
     "or a time from"),
    (["--key", "start_station_id=1", "--window", "2018-06-02", "--and", "1"], WrongParameter, "give both"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "kind", "text"), MISTAKES)
def test_a_mistake_is_named_with_what_is_there(first_published, run, options, kind, text):
    ended = run(first_published, "why", QUERY, *options)
    assert (ended.code, ended.out) == (kind.exit_code, "") and text in " ".join(ended.error.split())


def test_without_published_rows_it_says_what_makes_them(config, run):
    ended = run(config, "why", QUERY, "--key", "start_station_id=1", "--window", "2018-06-01")
    assert ended.code == NotSetUp.exit_code and "windrow" in ended.error


def versions_around(config: Config, change) -> tuple[int, int]:
    lake = Lake(config)
    before = lake.version(QUERY)
    change()
    backfill(config, [QUERY], (DAYS[0], DAYS[-1])).require()
    return before, lake.version(QUERY)


def compared(published, run, first: int, second: int, of: list[dict]):
    for row in of:
        found = run(published, *words(row), "--at", str(first), "--and", str(second), "--json")
        yield row, found


def differing(config: Config, first: int, second: int, most: int = 6) -> list[dict]:
    """Newest rows of windows that differ."""
    lake, newest = Lake(config), []
    for version in (first, second):
        rows = sorted(lake.read(QUERY, version).to_pylist(), key=lambda row: row["revision"])
        newest.append({(row["start_station_id"], row["window_start"]): row for row in rows})
    other = [row for place, row in newest[1].items() if newest[0].get(place, {}).get("trips") != row["trips"]]
    return other[:: max(1, len(other) // most)]


def test_a_difference_of_two_days_of_the_lake_is_the_events_of_a_file_that_landed_between(published, run):
    def land() -> None:
        landing.write(published.landing, landing.late_file())
        ingest(published, "bikes")

    first, second = versions_around(published, land)
    rows = differing(published, first, second)
    assert len(rows) > 3
    for row, ended in compared(published, run, first, second, rows):
        assert ended.code == 0 and ended.json["adds_up"] and not ended.json["definition"], ended
        [window] = ended.json["windows"]
        trips = next(value for value in window["values"] if value["column"] == "trips")
        assert trips["second"] == row["trips"]
        assert (trips["second"] or 0) - (trips["first"] or 0) == trips["by_events"] == len(window["events"]) > 0
        assert all(each["path"].endswith("-late.csv") and each["change"] == "+" for each in window["events"])
        assert {each["why"] for each in window["events"]} <= {
            "it is not in the silver of the other version",
            "the window has no row",
            "it arrived later",
        }


def test_a_difference_of_two_definitions_is_the_events_that_only_one_counts(published, run, monkeypatch):
    where = "trip_duration_s > 200"
    first, second = versions_around(published, lambda: edit(monkeypatch, QUERY, where=where))
    rows = differing(published, first, second)
    assert len(rows) > 3
    for _, ended in compared(published, run, first, second, rows):
        assert ended.code == 0 and ended.json["adds_up"], ended
        assert ended.json["definition"] == {"where": ["()", repr(where)]}
        [window] = ended.json["windows"]
        assert window["events"] and all(each["change"] == "−" for each in window["events"])
        assert {each["why"] for each in window["events"]} == {"`where` leaves it out"}
        assert all(each["trip_duration_s"] <= 200 for each in window["events"])


def test_the_commands_of_the_page_explain_a_window_and_a_difference(first_published, run):
    """As they stand there, but for what is in this lake."""
    row, today = most_revised(first_published), datetime.now(UTC).date()
    instead = {"168": str(row["start_station_id"]), "2018-10-01T08:00": f"{row['window_start']:%Y-%m-%dT%H:%M}"}
    instead |= {"2018-10-02": str(today), "2018-10-05": str(today)}
    blocks = re.findall(r"```\n(windrow why .*)\n```", (ROOT / "docs/read-the-tables.md").read_text())
    for block in blocks:
        for there, here in instead.items():
            block = block.replace(there, here)
        ended = run(first_published, *shlex.split(block)[1:])
        assert ended.code == 0 and "what its events say" in ended.error
    assert len(blocks) == 2


@pytest.mark.parametrize("name", sorted(registry.queries()))
def test_a_kept_definition_is_the_query_without_what_no_row_follows_from(name):
    query = registry.query(name)
    assert query_of(text_of(query)) == replace(query, promises=())


def test_a_kept_text_runs_nothing():
    assert query_of("__import__('os').system('true')") is None and query_of("Query(name='x'") is None
    assert query_of(repr(timedelta(1))) is None and query_of(json.dumps({"a": 1})) is None
    assert query_of(repr(agg("count"))) is None
