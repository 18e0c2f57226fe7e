"""The operator itself. Runs in Airflow's environment: test_operator.py starts pytest there."""

import re
import signal
import subprocess
import time
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from airflow.sdk import Connection
from airflow.sdk.exceptions import AirflowException, AirflowFailException, AirflowSkipException
from airflow.sdk.execution_time.timeout import timeout

from tests.support.airflow.operators import RUN, program
from windrow.airflow import command, connections, installation, tasks
from windrow.pipelines import flow
from windrow.processes import children
from windrow.schemas import errors


def operator(monkeypatch, path):
    monkeypatch.setenv(installation.COMMAND, str(path))
    return command.WindrowOperator(task_id="replay", arguments=("replay", "bikes_demand"))


def error_with(exit_code):
    return [kind for kind in errors.kinds() if kind.exit_code == exit_code]


def test_the_param_day_beats_ds_which_is_the_day_whatever_the_data_interval():
    without = {"ds": "2018-10-01", "params": {"day": None}, "data_interval_start": "nonsense"}
    given = {"ds": "2026-01-01", "params": {"day": "2018-10-01"}}
    assert command.day_of(without) == command.day_of(given) == "2018-10-01"


def test_the_param_day_is_refused_in_a_backfill_whose_runs_have_days_of_their_own():
    run = SimpleNamespace(run_type="backfill")
    with pytest.raises(AirflowFailException, match='of a backfill.*"day", 2018-10-01. Start the backfill again over'):
        command.day_of({"ds": "2018-10-02", "params": {"day": "2018-10-01"}, "dag_run": run})
    assert command.day_of({"ds": "2018-10-02", "params": {"day": None}, "dag_run": run}) == "2018-10-02"


def test_a_run_without_logical_date_and_param_fails_for_good_and_says_what_to_do():
    with pytest.raises(AirflowFailException, match='no logical date.*"day"'):
        command.day_of({"params": {"day": None}})


def test_what_a_retry_can_not_fix_is_not_retried_everything_else_is_and_success_raises_nothing():
    """As the errors say."""
    assert command.FAILS_FOR_GOOD == (2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 20)
    assert [error_with(exit_code) for exit_code in command.SKIPS] == [[errors.Superseded], [errors.NothingArrived]]
    for exit_code in command.FAILS_FOR_GOOD:
        assert error_with(exit_code)
        with pytest.raises(AirflowFailException, match="the reason"):
            command.raise_unless_done(exit_code, "the reason")
    for exit_code in (1, 10, 11, 13, 17, 18, -signal.SIGKILL):
        with pytest.raises(AirflowException) as raised:
            command.raise_unless_done(exit_code, "")
        assert not isinstance(raised.value, AirflowFailException)
    assert command.raise_unless_done(0, "") is None


def test_the_command_gets_day_and_run_and_its_lines_are_logged_by_stage(monkeypatch, tmp_path, capsys):
    path = program(tmp_path, "import sys\nprint(sys.argv[1:])\nprint('== replay: makes rows')\nprint('12 rows')")
    operator(monkeypatch, path).execute(RUN)
    output = capsys.readouterr().out
    assert (
        str(["--end-with-parent", "replay", "bikes_demand", "--day", "2018-10-01", "--run-id", "manual__1"]) in output
    )
    assert re.search(r"::group::replay: makes rows.*\n.*12 rows.*\n.*::endgroup::", output)


def test_a_failed_gate_fails_the_task_with_all_that_the_command_printed(monkeypatch, tmp_path):
    text = "check 'law_3' failed: 4 (limit: 0).\\n  windrow query \\\"SELECT 1\\\""
    path = program(tmp_path, f"import sys\nprint('== gate')\nsys.stderr.write(\"error: {text}\")\nsys.exit(8)")
    with pytest.raises(AirflowFailException) as raised:
        operator(monkeypatch, path).execute(RUN)
    assert "law_3" in str(raised.value)
    assert 'windrow query "SELECT 1"' in str(raised.value)


def test_a_superseded_run_is_skipped_with_the_run_that_publishes(monkeypatch, tmp_path):
    """Airflow makes an asset's event for tasks that are successes, and so for no other."""
    text = "version 3 was not published: its run 'newer' publishes the day"
    path = program(
        tmp_path, f'import sys\nprint("== publish", flush=True)\nsys.stderr.write("skipped: {text}")\nsys.exit(14)'
    )
    with pytest.raises(AirflowSkipException) as raised:
        operator(monkeypatch, path).execute(RUN)
    assert str(raised.value) == text


