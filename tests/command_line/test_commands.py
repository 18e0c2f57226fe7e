"""`windrow` as a user types it: results on stdout, remarks on stderr, a code per kind of error."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from typer.main import get_command

from stack.places import REPOSITORY, WINDROW
from tests.command_line.conftest import ROWS
from tests.support import processes, trips
from tests.support.command_line import typed
from tests.support.processes import python
from windrow.pipelines.cli._app import app
from windrow.pipelines.config import Config
from windrow.schemas import errors
from windrow.schemas.errors import BadStatement, NotSetUp, OutsideStream, UnknownName, WrongParameter

COMMANDS = get_command(app()).commands
# As a day's work goes.
ORDER = (
    *(
        "init",
        "new",
        "setup",
        "doctor",
        "ingest",
        "forget",
        "profile",
        "replay",
        "backfill",
        "plan",
        "rebuild",
        "verify",
        "whatif",
    ),
    *("query", "sql", "tables", "runs", "contract", "report", "why", "features", "maintain", "repair", "check", "docs"),
    *("up", "down", "airflow"),
)
NO_JVM = ("pyspark", "great_expectations", "numba")


def test_commands_are_listed_in_the_order_of_a_days_work():
    assert tuple(COMMANDS) == ORDER


@pytest.mark.parametrize("command", ORDER)
def test_every_command_explains_itself_and_the_examples_of_its_help_are_what_it_takes(windrow, command):
    ended = windrow(command, "--help")
    assert ended.code == 0 and ("--json" in ended.out or command == "airflow")
    head, *examples = COMMANDS[command].epilog.split("\n\n")
    assert head == "Examples:" and examples
    for example in examples:
        program, name, *words = shlex.split(example)
        assert (program, name) == ("windrow", command)
        COMMANDS[name].make_context(name, words)
        assert example in " ".join(ended.out.split())


def test_it_says_which_version_it_is_and_alone_it_prints_the_commands(windrow):
    assert windrow("--version").out == f"windrow {metadata.version('windrow')}\n"
    ended = windrow()
    assert ended.code == 0 and all(command in ended.out for command in ORDER)


@pytest.mark.slow
@pytest.mark.parametrize(("line", "word"), [("windrow inges", "ingest"), ("windrow replay bikes_dem", "bikes_demand")])
def test_a_shell_completes_commands_and_names(line, word):
    asked = {"_WINDROW_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}
    assert typed(**asked, PATH=os.defpath).out.split() == [word]


@pytest.mark.nightly
@pytest.mark.slow
def test_both_ways_to_start_it_are_the_same(small_lake):
    environment = {"WINDROW_HOME": str(small_lake.home), "PATH": os.defpath}
    words = ("query", "SELECT count(*) AS n FROM bikes_demand", "--json")
    module = python("-m", "windrow.pipelines", *words, env=environment, cwd=REPOSITORY)
    command = typed(*words, **environment)
    assert (module.returncode, module.stdout) == (command.code, command.out) == (0, f'[{{"n": {len(ROWS)}}}]\n')


def test_tables_counts_rows_files_bytes_and_versions(windrow, small_lake):
    (found,) = windrow("tables", "--json").json
    assert (found["table"], found["rows"], found["files"]) == ("bikes_demand", len(ROWS), 3)
    files = list((small_lake.home / "lake" / "bikes_demand").glob("*/*.parquet"))
    assert found["bytes"] == sum(path.stat().st_size for path in files) > 0
    assert found["versions"] == found["version"] + 1 > 1


def test_an_empty_home_says_where_to_begin(windrow, tmp_path, monkeypatch):
    monkeypatch.setenv("WINDROW_HOME", str(tmp_path / "new"))
    for command in ("tables", "runs"):
        ended = windrow(command)
        assert ended.code == 0
        assert "windrow ingest STREAM" in ended.error


@pytest.mark.parametrize("setting", ["WINDROW_HOME", "WINDROW_LANDING"])
@pytest.mark.parametrize("text", ["", " "])
def test_an_empty_folder_is_refused_by_the_name_of_its_setting(windrow, monkeypatch, setting, text):
    monkeypatch.setenv(setting, text)
    ended = windrow("tables")
    assert (ended.code, ended.out) == (WrongParameter.exit_code, "")
    assert f"{setting} is {text!r}" in ended.error and "or leave the variable unset" in ended.error


MISTAKES = [
    ("query 'SELEC 1'", BadStatement, "syntax error"),
    ("query 'SELECT * FROM nowhere'", UnknownName, "known: bikes_demand"),
    ("ingest buses", UnknownName, "known: bikes"),
    ("replay nothing --day 2018-10-01", UnknownName, "bikes_demand"),
    ("replay bikes_demand --day 2018-02-30", WrongParameter, "YYYY-MM-DD"),
    ("replay bikes_demand --day yesterday", WrongParameter, "YYYY-MM-DD"),
    ("replay bikes_demand", WrongParameter, "--day"),
    ("replay bikes_demand --day 2018-10-01 --stage half", WrongParameter, "audit"),
    ("backfill bikes_demand --from 2018-10-02 --to 2018-10-01", WrongParameter,
     "to is '2018-10-01'; allowed: a day from 2018-10-02 on"),
    ("ingest bikes --day 1999-12-31", OutsideStream, "2013-05-27"),
    ("ingest bikes --day 9999-12-31", OutsideStream, "to 9999-12-30"),
    ("ingest bikes", NotSetUp, "does not exist"),
    ("fly", WrongParameter, "fly"),
    ("query 'SELECT 1' --rows -1", WrongParameter, "--rows"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "kind", "text"), MISTAKES)
def test_a_mistake_is_reported_in_plain_words_with_its_kind_s_exit_code(windrow, line, kind, text):
    ended = windrow(*shlex.split(line))
    assert (ended.code, ended.out) == (kind.exit_code, "") and text in ended.error
    assert ended.error.splitlines()[-1].strip() and "Traceback" not in ended.error


def test_with_json_an_error_is_json_on_stderr(windrow):
    ended = windrow("query", "SELECT * FROM nowhere", "--json")
    text, code = json.loads(ended.error), UnknownName.exit_code
    assert (text["kind"], text["exit_code"], ended.code, ended.out) == ("UnknownName", code, code, "")


@pytest.mark.nightly
def test_a_missing_java_is_reported_with_what_fixes_it_by_those_who_need_it(tmp_path):
    trips.write(Config(tmp_path, tmp_path / "landing"), "2017-01-01", [trips.trip("2017-01-01 00:00:21", 680)])
    tools = tmp_path / "tools"
    tools.mkdir()
    for tool in ("realpath", "dirname", "bash"):
        (tools / tool).symlink_to(shutil.which(tool))
    without_java = {"WINDROW_HOME": str(tmp_path), "JAVA_HOME": "/nowhere", "PATH": str(tools)}
    assert typed("ingest", "bikes", "--engine", "local", **without_java).code == 0
    words = ("replay", "bikes_daily", "--day", "2017-01-01")
    ended = typed(*words, "--engine", "spark", **without_java)
    assert ended.code == NotSetUp.exit_code
    assert "make setup" in ended.error
    assert "Traceback" not in ended.error
    assert typed(*words, "--engine", "local", **without_java).code == 0


def reported(action: str, home: Path) -> subprocess.CompletedProcess:
    """Run an action as a command is run, in a process of its own."""
    imports = "import sys\nfrom errno import *\nfrom windrow.pipelines.cli._errors import reported\n"
    code = f"{imports}sys.exit(reported(lambda: {action}, False))"
    environment = {"PYTHONPATH": str(REPOSITORY), "WINDROW_HOME": str(home)}
    return python("-c", code, env=environment)


@pytest.mark.slow
def test_a_defect_is_a_short_line_and_a_log_or_where_that_can_not_be_written_its_traceback(tmp_path):
    ended = reported("1 / 0", tmp_path)
    assert ended.returncode == 1
    assert "ZeroDivisionError" in ended.stderr and "Traceback" not in ended.stderr
    (log,) = (tmp_path / "logs").iterdir()
    assert str(log) in ended.stderr and "Traceback" in log.read_text()
    shutil.rmtree(tmp_path / "logs")
    (tmp_path / "logs").write_text("a file where the folder should be")
    ended = reported("1 / 0", tmp_path)
    assert ended.returncode == 1 and "Traceback" in ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize("number", ["ENOSPC", "EFBIG", "EDQUOT", "EROFS", "EACCES"])
def test_a_disk_that_refuses_is_no_defect(tmp_path, number):
    home = tmp_path / "home"  # which isn't there, so that no user may write to it
    ended = reported(f"(_ for _ in ()).throw(OSError({number}, 'refused', '{home}/a/file'))", home)
    assert ended.returncode == errors.StorageFailed.exit_code
    assert f"{home}/a/file" in ended.stderr
    assert (f"WINDROW_HOME {home} can't be" in ended.stderr) == (number in ("EROFS", "EACCES"))
    assert not home.exists()


def session_of(leader: int) -> set[int]:
    found = subprocess.run(["ps", "-o", "pid=", "-s", str(leader)], capture_output=True, text=True).stdout.split()
    return {int(process) for process in found}


DEAF_CHILDREN = """
import os, subprocess, sys, time
from windrow.pipelines.cli._errors import reported
from windrow.processes import children, signals
grandchild = "; ".join([
    "import os, signal, time", "os.setpgid(0, 0)", "signal.signal(signal.SIGTERM, signal.SIG_IGN)",
    "print('up', flush=True)", "time.sleep(600)"])
