"""A late file makes stale the runs that read a day it touches, no others. That redone all is as if it had come in time:
test_one_pass.py."""

import json
from datetime import UTC, date, datetime, timedelta

import pytest
from deltalake import DeltaTable

from tests.support.lakes import DAYS, PATIENT, QUERIES, ingest, silent, spoil_noted
from tests.support.replay import landing
from tests.support.replay.reading import rows
from windrow.pipelines.delta.day_files import NO_ROWS, by_day
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table as ledger
from windrow.pipelines.ledger.entry import Run
from windrow.pipelines.ledger.stale import stale
from windrow.pipelines.runs.backfill import backfill
from windrow.pipelines.runs.ingest_day import ingest_day
from windrow.pipelines.runs.replay import replay_day
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas import registry
from windrow.schemas.errors import GateFailed, WrongParameter
from windrow.schemas.ledger_tables import RUNS

pytestmark = [PATIENT, pytest.mark.few_tests(4)]
# New York's days have up to 25 hours.
LONGEST = {name: timedelta(hours=n) for name, n in (("bikes_daily", 25), ("bikes_demand", 24), ("bikes_last_hour", 1))}


def days_read(name: str, day: date, events: list[dict]) -> set[date]:
    """The arrival days that a run of a day must read, written again from the text of semantics §4."""
    query, midnight = registry.query(name), datetime(day.year, day.month, day.day, tzinfo=UTC)
    before = [row["start"] for row in events if row["arrival"] < midnight]
    if not before:
        return {day - timedelta(days=n) for n in range((day - registry.stream("bikes").first_day).days + 1)}
    first = max(before) - query.lateness - query.allowed_lateness - LONGEST[name]
    if query.window.kind == "rolling":
        first = min([first, *(row["start"] for row in events if row["arrival"].date() == day)])
    return {first.date() + timedelta(days=n) for n in range((day - first.date()).days + 1)}


def test_what_is_written_last_is_the_newest_though_the_clock_was_ahead_and_is_set_back(published):
    lake, day = Lake(published), DAYS[0]
    ahead = [row | {"at": row["at"] + timedelta(days=400)} for row in lake.read(RUNS.name).to_pylist()]
    lake.append(RUNS, ahead)
    for run_id in ("once", "twice"):
        replay_day(published, "bikes_daily", day, run_id=run_id)
        assert ledger.latest(lake, "bikes_daily", day, "publish").run_id == run_id
    assert stale(lake) == []


def test_a_late_file_makes_exactly_the_runs_stale_that_it_touches(published):
    landing.write(published.landing, landing.late_file())
    ingest(published, "bikes")
    found = {(each.query, each.day) for each in stale(Lake(published))}
    touched, before = landing.arrival_days(landing.late_file()), landing.events(landing.trips())
    runs = [(name, day) for name in QUERIES for day in DAYS]
    assert found == {(name, day) for name, day in runs if days_read(name, day, before) & touched}
    assert set() < found < set(runs)
    for name, day in sorted(found):
        replay_day(published, name, day)
    assert stale(Lake(published)) == []


@pytest.mark.nightly
@pytest.mark.takes(35)
def test_one_command_makes_all_stale_days_of_a_query_again_and_says_what_it_updated(published, run):
    landing.write(published.landing, landing.late_file())
    ingest(published, "bikes")
    days = [run.day for run in stale(Lake(published)) if run.query == "bikes_demand"]
    others = [run for run in stale(Lake(published)) if run.query != "bikes_demand"]
    asset_events = published.home / "asset_events.json"
    ended = run(published, "backfill", "bikes_demand", "--stale", "--asset-events", str(asset_events), "--json")
    assert ended.code == 0 and [report["day"] for report in ended.json] == [str(day) for day in days] != []
    assert stale(Lake(published)) == others
    held, found = by_day(Lake(published), "bikes_demand"), json.loads(asset_events.read_text())["bikes_demand"]["days"]
    of_days = [(str(day), held[day].rows, "passed") for day in days]
    assert [(each["day"], each["rows"], each["verdict"]) for each in found] == of_days
    assert found[-1]["version"] == Lake(published).version("bikes_demand")


