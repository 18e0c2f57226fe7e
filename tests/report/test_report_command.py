"""`windrow report` from the command line: where it makes the pages, and after which commands."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.rules import blocks
from windrow.pipelines.cli import _app as command_line
from windrow.pipelines.report import site
from windrow.schemas.errors import WrongParameter

pytestmark = pytest.mark.slow


def test_the_command_makes_it_where_it_is_asked_to_and_says_where(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WINDROW_HOME", str(tmp_path / "home"))
    for typed, folder in ([], tmp_path / "home" / "report"), (["--into", str(tmp_path / "anna")], tmp_path / "anna"):
        assert command_line.run(["report", "--json", *typed]) == 0
        assert json.loads(capsys.readouterr().out)["link"] == (folder / "index.html").as_uri()
        assert (folder / "index.html").exists()


def test_the_commands_of_the_front_page_end_with_a_report(tmp_path):
    [block] = blocks("docs/index.md", "")
    own = {name: value for name, value in os.environ.items() if not name.startswith("WINDROW_")}
    own["PATH"] = f"{Path(sys.executable).parent}:{own['PATH']}"
    done = subprocess.run(["sh", "-e"], input=block, cwd=tmp_path, env=own, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "trips/var/report/index.html").as_uri() in done.stdout


def test_a_folder_with_other_files_is_left_alone(ingested, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(WrongParameter, match="--into"):
        site.build(ingested, tmp_path / "mine", lambda text: None)
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"
