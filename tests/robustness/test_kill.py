"""A run killed before, in or after Spark's write, and then repeated, gives the rows of an unharmed one."""

import pytest

from pipelines import lake, ledger, run
from pipelines.stale import stale
from tests.lakes import DAYS, PATIENT
from tests.replay.reading import published_rows
from tests.robustness import processes

DAY, QUERY = DAYS[2], "bikes_demand"
AUDIT = f"{QUERY}_audit"
pytestmark = PATIENT


def _versions(config) -> int:
    return len(list((config.table(AUDIT) / "_delta_log").glob("*.json")))


def _spark_runs(config, session: int, commits: int) -> bool:
    return "java" in processes.members(session).values()


def _files_are_written(config, session: int, commits: int) -> bool:
    return len(list(config.table(AUDIT).rglob("part-*.parquet"))) > config_files(config)


def config_files(config) -> int:
    """Files that the newest version names: more in the folder are of a write that has not committed."""
    return len(lake.files(config, AUDIT)) if lake.version(config, AUDIT) is not None else 0


def _committed(config, session: int, commits: int) -> bool:
    return _versions(config) > commits


MOMENTS = {"before its write": _spark_runs, "in its write": _files_are_written, "after its write": _committed}


def _killed(config, moment: str, kill) -> None:
    """Run the day again and kill it at the moment; the write has happened only if the moment was after it."""
    commits = _versions(config)
    process = processes.start(config, QUERY, DAY, "killed")
    try:
        processes.wait_until(lambda: MOMENTS[moment](config, process.pid, commits), moment)
        kill(process.pid)
        assert process.wait(timeout=processes.PATIENCE_S) != 0
    finally:
        processes.kill_all(process.pid)
    assert (_versions(config) > commits) == (moment == "after its write")


def _assert_mended(config, before) -> None:
    assert published_rows(config, QUERY) == before
    run.replay_day(config, QUERY, DAY, run_id="again")
    assert published_rows(config, QUERY) == before
    assert stale(config) == []


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_run_is_mended_by_running_it_again(published, moment):
    before = published_rows(published, QUERY)
    _killed(published, moment, processes.kill_all)
    assert {row.state for row in ledger.rows(published, [("run_id", "=", "killed")])} == {"running"}
    _assert_mended(published, before)


def test_a_run_whose_jvm_dies_in_its_write_says_so_and_is_mended(published):
    before = published_rows(published, QUERY)
    _killed(published, "in its write", processes.kill_jvm)
    assert ledger.rows(published, [("run_id", "=", "killed")])[-1].state == "failed"
    _assert_mended(published, before)