child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {grandchild!r}])"
def work():
    subprocess.Popen([sys.executable, "-c", child])
    time.sleep(600)
signals.raise_on_signals()
code = reported(work, False)
children.end_children(children.HASTY_GRACE_S)
sys.exit(code)
"""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_with_all_that_it_started(number):
    words, path = [sys.executable, "-c", DEAF_CHILDREN], {"PYTHONPATH": str(REPOSITORY)}
    process = subprocess.Popen(words, stdout=-1, stderr=-1, text=True, start_new_session=True, env=path)
    assert process.stdout.readline() == "up\n"
    assert len(session_of(process.pid)) == 3
    process.send_signal(number)
    _, error = process.communicate(timeout=30)
    assert process.returncode == 128 + number
    assert "no process is left running" in error
    assert session_of(process.pid) == set()


@pytest.mark.slow
def test_it_ends_when_its_parent_was_killed(small_lake):
    """As a task's process is, when Airflow kills the task with SIGKILL."""
    parent = (
        "import subprocess, sys; child = subprocess.Popen([*sys.argv[1:3], 'query', sys.argv[3]]); "
        "print(child.pid, flush=True); child.wait()"
    )
    endless = "SELECT max(a.range * b.range) FROM range(10000000) a, range(10000000) b"
    words = [sys.executable, "-c", parent, WINDROW, "--end-with-parent", endless]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True)
    child = Path("/proc", process.stdout.readline().strip())
    # What a command needs is loaded after it asked for the signal: then it is in its query.
    processes.wait_until(lambda: "duckdb" in (child / "maps").read_text(), "its query")
    process.kill()
    process.wait()
    processes.wait_until(lambda: session_of(process.pid) == set(), "its end")


