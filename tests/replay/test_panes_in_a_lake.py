"""Panes beside the other tables of a lake: published rows are the same, whenever panes are made, lost or damaged."""

from collections import Counter
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.command_line.test_explain import commits_so_far
from tests.replay.test_runs_by_panes import other_state
from tests.support.digests import digests
from tests.support.edited import edit
from tests.support.lakes import DAYS, PATIENT, silent
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger.stale import stale
from windrow.pipelines.runs import batch
from windrow.pipelines.runs import replay as runs
from windrow.pipelines.runs.explain import explain
from windrow.pipelines.runs.replay import replay_day
from windrow.pipelines.tables.pane_tables import pane_table
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.pipelines.upkeep.maintain import maintain
from windrow.pipelines.upkeep.rebuild import rebuild
from windrow.schemas import registry
from windrow.schemas.errors import GateFailed
from windrow.schemas.query import agg
from windrow.schemas.side_tables import panes_name

QUERY, LAST = "bikes_demand", DAYS[-1]
TABLES, PANES = (QUERY, f"{QUERY}_late"), panes_name(QUERY)
pytestmark = [PATIENT, pytest.mark.slow, pytest.mark.few_tests(1)]


@pytest.fixture
def by_panes(ingested) -> Config:
    """Whose runs read panes wherever they can."""
    return replace(ingested, asked_panes=True)


def test_a_lake_whose_runs_read_panes_has_the_same_tables(by_panes, first_published):
    lines: list[str] = []
    for day in reversed(DAYS):
        runs.replay(by_panes, {QUERY: [day]}, progress=lines.append).require()
    assert any(line.startswith("replay: panes are read instead of") for line in lines)
    maintain(by_panes, timedelta(0), False, silent)
    assert stale(Lake(by_panes)) == []
    assert digests(by_panes, TABLES) == digests(first_published, TABLES)
    replay_day(by_panes, QUERY, LAST)
    assert digests(by_panes, TABLES) == digests(first_published, TABLES)


def test_a_run_that_ends_after_it_made_panes_is_finished_by_the_next_one(by_panes, first_published, monkeypatch):
    audit = batch.audit

    def killed(*arguments):
        monkeypatch.setattr(batch, "audit", audit)
        raise KeyboardInterrupt

    monkeypatch.setattr(batch, "audit", killed)
    with pytest.raises(KeyboardInterrupt):
        replay_day(by_panes, QUERY, LAST)
    made = Lake(by_panes).version(PANES)
    for day in DAYS:
        replay_day(by_panes, QUERY, day)
    assert made and Lake(by_panes).version(PANES) >= made
    assert digests(by_panes, TABLES) == digests(first_published, TABLES)


def test_an_explanation_says_that_panes_are_read_and_which_commits_follow(by_panes):
    lake = Lake(by_panes)
    replay_day(by_panes, QUERY, DAYS[0])
    for made_first in (True, False):
        before, (planned, tasks) = commits_so_far(lake), explain(by_panes, QUERY, LAST)
        assert ("made first" in planned["panes"]) == made_first and [each.tasks for each in tasks] == [1]
        replay_day(by_panes, QUERY, LAST)
        made = commits_so_far(lake) - before
        made[PANES] -= made_first  # a table's first commit makes it
        assert made == Counter(planned["commits"])


def test_damaged_panes_fail_the_gate_once(by_panes, first_published):
    for day in DAYS:
        replay_day(by_panes, QUERY, day)
    lake, table = Lake(by_panes), pane_table(QueryTables.of(registry.query(QUERY)))
    lake.replace(table, {}, [other_state(row) for row in lake.read(PANES).to_pylist()])
    with pytest.raises(GateFailed, match="law"):
        replay_day(by_panes, QUERY, LAST)
    assert digests(by_panes, TABLES) == digests(first_published, TABLES)
    replay_day(by_panes, QUERY, LAST)
    assert digests(by_panes, TABLES) == digests(first_published, TABLES)


def test_panes_of_another_definition_are_made_again_and_a_rebuild_removes_them(by_panes, monkeypatch):
    replay_day(by_panes, QUERY, LAST)
    before = Lake(by_panes).partition_dates(PANES)
    edit(monkeypatch, QUERY, aggregates={**registry.query(QUERY).aggregates, "departures": agg("count")})
    rebuild(replace(by_panes, asked_panes=False), QUERY, silent).days.require()
    assert before and Lake(by_panes).version(PANES) is None
    replay_day(by_panes, QUERY, LAST)
    assert Lake(by_panes).partition_dates(PANES) == before
