"""`windrow whatif`: the lateness curve on a terminal and in its table, what it refuses, and what makes it again."""

from datetime import timedelta
from functools import partial

import pytest

from pipelines.delta.damage import made_again_by
from pipelines.delta.lake import Lake
from schemas import registry
from schemas.errors import WrongParameter
from schemas.registry import made_by
from tests.support.edited import edit
from tests.support.lakes import DAYS, PATIENT

QUERY, TABLE = "bikes_daily", "lateness_bikes_daily"
pytestmark = [PATIENT, pytest.mark.slow]


@pytest.fixture
def whatif(ingested, monkeypatch, run):
    monkeypatch.setenv("COLUMNS", "160")
    return partial(run, ingested, "whatif")


def test_it_prints_a_line_for_each_lateness_recommends_one_and_keeps_all(whatif, ingested):
    ended = whatif(QUERY, "--lateness", "7min", "--complete", "0.9")
    rows = Lake(ingested).read(TABLE).sort_by("lateness_seconds").to_pylist()
    own = registry.query(QUERY).lateness
    assert ended.code == 0 and rows[0]["lateness_seconds"] == 0 and rows[-1]["late_events"] == 0
    assert {7 * 60, own.total_seconds()} <= {row["lateness_seconds"] for row in rows}
    (best,) = (row for row in rows if row["is_recommended"])
    assert best["complete_share"] >= 0.9 and best["lateness_seconds"] % 1 == 0
    assert all(row["complete_share"] < 0.9 for row in rows if row["lateness_seconds"] < best["lateness_seconds"])
    assert "7 minutes" in ended.out and "recommended" in ended.out and "as defined" in ended.out
    assert "makes at least 90 % of the windows complete on time" in ended.error


def test_another_one_replaces_what_was_kept(whatif, ingested):
    assert whatif(QUERY, "--lateness", "7min").code == 0
    assert whatif(QUERY, "--to", str(DAYS[0])).code == 0
    rows = Lake(ingested).read(TABLE).to_pylist()
    assert {row["last_arrival_day"] for row in rows} == {DAYS[0]}
    assert 7 * 60 not in {row["lateness_seconds"] for row in rows}


def test_days_without_events_unknown_lengths_and_windows_that_depend_on_others_are_refused(whatif):
    empty = str(DAYS[0] - timedelta(days=400))
    for words, wrong in (
        ([QUERY, "--to", empty], f"{empty}'; allowed: days on which events of bikes arrived"),
        ([QUERY, "--lateness", "7 weeks"], "'7 weeks' is no length of time; write it as 500ms, 90s, 10min, 1.5h or 2d"),
        (["bikes_refill"], "'policy'; allowed: windows that don't depend"),
    ):
        ended = whatif(*words)
        assert (ended.code, ended.out) == (WrongParameter.exit_code, "") and wrong in ended.error


def test_events_that_no_window_of_the_query_holds_are_refused(whatif, monkeypatch):
    edit(monkeypatch, QUERY, where=(("trip_duration_s", "<", 0),))
    ended = whatif(QUERY)
    assert (ended.code, ended.out) == (WrongParameter.exit_code, "")
    assert f"days with events that a window of {QUERY} holds; none of these is" in ended.error


def test_its_table_says_what_makes_it(ingested):
    assert made_by(TABLE) == f"windrow whatif {QUERY}"
    assert made_again_by(Lake(ingested), TABLE, ["part-0.parquet"]) == [f"windrow whatif {QUERY}"]
