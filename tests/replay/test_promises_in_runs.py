"""What runs do about promises: publish and warn, or publish nothing; the table, the report and the events say so."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.support.lakes import PATIENT, ingest
from tests.support.replay import landing
from tests.support.rules import blocks
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import code_hash, run_table
from windrow.pipelines.report.queries.page import query_page
from windrow.pipelines.report.to_do import to_do
from windrow.pipelines.runs.replay import replay_day
from windrow.pipelines.sql import statements
from windrow.schemas import registry
from windrow.schemas.errors import GateFailed, NothingArrived
from windrow.schemas.promise import Promise, promise

pytestmark = [pytest.mark.slow, PATIENT]

NAME, DAY = "bikes_daily", landing.FIRST_DAY + timedelta(days=2)
FEW = promise(rows_between=(1_000, 2_000))
Promised = Callable[..., None]


@pytest.fixture
def promised(monkeypatch) -> Promised:
    """Has the query promise these."""
    query, hashed = registry.query(NAME), code_hash.query_hash
    monkeypatch.setattr(code_hash, "query_hash", lambda name: name if name == NAME else hashed(name))
    return lambda *made: monkeypatch.setitem(registry.queries(), NAME, replace(query, promises=made))


@pytest.fixture
def lake(config) -> Lake:
    landing.write(config.landing, landing.trips())
    ingest(config, "bikes")
    return Lake(config)


def kept(lake: Lake) -> list[dict]:
    return lake.read("promises").to_pylist()


def failing(made: Promise) -> Promise:
    return replace(made, or_else="fail")


def test_a_broken_promise_warns_and_is_in_table_event_and_report(lake, promised):
    promised(FEW, promise(fresh_within="30 d"))
    report = replay_day(lake.config, NAME, DAY)
    rows = lake.row_count(NAME)
    assert {row["promise"]: row["verdict"] for row in kept(lake)} == {"rows": "warn", "fresh": "kept"}
    assert rows in {row["measured"] for row in kept(lake)}
    assert [each["verdict"] for each in report.asset_events[NAME]["promises"]] == ["warn", "kept"]
    [remark] = [each for each in to_do(lake, list) if "promises broken" in each.text]
    assert f"rows of {DAY}" in remark.text
    [section] = [each for each in query_page(lake, registry.query(NAME)).sections if each.title == "Promises"]
    assert sorted(row[1] for row in section.items[-1].rows) == ["fresh", "rows"]
    passed = lake.read("verdicts", filters=[("check_name", "=", "promise: rows")]).to_pylist()
    assert [(row["passed"], row["allowed"]) for row in passed] == [(True, FEW.allowed)]


def test_a_promise_that_is_to_fail_keeps_the_rows_from_being_published(lake, promised):
    promised(failing(FEW))
    with pytest.raises(GateFailed, match="check 'promise: rows' failed: [0-9]+ rows on 2018-06-03") as raised:
        replay_day(lake.config, NAME, DAY)
    assert lake.version(NAME) is None and [row["verdict"] for row in kept(lake)] == ["fail"]
    assert statements.run(lake, raised.value.query).num_rows == 1
    promised(FEW)
    replay_day(lake.config, NAME, DAY)
    assert lake.row_count(NAME) > 0, "what failed before keeps no later run from it"
    [last_word] = blocks("docs/promises.md", "sql")
    found = statements.run(lake, last_word.replace("bikes_promised", NAME)).to_pylist()
    assert found == [{"day": DAY, "promise": "rows", "verdict": "warn"}]


def test_a_day_after_the_newest_arrival_breaks_what_was_promised_of_its_rows(lake, promised):
    after = landing.LAST_DAY + timedelta(days=30)
    promised(FEW)
    with pytest.raises(NothingArrived, match="promise broken: rows of .*: 0 rows"):
        replay_day(lake.config, NAME, after)
    promised(failing(promise(fresh_within="1 h")))
    with pytest.raises(GateFailed, match="promise: fresh.* without any row"):
        replay_day(lake.config, NAME, after)
    [step] = [row for row in run_table.rows(lake) if row.state == "refused"]
    assert step.logical_date == after
    assert {row["promise"]: row["verdict"] for row in kept(lake)} == {"rows": "warn", "fresh": "fail"}
