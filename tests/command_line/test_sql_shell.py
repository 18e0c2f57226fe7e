"""`windrow sql` at a terminal, as a user types; and with a file for the keyboard."""

import json
import os
import select
import subprocess
import sys
import time

import pytest

from tests.support.rules import ROOT
from windrow.schemas.errors import BadStatement

COMMAND = [sys.executable, "-m", "windrow.pipelines", "sql"]


@pytest.fixture
def settings(small_lake, tmp_path):
    places = {"WINDROW_HOME": str(small_lake.home), "XDG_DATA_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    return os.environ | places | {"TERM": "dumb", "COLUMNS": "100"}


class Terminal:
    """A shell, its keyboard and its screen."""

    def __init__(self, settings: dict[str, str]):
        self.ours, theirs = os.openpty()
        keyboard = {"stdin": theirs, "stdout": theirs, "stderr": theirs, "start_new_session": True}
        take = (
            "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
        )
        self.process = subprocess.Popen([sys.executable, "-c", take, *COMMAND], env=settings, **keyboard)
        os.close(theirs)
        self.shown = ""

    def see(self, text: str) -> None:
        """Wait until it is shown, behind what was seen before."""
        limit = time.monotonic() + 60
        while text not in self.shown:
            readable, _, _ = select.select([self.ours], [], [], 1)
            assert readable or time.monotonic() < limit, f"{text!r} doesn't come after {self.shown!r}"
            self.shown += os.read(self.ours, 4_096).decode() if readable else ""
        self.shown = self.shown.partition(text)[2]

    def type(self, text: str) -> None:
        os.write(self.ours, text.encode())


@pytest.mark.slow
def test_a_terminal_completes_names_goes_on_after_errors_and_ctrl_c_and_keeps_a_history(settings, tmp_path):
    terminal = Terminal(settings)
    terminal.see("windrow> ")
    terminal.type("SELECT count(*) AS known FROM bikes_demand_fi\t")
    terminal.see("FROM bikes_demand_final")
    terminal.type(";\n")
    terminal.see("known")
    terminal.see("windrow> ")
    terminal.type("SELECT nonsense;\n")
    terminal.see("error: ")
    terminal.see("windrow> ")
    terminal.type("SELECT this is no\nlonger wanted")
    terminal.see("wanted")
    time.sleep(0.5)  # readline sees no signal that comes as it takes a key: no user is so quick
    terminal.type("\x03")
    terminal.see("windrow> ")
    terminal.type("SELECT 40 +\n2 AS answer;\n")
    terminal.see("42")
    terminal.see("windrow> ")
    terminal.type("\x04")
    assert terminal.process.wait(30) == 0
    assert "2 AS answer;" in (tmp_path / "windrow/sql_history").read_text()


@pytest.mark.slow
def test_a_file_s_statements_are_answered_one_after_the_other(settings):
    given = "SELECT 1 AS one;\nSELECT\n  2 AS two;\n;\nSELECT wrong;\nSELECT 3 AS three"
    ended = subprocess.run([*COMMAND, "--json"], env=settings, input=given, capture_output=True, text=True, timeout=60)
    assert [json.loads(line) for line in ended.stdout.splitlines()] == [[{"one": 1}], [{"two": 2}], [{"three": 3}]]
    assert (ended.returncode, ended.stderr.count("error: ")) == (BadStatement.exit_code, 1)
