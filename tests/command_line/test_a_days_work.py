"""A day's work as a user types it: ingest, replay, backfill, what a late file makes stale, and Ctrl-C in between."""

import os
import signal
import subprocess

import pytest

from pipelines.delta.lake import Lake
from stack.places import WINDROW
from tests.support import processes, trips
from tests.support.lakes import DAYS, PATIENT

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


def test_the_doctor_finds_nothing_wrong_here(windrow):
    found = windrow("doctor")
    assert len(found) == 14 and {finding["wrong"] for finding in found if not finding["optional"]} == {""}


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
    assert output.endswith("nothing was left running\n"), output
    assert Lake(ingested).files("bikes_demand_audit") == []
