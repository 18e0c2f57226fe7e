"""A day's work as a user types it: ingest, replay, backfill, what a late file makes stale, and Ctrl-C in between; and
`windrow whatif`: the lateness curve on a terminal and in its table, what it refuses, and what makes it again."""

import os
import signal
import subprocess
from datetime import timedelta
from functools import partial

import pytest

from stack.places import WINDROW
from tests.support import processes, trips
from tests.support.edited import edit
from tests.support.lakes import DAYS, PATIENT
from windrow.pipelines.delta.damage import made_again_by
from windrow.pipelines.delta.lake import Lake
from windrow.schemas import registry
from windrow.schemas.errors import WrongParameter
from windrow.schemas.registry import made_by
from windrow.schemas.spelling import in_words

QUERY = "bikes_daily"
pytestmark = [PATIENT, pytest.mark.slow]


@pytest.fixture
def settings(ingested) -> dict[str, str]:
    """What a user would export for this lake."""
    return os.environ | {"WINDROW_HOME": str(ingested.home), "WINDROW_LANDING": str(ingested.landing)}


@pytest.fixture
def windrow(ingested, run):
    """Type a command whose answer is JSON; it must succeed."""

    def answer(*words: str):
        ended = run(ingested, *words, "--json")
        assert ended.code == 0, ended.error
        return ended.json

    return answer


def test_a_day_from_ingest_to_stale_runs_and_back(windrow, ingested):
    assert windrow("ingest", "bikes")["touched_days"] == []
    (replayed,) = windrow("backfill", QUERY, "--from", str(DAYS[1]), "--to", str(DAYS[1]))
    assert replayed["rows"][QUERY] > 0
    assert windrow("runs", "--stale") == []
    trips.write(ingested, "late", [trips.trip(f"{DAYS[1]} 12:00:00", 600)])
    assert windrow("ingest", "bikes")["accepted"] == 1
    assert [(run["query"], run["day"]) for run in windrow("runs", "--stale")] == [(QUERY, str(DAYS[1]))]
    windrow("replay", QUERY, "--day", str(DAYS[1]))
    assert windrow("runs", "--stale") == []
    steps = [(run["step"], run["state"]) for run in windrow("runs") if run["query"] == QUERY]
    assert steps == [("audit", "done"), ("publish", "done")] * 2
    assert [name["events"] > 0 for name in windrow("query", f"SELECT sum(events) AS events FROM {QUERY}_final")]


@pytest.mark.nightly
@pytest.mark.usefixtures("through_spark")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_within_spark_s_write_leaves_nothing_running_and_nothing_committed(settings, ingested, number):
    words = [WINDROW, "replay", "bikes_demand", "--day", str(DAYS[2])]
    table = ingested.lake / "bikes_demand_audit"
    process = subprocess.Popen(words, env=settings, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        processes.wait_until(lambda: list(table.rglob("part-*.parquet")), "a file of the write")
        process.send_signal(number)
        _, output = process.communicate(timeout=processes.PATIENCE_S)
        assert process.returncode == 128 + number, output
        assert processes.members(process.pid) == {}
    finally:
        processes.kill_all(process.pid)
    assert output.endswith("no process is left running. Run the same command again to do the rest\n"), output
    assert Lake(ingested).files("bikes_demand_audit") == []


TABLE = "lateness_bikes_daily"


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
    assert "7 minutes" in ended.out
    for mark, lateness in (("recommended", best["lateness_seconds"]), ("as defined", own.total_seconds())):
        (line,) = (line for line in ended.out.splitlines() if mark in line)
        assert line.split("│")[0].strip() == in_words(timedelta(seconds=lateness))
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
        ([QUERY, "--to", empty], f"error: --to is '{empty}'; allowed: days on which events of bikes arrived"),
        ([QUERY, "--from", str(DAYS[1]), "--to", str(DAYS[0])], f"'{DAYS[0]}'; allowed: a day from {DAYS[1]} on"),
        (
            [QUERY, "--lateness", "7 weeks"],
            "'7 weeks' is not a length of time; write it as 500ms, 90s, 10min, 1.5h or 2d",
        ),
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
