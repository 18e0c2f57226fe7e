"""Runs beside each other: a scheduler that comes back may start a run whose first try still lives."""

from pipelines import ledger
from tests.lakes import DAYS, PATIENT
from tests.replay.reading import published_rows, rows
from tests.robustness import processes

QUERY = "bikes_demand"
pytestmark = PATIENT


def _finish(running: list) -> None:
    try:
        assert [process.wait(timeout=processes.PATIENCE_S) for process in running] == [0] * len(running)
    finally:
        for process in running:
            processes.kill_all(process.pid)


def _of(found: list[dict], days) -> list[dict]:
    return [row for row in found if row["emitted_date"] in days]


def test_two_writers_of_one_run_leave_its_rows_once(ingested, first_published):
    _finish([processes.start(ingested, QUERY, DAYS[2], run_id) for run_id in ("try-1", "try-2")])
    assert rows(ingested, QUERY, ()) == _of(rows(first_published, QUERY, ()), {DAYS[2]})
    states = {
        run_id: ledger.rows(ingested, [("run_id", "=", run_id)])[-1].state for run_id in ("try-1", "try-2")
    }
    assert "done" in states.values() and set(states.values()) <= {"done", "refused"}


def test_two_days_at_the_same_time_are_as_one_after_the_other(ingested, first_published):
    _finish([processes.start(ingested, QUERY, day, f"run-{day}") for day in (DAYS[3], DAYS[2])])
    assert rows(ingested, QUERY, ()) == _of(rows(first_published, QUERY, ()), {DAYS[2], DAYS[3]})
    late = [
        row for row in rows(first_published, f"{QUERY}_late", ()) if row["arrival_date"] in (DAYS[2], DAYS[3])
    ]
    assert rows(ingested, f"{QUERY}_late", ()) == late
    assert len(published_rows(ingested, QUERY)[0]) > 0
