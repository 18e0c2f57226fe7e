"""The plan says what a changed file, definition or row makes stale, before anything is done; carried out, it changes
the days that it lists and nothing else."""

from datetime import timedelta
from itertools import product

import pytest

from tests.support.digests import digests_by_day
from tests.support.edited import edit
from tests.support.engines import ENGINES
from tests.support.lakes import DAYS, PATIENT, QUERIES, ingest
from tests.support.replay import landing
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger.stale import stale
from windrow.pipelines.runs.backfill import backfill
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.upkeep.day_plan import DayPlan, plan
from windrow.schemas import registry
from windrow.schemas.errors import NotSetUp, UnknownName, WrongParameter

pytestmark = [PATIENT, pytest.mark.few_tests(2)]
PUBLISHED = [table for query in QUERIES for table in (query, f"{query}_late")]
(LATE_FILE,) = landing.late_file()


def made(config: Config, *names: str) -> DayPlan:
    return plan(config, names, lambda text: None)


def planned(config: Config) -> set[tuple]:
    return {(run.query, run.day) for run in made(config).runs}


def carried_out(run, config: Config) -> list[dict]:
    """What `windrow plan --run` did."""
    ended = run(config, "plan", "--run", "--json")
    assert ended.code == 0, ended.error
    return ended.json["done"]


def test_where_nothing_has_changed_there_is_nothing_to_do(first_published):
    assert made(first_published) == DayPlan([], [], [], [], [])


@pytest.mark.nightly
def test_a_waiting_file_s_effect_is_known_before_it_is_ingested(published):
    lake, names = Lake(published), Lake(published).names()
    versions = {name: lake.version(name) for name in names}
    landing.write(published.landing, landing.late_file())
    before = made(published)
    assert {name: lake.version(name) for name in lake.names()} == versions
    assert not list(published.trials.iterdir())
    (file,) = before.changes
    touched = tuple(sorted(landing.arrival_days(landing.late_file())))
    assert (file.kind, file.name, file.why, file.events, file.events_before) == ("file", LATE_FILE, "new", 5, 0)
    assert file.arrival_days == touched
    ingest(published, "bikes")
    after = made(published)
    assert (after.changes, after.runs) == (before.changes, before.runs)
    assert {(run.query, run.day) for run in after.runs} == {(run.query, run.day) for run in stale(lake)}
    assert [step.command for step in before.steps] == ["windrow ingest bikes", *(step.command for step in after.steps)]
    assert [step.command for step in after.steps] == [f"windrow backfill {query} --stale" for query in file.queries]


def test_a_file_that_was_replaced_is_named_with_what_it_delivered(published):
    name, text = next(iter(landing.trips().items()))
    landing.write(published.landing, {name: "\n".join(text.splitlines()[:-3]) + "\n"})
    (file,) = made(published).changes
    assert (file.name, file.why) == (name, "delivers other events") and file.events == file.events_before - 3


def test_what_it_costs_is_what_the_runs_took(published):
    landing.write(published.landing, landing.late_file())
    found = made(published, "bikes_daily")
    ingested, backfilled = found.steps
    assert ingested.seconds > 0 and {run.query for run in found.runs} == {"bikes_daily"}
    assert backfilled.seconds == pytest.approx(sum(run.seconds for run in found.runs))
    assert backfilled.events == sum(run.events for run in found.runs) > 0


@pytest.mark.nightly
@pytest.mark.takes(70)
@ENGINES
def test_carried_out_it_changes_the_days_that_it_lists_and_nothing_else(published, run, engine):
    landing.write(published.landing, landing.late_file())
    before, listed = digests_by_day(published, PUBLISHED), planned(published)
    done = carried_out(run, published)
    assert {(report["query"], report["day"]) for report in done} == {(query, str(day)) for query, day in listed}
    after = digests_by_day(published, PUBLISHED)
    changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    assert set() < {(table.removesuffix("_late"), day) for table, day in changed} <= listed < {*product(QUERIES, DAYS)}
    assert stale(Lake(published)) == [] and made(published) == DayPlan([], [], [], [], [])


@pytest.mark.nightly
def test_an_edited_query_makes_its_own_runs_stale_and_no_other(published, monkeypatch, run):
    edit(monkeypatch, "bikes_daily", lateness=timedelta(hours=3))
    before = digests_by_day(published, PUBLISHED)
    found = made(published)
    (change,) = found.changes
    assert (change.kind, change.name, change.queries) == (
        "definition", "examples/queries/bikes_daily.py", ("bikes_daily",)
    )  # fmt: skip
    assert {(run.query, run.day) for run in found.runs} == {("bikes_daily", day) for day in DAYS}
    carried_out(run, published)
    after = digests_by_day(published, PUBLISHED)
    changed = {key[0] for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
    assert "bikes_daily" in changed <= {"bikes_daily", "bikes_daily_late"} and made(published).runs == []


@pytest.mark.nightly
def test_days_that_go_on_from_a_stale_one_are_listed_as_perhaps_and_stay_where_its_state_is_the_same(published, run):
    query = "bikes_refill"
    backfill(published, [query], (DAYS[0], DAYS[2])).require()
    lake, tables = Lake(published), [query]
    before = digests_by_day(published, tables)
    Lake(published).replace(QueryTables.of(registry.query(query)).results, {"emitted_date": [DAYS[1]]}, [])
    found = made(published)
    assert [(run.day, run.perhaps) for run in found.runs] == [(DAYS[1], False), (DAYS[2], True)]
    (step,) = found.steps
    assert (step.days, step.perhaps) == (2, 1)
    version = lake.version(query)
    assert [report["day"] for report in carried_out(run, published)] == [str(DAYS[1])]
    assert digests_by_day(published, tables) == before and lake.version(query) == version + 1


def test_the_list_of_stale_runs_names_the_command_that_makes_them_again(published, run):
    landing.write(published.landing, landing.late_file())
    ingest(published, "bikes")
    assert "leave out --stages and --last" in run(published, "runs", "--stale", "--last", "5").error
    listed = run(published, "runs", "--stale")
    assert (listed.code, "windrow plan --run" in listed.error) == (0, True), listed.error
    planned = run(published, "plan")
    assert planned.code == 0 and "windrow plan --run" in planned.error
    assert LATE_FILE in planned.out and "windrow backfill bikes_daily --stale" in planned.out
    assert "to do this: windrow plan bikes_daily --run, " in run(published, "plan", "bikes_daily").error


def test_what_cannot_be_done_is_refused_with_what_to_do(published, run):
    landing.write(published.landing, landing.late_file())
    for words, kind, hint in (("--airflow --run", WrongParameter, "leave out"), ("--airflow", NotSetUp, "make up"),
                              ("bikes_dayly", UnknownName, "'bikes_daily'")):  # fmt: skip
        ended = run(published, "plan", *words.split())
        assert (ended.code, hint in ended.error) == (kind.exit_code, True), ended.error
