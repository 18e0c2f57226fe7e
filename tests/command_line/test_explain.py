"""`windrow replay --explain`: what it says of a replay is what that replay then does, and it does nothing itself."""

from collections import Counter
from types import SimpleNamespace

import pytest
from deltalake import DeltaTable

from tests.support.lakes import DAYS
from tests.support.replay.work import replayed_of
from windrow.pipelines.config import Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.engines import engine_of
from windrow.pipelines.runs.explain import PlannedTasks, _gathered, explain
from windrow.pipelines.runs.replay import replay_day
from windrow.pipelines.tables.query_tables import QueryTables
from windrow.schemas import registry
from windrow.schemas.errors import NothingArrived, NotSetUp, OutsideStream

QUERY, DAY = "bikes_demand", DAYS[2]


def commits_so_far(lake: Lake) -> Counter[str]:
    """By table, but for those that only put small files together."""
    made = Counter()
    for name in lake.names():
        history = DeltaTable(str(lake.folder(name))).history()
        made[name] = sum(commit["operation"] != "OPTIMIZE" for commit in history)
    return made


@pytest.mark.slow
@pytest.mark.few(2)
@pytest.mark.parametrize("task_bytes", [1, 64 << 20])
def test_as_many_tasks_files_and_bytes_as_a_replay_then_has(ingested, monkeypatch, task_bytes):
    monkeypatch.setattr("windrow.pipelines.engines.engine.LEAST_BYTES", 1)
    monkeypatch.setattr(Config, "task_bytes", task_bytes)
    lake, tables = Lake(ingested), QueryTables.of(registry.query(QUERY))
    facts, planned = explain(ingested, QUERY, DAY)
    for each in (tables.audit, tables.late_audit):
        lake.ensure(each)
    if task_bytes > 1:  # how parts are cut depends on footers: of these the plan knows about how many
        assert sum(kind.tasks for kind in planned) == len(replayed_of(lake, engine_of(ingested), tables, DAY))
    assert sum(kind.bytes for kind in planned) == facts["file_bytes"] > 0
    assert sum(kind.files for kind in planned) == facts["files"]
    assert [kind.what for kind in planned] == ["of parts of buckets" if task_bytes == 1 else "of whole buckets"]


@pytest.mark.nightly
@pytest.mark.takes(60)
@pytest.mark.parametrize("query", [QUERY, "farm_bikes_anomalies"])
def test_commits_are_those_that_a_replay_then_makes(published, query):
    replay_day(published, query, DAY)  # a table's first commit makes it
    lake = Lake(published)
    before, (planned, _) = commits_so_far(lake), explain(published, query, DAY)
    assert commits_so_far(lake) == before
    replay_day(published, query, DAY)
    assert commits_so_far(lake) - before == Counter(planned["commits"])


@pytest.mark.parametrize(
    "by_key, panes, what",
    [(False, 1, "of all rows"), (True, 1, "shuffled by key"), (True, 3, "shuffled by key and pane of time")],
)
def test_rows_that_are_gathered_are_said_to_be_by_what(by_key, panes, what):
    gathering = (by_key, SimpleNamespace(total=panes), 4, None)
    planned = SimpleNamespace(gathering=gathering, files=["a", "b"], file_bytes=10)
    assert _gathered(planned) == PlannedTasks(4, what, 2, 10, 3)


@pytest.mark.slow
def test_as_a_user_types_it(ingested, run):
    words = ("replay", QUERY, "--day", str(DAY), "--explain")
    ended = run(ingested, *words)
    assert ended.code == 0 and "of whole buckets" in ended.out and "commits" in ended.out
    ended = run(ingested, *words, "--json", "--engine", "local")
    assert ended.json["tasks"][0]["what"] == "of whole buckets" and ended.json["engine"] == "local"


def test_what_can_not_be_replayed_is_not_explained(ingested, tmp_path):
    with pytest.raises(OutsideStream):
        explain(ingested, QUERY, DAY.replace(year=1999))
    with pytest.raises(NotSetUp, match="windrow ingest bikes"):
        explain(Config(tmp_path / "empty", ingested.landing), QUERY, DAY)
    with pytest.raises(NothingArrived, match=f"on {DAY.replace(year=2019)}"):
        explain(ingested, QUERY, DAY.replace(year=2019))
