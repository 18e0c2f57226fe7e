"""Runs at the same time: a scheduler that comes back may start a run whose first try still lives."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support import processes, trips
from tests.support.lakes import DAYS, PATIENT, ingest
from tests.support.replay.reading import published_rows, rows
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table as ledger
from windrow.pipelines.ledger.stale import stale
from windrow.schemas.errors import Superseded

QUERY = "bikes_demand"
pytestmark = [pytest.mark.slow, pytest.mark.nightly, PATIENT]


def _finish(running: list) -> list[int]:
    """Their exit codes, once all have ended."""
    try:
        return [process.wait(timeout=processes.PATIENCE_S) for process in running]
    finally:
        for process in running:
            processes.kill_all(process.pid)


def _of(found: list[dict], days) -> list[dict]:
    return [row for row in found if row["emitted_date"] in days]


def test_two_writers_of_one_run_leave_its_rows_once(ingested, first_published):
    tries = ("try-1", "try-2")
    codes = _finish([processes.start(ingested, QUERY, DAYS[2], run_id) for run_id in tries])
    assert rows(ingested, QUERY, ()) == _of(rows(first_published, QUERY, ()), {DAYS[2]})
    states = [ledger.rows(Lake(ingested), [("run_id", "=", run_id)])[-1].state for run_id in tries]
    assert "done" in states and set(states) <= {"done", "skipped"}
    assert codes == [Superseded.exit_code if state == "skipped" else 0 for state in states]


def test_two_days_at_the_same_time_are_as_one_after_the_other(ingested, first_published):
    assert _finish([processes.start(ingested, QUERY, day, f"run-{day}") for day in (DAYS[3], DAYS[2])]) == [0, 0]
    assert rows(ingested, QUERY, ()) == _of(rows(first_published, QUERY, ()), {DAYS[2], DAYS[3]})
    late = [row for row in rows(first_published, f"{QUERY}_late", ()) if row["arrival_date"] in (DAYS[2], DAYS[3])]
    assert rows(ingested, f"{QUERY}_late", ()) == late
    assert len(published_rows(ingested, QUERY)[0]) > 0


def test_a_run_within_an_ingest_reads_what_the_ingest_before_left_and_is_stale_afterwards(ingested, first_published):
    """The ingest stands still when its marks are written and its days are not."""
    trips.write(ingested, "arrives-meanwhile", [trips.trip(f"{DAYS[2]} 12:00:00", 600)])
    reached, go_on = threading.Event(), threading.Event()

    def stand_still(stage: str) -> None:
        if stage.startswith("silver") and "arrival day" in stage:
            reached.set()
            assert go_on.wait(processes.PATIENCE_S)

    with ThreadPoolExecutor() as pool:
        ingesting = pool.submit(ingest, ingested, "bikes", stand_still)
        try:
            assert reached.wait(processes.PATIENCE_S)
            assert _finish([processes.start(ingested, QUERY, DAYS[2], "meanwhile")]) == [0]
        finally:
            go_on.set()
            ingesting.result()
    assert rows(ingested, QUERY, ()) == _of(rows(first_published, QUERY, ()), {DAYS[2]})
    assert trips.file_row(ingested, trips.path_of("arrives-meanwhile"))["accepted"] == 1
    assert [(run.run_id, run.day) for run in stale(Lake(ingested))] == [("meanwhile", DAYS[2])]
