"""Nothing that the stack starts outlives it, however it was orphaned."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from stack.places import REPOSITORY
from tests.support.processes import wait_until
from windrow.pipelines import logged
from windrow.processes import marked
from windrow.schemas.errors import NotSetUp

pytestmark = pytest.mark.slow

# A child that leaves its group and its session, is handed to init, and doesn't listen to SIGTERM.
ORPHAN = """
import os, signal, sys, time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        open(sys.argv[1], "w").write(str(os.getpid()))
        time.sleep(600)
    os._exit(0)
"""


def wait_for(path: Path) -> str:
    return wait_until(lambda: path.exists() and path.read_text(), f"{path} is written", 20.0)


def start_orphan(mark: str, note: Path) -> int:
    command = [sys.executable, "-c", ORPHAN, str(note)]
    subprocess.run(command, check=True, env=os.environ | {marked.MARK: mark})
    return int(wait_for(note))


def test_an_orphan_in_its_own_session_that_ignores_sigterm_is_found_and_ended(tmp_path):
    mark = f"test {tmp_path}"
    orphan = start_orphan(mark, tmp_path / "pid")
    assert marked.marked(mark) == [orphan]
    assert marked.end(mark, grace_s=0.5) == 1
    assert marked.marked(mark) == []
    assert marked.describe(orphan) == "-"


def test_only_the_processes_of_that_mark_are_ended(tmp_path):
    mine, other = f"test {tmp_path}", f"test {tmp_path}/other"
    start_orphan(mine, tmp_path / "mine")
    kept = start_orphan(other, tmp_path / "other")
    marked.end(mine, grace_s=0.1)
    assert marked.marked(other) == [kept]
    marked.end(other, grace_s=0.1)
    assert marked.marked(other) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_during_a_step_of_the_set_up_ends_the_step_and_its_children(number, tmp_path):
    note = tmp_path / "pid"
    step = [sys.executable, "-c", ORPHAN + "\ntime.sleep(600)", str(note)]
    runner = (
        "from pathlib import Path; from windrow.processes import signals; from windrow.pipelines import logged\n"
        "signals.raise_on_signals()\n"
        "try:\n"
        f"    logged.run('a step', {step!r}, 'nothing', logs=Path({str(tmp_path)!r}))\n"
        "except signals.Stopped as stopped:\n"
        "    raise SystemExit(stopped.exit_code)\n"
    )
    running = subprocess.Popen([sys.executable, "-c", runner], cwd=REPOSITORY)
    orphan = int(wait_for(note))
    running.send_signal(number)
    assert running.wait(timeout=30) == 128 + number
    assert marked.describe(orphan) == "-"


def test_a_step_that_fails_shows_the_end_of_its_log_and_the_command_that_fixes_it(tmp_path):
    with pytest.raises(NotSetUp, match=r"(?s)exit code 3.*the reason.*fix it with: make better"):
        logged.run("a step", ["sh", "-c", "echo the reason >&2; exit 3"], "make better", logs=tmp_path)


def test_a_step_sees_nothing_of_another_spark_or_python(monkeypatch, tmp_path):
    for name in ("SPARK_REMOTE", "SPARK_HOME", "PYTHONPATH", "VIRTUAL_ENV", "PYTHONDONTWRITEBYTECODE"):
        monkeypatch.setenv(name, "foreign")
    assert "foreign" not in logged.run("environment", ["env"], "nothing", logs=tmp_path)
