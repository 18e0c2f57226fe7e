"""A run killed before, in or after Spark's write, and then repeated, gives the rows of an unharmed one."""

import pytest

from tests.support import processes
from tests.support.lakes import DAYS, PATIENT
from tests.support.replay.reading import published_rows
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table as ledger
from windrow.pipelines.ledger.stale import stale
from windrow.pipelines.runs.replay import replay_day
from windrow.processes import orphan_jvms

DAY, QUERY = DAYS[2], "bikes_demand"
AUDIT = f"{QUERY}_audit"
pytestmark = [PATIENT, pytest.mark.usefixtures("through_spark"), pytest.mark.few_tests(2)]


def _versions(config) -> int:
    return len(list((config.lake / AUDIT / "_delta_log").glob("*.json")))


def config_files(config) -> int:
    """Files that the newest version names: more in the folder are of a write that has not committed."""
    return len(Lake(config).files(AUDIT)) if Lake(config).version(AUDIT) is not None else 0


MOMENTS = {
    "before its write": lambda config, session, commits: "java" in processes.members(session).values(),
    "in its write": lambda config, *_: len([*(config.lake / AUDIT).rglob("part-*.parquet")]) > config_files(config),
    "after its write": lambda config, _, commits: _versions(config) > commits,
}


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


def _assert_repaired(config, before) -> None:
    assert published_rows(config, QUERY) == before
    replay_day(config, QUERY, DAY, run_id="again")
    assert published_rows(config, QUERY) == before
    assert stale(Lake(config)) == []


@pytest.mark.takes(55)
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_run_is_repaired_by_running_it_again(published, moment):
    before = published_rows(published, QUERY)
    _killed(published, moment, processes.kill_all)
    assert {row.state for row in ledger.rows(Lake(published), [("run_id", "=", "killed")])} == {"cut off"}
    _assert_repaired(published, before)


@pytest.mark.nightly
@pytest.mark.takes(35)
def test_a_run_whose_jvm_dies_in_its_write_says_so_and_is_repaired(published):
    before = published_rows(published, QUERY)
    _killed(published, "in its write", processes.kill_jvm)
    (failed,) = ledger.rows(Lake(published), [("run_id", "=", "killed")])
    assert failed.state == "failed" and "SparkEnded: Spark's JVM ended while it worked (by SIGKILL)" in failed.message
    printed = (published.home / f"killed-{DAY}.log").read_text()
    assert not any(text in printed for text in ("Exception occurred during processing of request", "ERROR:root"))
    _assert_repaired(published, before)


# Py4J logs that no process answers at the port, and that the JVM hung up: no user needs to read that.
OUTSIDE_ITS_TASKS = {
    "before its session": """
SparkContext._ensure_initialized()
os.kill(SparkContext._gateway.proc.pid, signal.SIGKILL)
""",
    "as its session starts": """
starts = SparkContext._initialize_context
def killed(context, settings):
    os.kill(SparkContext._gateway.proc.pid, signal.SIGKILL)
    return starts(context, settings)
SparkContext._initialize_context = killed
""",
    "as it is asked for its cores": """
ask = SparkContext.defaultParallelism.fget
def killed(context):
    SparkContext._gateway.proc.kill()
    SparkContext._gateway.proc.wait()
    return ask(context)
SparkContext.defaultParallelism = property(killed)
""",
    "as it is given a task": """
from pyspark.sql import SparkSession
give = SparkSession.range
def killed(session, *numbers):
    SparkContext._gateway.proc.kill()
    SparkContext._gateway.proc.wait()
    return give(session, *numbers)
SparkSession.range = killed
""",
}


@pytest.mark.nightly
@pytest.mark.parametrize("moment", OUTSIDE_ITS_TASKS)
def test_a_jvm_that_dies_outside_its_tasks_is_reported_too(published, moment):
    program = f"import os, signal\nfrom pyspark import SparkContext\n{OUTSIDE_ITS_TASKS[moment]}{processes.PROGRAM}"
    process = processes.start_program(published, "started", program, QUERY, str(DAY), "started")
    assert process.wait(timeout=processes.PATIENCE_S) != 0
    (failed,) = ledger.rows(Lake(published), [("run_id", "=", "started")])
    assert "SparkEnded: Spark's JVM ended while it worked (by SIGKILL)" in failed.message
    assert "ERROR:root" not in (published.home / "started.log").read_text()


@pytest.mark.nightly
def test_a_jvm_that_outlives_its_python_commits_nothing_and_the_next_session_ends_it(published):
    before, commits = published_rows(published, QUERY), _versions(published)
    process = processes.start(published, QUERY, DAY, "killed")
    try:
        processes.wait_until(lambda: MOMENTS["in its write"](published), "in its write")
        processes.stop_jvm_and_kill_python(process.pid)
        assert process.wait(timeout=processes.PATIENCE_S) != 0
        with Lake(published).locked(AUDIT):
            assert "java" in processes.members(process.pid).values()
        orphan_jvms.end_all(published.spark)
        assert "java" not in processes.members(process.pid).values()
    finally:
        processes.kill_all(process.pid)
    assert _versions(published) == commits
    _assert_repaired(published, before)


def test_a_session_that_lives_is_no_orphan_and_the_folder_of_an_orphan_goes(config):
    mine, theirs = orphan_jvms.new_folder(config.spark), config.spark / "session-of-a-killed-one"
    theirs.mkdir()
    (theirs / "shuffle").write_text("left over")
    orphan_jvms.end_all(config.spark)
    assert mine.exists() and not theirs.exists()


# The second commit never comes.
ENDLESS = f"""
import time
from windrow.pipelines.gate import publish
replaced = publish._replace_days
publish._replace_days = lambda *given: time.sleep(3_600) if given[3].name == {QUERY!r} else replaced(*given)
"""


@pytest.mark.nightly
def test_a_publication_killed_between_its_two_commits_is_repaired(published):
    before, late = published_rows(published, QUERY), f"{QUERY}_late"
    had = Lake(published).version(late)
    process = processes.start_program(published, "killed", ENDLESS + processes.PROGRAM, QUERY, str(DAY), "killed")
    try:
        processes.wait_until(lambda: Lake(published).version(late) > had, "the first commit")
    finally:
        processes.kill_all(process.pid)
    newest = {row.step: row.state for row in ledger.rows(Lake(published), [("run_id", "=", "killed")])}
    assert newest["publish"] == "cut off"
    _assert_repaired(published, before)


def test_a_process_whose_jvm_was_ended_by_a_signal_says_so_when_it_wants_spark_again(config):
    program = (
        "from windrow.pipelines import config\nfrom windrow.pipelines.engines.spark.spark_session import session\n"
        "from processes import orphan_jvms\nsession(config.load())\n"
        "try:\n    with orphan_jvms.ended_if_stopped():\n        raise KeyboardInterrupt\n"
        "except KeyboardInterrupt:\n    session(config.load())\n"
    )
    config.home.mkdir(parents=True, exist_ok=True)
    assert processes.start_program(config, "interrupted", program).wait(timeout=processes.PATIENCE_S) == 1
    assert "NotSetUp: Spark's JVM was ended" in (config.home / "interrupted.log").read_text()