IMPORTED = """
import sys
from windrow.pipelines.cli._app import run
code = run(sys.argv[1:])
print(code, sorted(name for name in {names} if name in sys.modules), file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.parametrize("words", [("--help",), ("query", "SELECT 1"), ("tables",), ("runs",)], ids=" ".join)
def test_quick_commands_load_no_spark_and_no_kernel(small_lake, words):
    environment = {"PYTHONPATH": str(REPOSITORY), "WINDROW_HOME": str(small_lake.home)}
    ended = python("-c", IMPORTED.format(names=NO_JVM), *words, env=environment)
    assert ended.stderr.splitlines()[-1] == "0 []"


@pytest.mark.parametrize("command", [each for each in ORDER if each != "airflow"])
def test_a_wrong_use_of_a_command_ends_with_the_help_of_that_command(here, command):
    ended = here(command, "--no-such-option")
    assert ended.code == 2 and ended.error.endswith(f"\nSee: windrow {command} --help\n")


def test_a_command_that_there_is_not_ends_with_the_help_of_all(here):
    assert here("reply").error.endswith("\nSee: windrow --help\n")


ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


@pytest.mark.slow
def test_a_command_reads_and_prints_utf8_where_the_locale_is_c():
    ended = python("-m", "windrow.pipelines", "check", "nothing-é", cwd=REPOSITORY, env=os.environ | ASCII, text=False)
    assert "nothing-é" in ended.stderr.decode() and ended.returncode == 3