@pytest.mark.nightly
def test_a_day_that_is_refused_keeps_no_other_from_being_made_again(published, run):
    Lake(published).folder("bikes_last_hour").rename(published.home / "moved away")
    spoil_noted(Lake(published), DAYS[0])
    ingest_day(published, "bikes", DAYS[-1], "with what is wrong", silent)
    assert run(published, "backfill", "bikes_last_hour", "--stale").code == GateFailed.exit_code
    left = _stale_days(published, "bikes_last_hour")
    assert DAYS[0] in left and DAYS[-1] not in left


def test_without_a_stale_day_the_command_does_nothing_and_says_so(published, run):
    before, asset_events = Lake(published).version("bikes_demand"), published.home / "asset_events.json"
    ended = run(published, "backfill", "bikes_demand", "--stale", "--asset-events", str(asset_events))
    assert ended.code == 0 and "no day of bikes_demand is stale" in ended.error
    assert (Lake(published).version("bikes_demand"), json.loads(asset_events.read_text())) == (before, {})


@pytest.mark.parametrize(
    "words", ["", "--from 2018-06-01", "--to 2018-06-01", "--stale --to 2018-06-01", "--stale --backwards"]
)
def test_which_days_are_asked_for_must_be_plain(words, here):
    ended = here("backfill", "bikes_demand", *words.split())
    assert ended.code == WrongParameter.exit_code and "--stale" in ended.error


def test_what_an_ingest_and_a_publication_updated_is_written_for_whoever_started_them(published, run):
    asset_events, lake = published.home / "asset_events.json", Lake(published)

    def updated(*words: str) -> dict:
        assert run(published, *words, "--asset-events", str(asset_events)).code == 0
        return json.loads(asset_events.read_text())

    assert updated("ingest", "bikes") == {}
    landing.write(published.landing, landing.late_file())
    touched = [str(day) for day in sorted(landing.arrival_days(landing.late_file()))]
    assert updated("ingest", "bikes", "--day", touched[0]) == {
        "bronze_bikes": {"day": touched[0], "files": 1, "version": lake.version("bronze_bikes")},
        "silver_bikes": {"day": touched[0], "rows": 5, "refused": 0, "verdict": "passed",
                         "version": lake.version("silver_bikes"),
                         "first_touched_day": touched[0], "last_touched_day": touched[-1]}
    }  # fmt: skip
    of_day = ("replay", "bikes_demand", "--day", touched[0])
    assert updated(*of_day, "--stage", "audit") == {}
    found, day = updated(*of_day, "--stage", "publish"), date.fromisoformat(touched[0])
    held = {name: by_day(lake, name).get(day, NO_ROWS).rows for name in ("bikes_demand", "bikes_demand_late")}
    assert {event.pop("checks") > 10 for event in found.values()} == {True}
    revisions = [row["revision"] for row in lake.read("bikes_demand").to_pylist() if row["emitted_date"] == day]
    assert found["bikes_demand"].pop("revisions") == sum(revision > 0 for revision in revisions) > 0
    assert found == {
        name: {"day": touched[0], "rows": rows, "verdict": "passed", "version": lake.version(name)}
        for name, rows in held.items()
    }


def _recorded_with(config, **other) -> None:
    """Record a run of another day whose audit differs from the present in one column."""
    day = DAYS[-1] + timedelta(days=1)
    audited = ledger.latest(Lake(config), "bikes_demand", DAYS[-1], "audit")
    versions = {**audited.outputs, "audit": 1_000}
    with ledger.step(Lake(config), Run("other", "bikes", "bikes_demand", day), "audit") as entry:
        entry.inputs, entry.outputs = audited.inputs, versions
    rows = Lake(config).read(RUNS.name).to_pylist()
    changed = [{**row, **other} if row["run_id"] == "other" else row for row in rows]
    Lake(config).replace(RUNS, {}, changed)
    with ledger.step(Lake(config), Run("other", "bikes", "bikes_demand", day), "publish") as entry:
        entry.inputs = versions


@pytest.mark.parametrize("column, reason", [("code_hash", "code"), ("definition_hash", "definition")])
def test_other_code_or_definitions_make_a_run_stale(published, column, reason):
    _recorded_with(published, **{column: "something else"})
    (only,) = stale(Lake(published))
    assert (only.run_id, only.day) == ("other", DAYS[-1] + timedelta(days=1)) and reason in only.reasons[0]


