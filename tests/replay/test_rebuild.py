"""`windrow rebuild`: after a definition with other columns the table is made anew, with the published days."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.support.digests import digests_by_day
from tests.support.edited import edit
from tests.support.engines import ENGINES
from tests.support.lakes import DAYS, PATIENT, QUERIES, silent, spoil_noted
from windrow.pipelines import storage
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger.stale import stale
from windrow.pipelines.runs.explain import explain
from windrow.pipelines.runs.ingest_day import ingest_day
from windrow.pipelines.runs.replay import replay_day
from windrow.pipelines.upkeep.day_plan import plan
from windrow.pipelines.upkeep.rebuild import rebuild
from windrow.schemas import registry
from windrow.schemas.errors import GateFailed, TableMismatch
from windrow.schemas.query import agg

pytestmark = [PATIENT, pytest.mark.few_tests(1)]
QUERY = "bikes_daily"
OTHERS = [table for query in QUERIES if query != QUERY for table in (query, f"{query}_late")]


@pytest.fixture
def changed(published, monkeypatch):
    """A lake of which one query has a column more now."""
    edit(monkeypatch, QUERY, aggregates={**registry.query(QUERY).aggregates, "departures": agg("count")})
    return published


def test_a_run_is_refused_and_names_the_command_and_so_is_its_explanation(changed, run):
    with pytest.raises(TableMismatch, match=f"windrow rebuild {QUERY}"):
        replay_day(changed, QUERY, DAYS[1])
    with pytest.raises(TableMismatch, match=f"windrow rebuild {QUERY}"):
        explain(changed, QUERY, DAYS[1])
    assert [step.command for step in plan(changed, [], lambda text: None).steps] == [f"windrow rebuild {QUERY}"]
    ended = run(changed, "plan", "--run")
    assert ended.code == 0 and f"the old {QUERY}_late is kept in" in ended.error


@ENGINES
def test_the_tables_are_made_anew_with_every_day_that_was_published(changed, run, engine):
    others, before = digests_by_day(changed, OTHERS), Lake(changed).read(QUERY)
    ended = run(changed, "rebuild", QUERY, "--json")
    assert ended.code == 0 and [report["day"] for report in ended.json] == [str(day) for day in DAYS]
    after = Lake(changed).read(QUERY)
    assert after["departures"].to_pylist() == after["trips"].to_pylist() and len(after) == len(before)
    order = [(name, "ascending") for name in before.column_names]
    assert after.select(before.column_names).sort_by(order).equals(before.sort_by(order))
    assert digests_by_day(changed, OTHERS) == others and stale(Lake(changed)) == []
    moved = sorted(folder.name.rpartition("-")[0] for folder in changed.replaced.iterdir())
    assert moved == [QUERY, f"{QUERY}_audit", f"{QUERY}_late", f"{QUERY}_late_audit"]
    assert f"the old {QUERY}_late is kept in" in ended.error


def test_where_nothing_is_to_be_made_anew_it_says_so(published, run):
    version, ended = Lake(published).version(QUERY), run(published, "rebuild", QUERY)
    assert (ended.code, Lake(published).version(QUERY)) == (0, version) and "nothing to do" in ended.error


@pytest.mark.nightly
def test_where_no_day_can_be_made_readers_keep_what_they_had(changed):
    before = Lake(changed).read(QUERY)
    spoil_noted(Lake(changed), DAYS[0])  # all days read it
    ingest_day(changed, "bikes", DAYS[-1], "with what is wrong", lambda text: None)
    with pytest.raises(GateFailed):
        rebuild(changed, QUERY, silent).days.require()
    assert Lake(changed).read(QUERY).equals(before)


@pytest.mark.nightly
def test_a_rebuild_that_was_killed_between_two_moves_goes_on(changed):
    rebuild(changed, QUERY, silent)
    after, lake = Lake(changed).read(QUERY), Lake(changed)
    storage.move(lake.folder(QUERY), changed.anew / QUERY)
    (changed.anew / f"{QUERY}.made").touch()
    assert rebuild(changed, QUERY, silent).moved == {} and lake.read(QUERY).equals(after)


@pytest.mark.nightly
def test_a_rebuild_that_was_cut_off_goes_on(changed, monkeypatch):
    """Until it is done readers have what they had."""
    before = Lake(changed).read(QUERY)

    class Killed(BaseException):
        """As a kill would end it, after the second day."""

    begun = []

    def end(stage):
        begun.append(stage)
        if begun.count("replay") == 3:
            raise Killed

    with pytest.raises(Killed):
        rebuild(replace(changed, asked_task_bytes=1), QUERY, end)
    assert Lake(changed).read(QUERY).equals(before)
    done = rebuild(changed, QUERY, silent)
    assert [report.day for report in done.days.reports] == DAYS[2:] and QUERY in done.moved
    assert Lake(changed).read(QUERY).num_rows == before.num_rows and [*changed.anew.iterdir()] == []
    assert stale(Lake(changed)) == [] and DAYS[0] - timedelta(days=1) not in Lake(changed).partition_dates(QUERY)