def test_a_task_that_is_of_no_day_needs_none_and_one_of_runs_alone_reports_nothing(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv(installation.COMMAND, str(program(tmp_path, "import sys\nprint(sys.argv[1:])")))
    tasks.operator(flow.maintenance_task(), outlets=[command.asset(flow.RUNS)]).execute({"params": {}})
    assert str(["--end-with-parent", "maintain"]) in capsys.readouterr().out


@pytest.mark.parametrize(
    ("lines", "levels", "reason"),
    [
        (["error: no", "  more"], ["error", "error"], "no\n  more"),
        (["warning: 3 file(s) hold no event", "done"], ["warning", "info"], ""),
        (["skipped: another run publishes"], ["info"], "another run publishes"),
    ],
)
def test_what_ends_a_section_stands_outside_of_it_with_its_level_and_a_warning_is_no_reason_to_fail(
    lines, levels, reason
):
    logged = []
    log = command.Log(*(lambda line, level=level: logged.append((line, level)) for level in command.Log._fields))
    assert command.show(["== gate: checks", *lines], log) == reason
    assert logged[:2] == [("::group::gate: checks", "info"), ("::endgroup::", "info")]
    assert logged[2:] == [*zip(lines, levels, strict=True)]


def test_a_missing_command_names_make_setup(monkeypatch, tmp_path):
    with pytest.raises(AirflowFailException, match="(?s)make setup.*WINDROW_COMMAND"):
        operator(monkeypatch, tmp_path / "absent").execute(RUN)


def test_windrow_is_the_one_of_the_checkout_around_the_folder_or_the_one_that_is_set(monkeypatch):
    monkeypatch.delenv(installation.COMMAND, raising=False)
    assert installation.command({}) == str(Path(command.__file__).parents[2] / ".venv" / "bin" / "windrow")
    monkeypatch.setenv(installation.COMMAND, "/opt/windrow/bin/windrow")
    assert installation.command({}) == "/opt/windrow/bin/windrow"


@pytest.mark.parametrize("path", ["", "windrow", "./windrow"])
def test_a_windrow_without_its_whole_path_is_refused_since_a_task_runs_in_another_folder(monkeypatch, path):
    monkeypatch.setenv(installation.COMMAND, path)
    with pytest.raises(errors.WrongParameter, match=installation.COMMAND):
        installation.command({})


@pytest.mark.parametrize(("text", "limit_s"), [(None, 6 * 3600), ("1", 1), ("0.5", 0.5), ("1000000000", 10**9)])
def test_the_most_that_a_task_may_take_is_a_setting(monkeypatch, text, limit_s):
    monkeypatch.delenv(installation.MOST_TASK_SECONDS, raising=False)
    if text:
        monkeypatch.setenv(installation.MOST_TASK_SECONDS, text)
    assert installation.of_tasks(tasks.OF_ALL)["execution_timeout"] == timedelta(seconds=limit_s)


@pytest.mark.parametrize("text", ["", "0", "-1", "x", "nan", "1000000001"])
def test_a_wrong_limit_is_refused_by_its_name(monkeypatch, text):
    monkeypatch.setenv(installation.MOST_TASK_SECONDS, text)
    with pytest.raises(errors.WrongParameter, match=installation.MOST_TASK_SECONDS):
        installation.of_tasks(tasks.OF_ALL)


def test_a_task_that_takes_too_long_is_ended_with_all_that_it_started_and_is_not_retried(monkeypatch, tmp_path):
    path = program(tmp_path, "import subprocess, time\nsubprocess.Popen(['sleep', '600'])\ntime.sleep(600)")
    task = operator(monkeypatch, path)
    with pytest.raises(AirflowFailException, match=installation.MOST_TASK_SECONDS), timeout(1):
        task.execute(RUN)
    assert ended(task.process.pid)


def test_a_task_that_ends_in_time_is_done(monkeypatch, tmp_path):
    with timeout(60):
        operator(monkeypatch, program(tmp_path, "print(1)")).execute(RUN)


def test_killing_the_task_ends_children_in_groups_of_their_own_and_those_deaf_to_sigterm(monkeypatch, tmp_path):
    deaf = (
        "import os, signal, time; os.setpgid(0, 0); signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        "print(1, flush=True); time.sleep(600)"
    )
    path = program(
        tmp_path,
        f"import subprocess, sys, time\nsubprocess.Popen([sys.executable, '-c', {deaf!r}])\ntime.sleep(600)",
    )
    process = subprocess.Popen([path], stdout=subprocess.PIPE, start_new_session=True)
    process.stdout.readline()
    assert len(list(children.members(process.pid))) == 2
    task = operator(monkeypatch, path)
    task.process = process
    task.on_kill()
    assert process.wait() == -signal.SIGTERM
    assert ended(process.pid)


def ended(session):
    """Whether the session's processes are gone within 5 s: a killed one may take a moment to leave /proc."""
    deadline = time.monotonic() + 5
    while any(children.members(session)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(children.members(session))


def test_windrow_is_run_with_both_connections(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(connections.SPARK, "cluster")
    monkeypatch.setenv(connections.STORAGE, "lake")
    found = {
        "cluster": Connection(conn_id="cluster", conn_type="spark", host="spark://head", port=7077),
        "lake": Connection(conn_id="lake", conn_type="aws", login="id", password="key"),
    }
    monkeypatch.setattr(Connection, "get", found.__getitem__)
    names = "WINDROW_SPARK_MASTER", "WINDROW_SPARK_CONF", "AWS_ACCESS_KEY_ID"
    seen = tmp_path / "seen"
    path = program(tmp_path, f"import os; open({str(seen)!r}, 'w').write(repr([os.environ[n] for n in {names}]))")
    operator(monkeypatch, path).execute(RUN)
    assert seen.read_text() == "['spark://head:7077', '{}', 'id']"


def test_tasks_are_in_the_pool_that_the_environment_names(monkeypatch):
    assert tasks.common()["default_args"]["pool"] == "default_pool"
    monkeypatch.setenv("WINDROW_POOL", "spark")
    assert tasks.common()["default_args"]["pool"] == "spark"