@pytest.mark.parametrize("day", [DAYS[1], DAYS[-1] + timedelta(days=1)], ids=["of a published day", "the first"])
def test_a_publication_that_was_cut_off_is_named(published, day):
    before, cut = ledger.latest(Lake(published), "bikes_daily", day, "publish"), Run("cut", "bikes", "bikes_daily", day)
    assert stale(Lake(published)) == []
    with pytest.raises(KeyboardInterrupt), ledger.step(Lake(published), cut, "publish"):
        raise KeyboardInterrupt
    (only,) = stale(Lake(published))
    assert (only.query, only.day, only.run_id) == ("bikes_daily", day, before.run_id if before else "cut")
    assert "cut" in only.reasons[0]


def test_days_without_rows_that_share_a_version_are_distinguished(published):
    fresh = ledger.latest(Lake(published), "bikes_demand", DAYS[-1], "audit")
    first, second = (DAYS[-1] + timedelta(days=n) for n in (1, 2))
    for day, inputs in ((first, {**fresh.inputs, "days": {}}), (second, fresh.inputs)):
        with ledger.step(Lake(published), Run("empty", "bikes", "bikes_demand", day), "audit") as entry:
            entry.inputs, entry.outputs = inputs, fresh.outputs
        with ledger.step(Lake(published), Run("empty", "bikes", "bikes_demand", day), "publish") as entry:
            entry.inputs = fresh.outputs
    assert [each.day for each in stale(Lake(published))] == [first]


def _stale_days(config, query: str) -> dict[date, str]:
    return {run.day: "; ".join(run.reasons) for run in stale(Lake(config)) if run.query == query}


@pytest.mark.nightly
# The last has no rows.
@pytest.mark.parametrize("table", ["bikes_demand", "bikes_demand_late", "bikes_daily_late"])
def test_a_published_table_that_is_gone_makes_its_days_stale_and_replaying_them_makes_it_again(published, table):
    query, before = table.removesuffix("_late"), rows(published, table, ())
    assert bool(before) == (table != "bikes_daily_late")
    Lake(published).folder(table).rename(published.home / "moved away")
    found = _stale_days(published, query)
    assert found.keys() == {*DAYS} and all(f"{table} is gone" in why for why in found.values())
    backfill(published, [query], (DAYS[0], DAYS[-1])).require()
    assert rows(published, table, ()) == before and stale(Lake(published)) == []


@pytest.mark.parametrize("suffix", ["", "_late"])
def test_a_published_day_that_is_gone_is_stale(published, suffix):
    tables = QueryTables.of(registry.query("bikes_demand"))
    table = tables.late if suffix else tables.results
    day = max(by_day(Lake(published), table.name))
    Lake(published).replace(table, {table.partition_by[0]: [day]}, [])
    found = _stale_days(published, "bikes_demand")
    assert found.keys() == {day} and f"bikes_demand{suffix} has 0 rows of {day}" in found[day]


def test_a_published_row_that_was_changed_is_seen_in_the_tables_statistics(published):
    table = QueryTables.of(registry.query("bikes_demand")).results
    changed = [row for row in Lake(published).read(table.name).to_pylist() if row["emitted_date"] == DAYS[2]]
    changed[0]["events"] += 1_000
    Lake(published).replace(table, {"emitted_date": [DAYS[2]]}, changed)
    assert "differ from those that were published" in _stale_days(published, "bikes_demand")[DAYS[2]]


def test_compacting_a_published_table_makes_nothing_stale(published):
    table, lake = QueryTables.of(registry.query("bikes_demand")).results, Lake(published)
    of_day = [row for row in lake.read(table.name).to_pylist() if row["emitted_date"] == DAYS[2]]
    lake.replace(table, {"emitted_date": [DAYS[2]]}, of_day[::2])
    lake.append(table, of_day[1::2])
    assert stale(lake) == []
    files = len(lake.files(table.name))
    DeltaTable(lake.folder(table.name)).optimize.compact()
    assert len(lake.files(table.name)) == files - 1 and stale(lake) == []


def test_days_that_no_run_of_the_ledger_published_are_named(published):
    Lake(published).folder("runs").rename(published.home / "moved away")
    found = _stale_days(published, "bikes_daily")
    assert found.keys() == set(by_day(Lake(published), "bikes_daily"))
    assert set(found.values()) == {"no run in the ledger has published it"}
