"""`windrow up`: its landing folder, kept for the home, and what it says of other homes, other users and taken ports."""

import argparse
import io
import os
import subprocess
import sys
from datetime import date
from types import SimpleNamespace

import pytest

from stack import __main__ as commands_of_make
from stack.places import REPOSITORY
from tests.support.other_user import as_other_user
from tests.support.processes import wait_until
from windrow.pipelines import config
from windrow.pipelines.airflow import Running, password_file, server, settings
from windrow.pipelines.cli import serving
from windrow.pipelines.config import Config
from windrow.pipelines.location import typed
from windrow.schemas.errors import NotSetUp, WrongParameter


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home that the environment names, without a landing folder of the environment's."""
    monkeypatch.setenv(config.HOME, str(tmp_path / "home"))
    monkeypatch.delenv(config.LANDING, raising=False)
    return tmp_path / "home"


def test_a_landing_folder_is_kept_for_its_home_and_for_no_other(home, tmp_path, monkeypatch):
    assert config.load().landing == home / "landing"
    config.keep_landing(home, tmp_path / "files")
    assert config.load().landing == tmp_path / "files"
    config.keep_landing(home, config.location.parsed("s3://bucket/landing", "LANDING"))
    assert str(config.load().landing) == "s3://bucket/landing"
    monkeypatch.setenv(config.LANDING, str(tmp_path / "of the environment"))
    assert config.load().landing == tmp_path / "of the environment"
    monkeypatch.delenv(config.LANDING)
    monkeypatch.setenv(config.HOME, str(tmp_path / "other"))
    assert config.load().landing == tmp_path / "other" / "landing"


def test_the_home_s_own_landing_folder_is_made_and_another_that_is_missing_is_named(home, tmp_path):
    serving.make_landing(Config(home, home / "landing"), home / "landing")
    assert (home / "landing").is_dir()
    with pytest.raises(NotSetUp, match=r"nowhere does not exist; fix it with: mkdir -p .*nowhere"):
        serving.make_landing(Config(home, tmp_path / "nowhere"), tmp_path / "nowhere")


def test_a_landing_that_is_no_folder_is_refused_before_anything_is_made(home, tmp_path):
    with pytest.raises(WrongParameter, match="--landing is '.*nowhere'; allowed: a folder that exists"):
        serving.up(str(tmp_path / "nowhere"))
    assert not home.exists()


REQUIRE = "from windrow.pipelines.cli import serving; serving.require_home"


def test_a_home_of_another_user_is_refused_in_words(tmp_path):
    code = f"from pathlib import Path; {REQUIRE}(Path({str(tmp_path)!r}, 'home'))"
    (tmp_path / "home").mkdir(mode=0o755)
    words = as_other_user(sys.executable, "-c", code)
    if os.geteuid() != 0:
        pytest.skip("only root can be two users")
    ended = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    assert "you can't write there; have a home of your own; fix it with: make up WINDROW_HOME=~/windrow" in ended.stderr


@pytest.mark.parametrize(("terminal", "ci", "told"), [(True, "", True), (True, "true", False), (False, "", False)])
def test_the_password_is_told_to_a_terminal_only_and_else_its_file(home, monkeypatch, terminal, ci, told):
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    said, file = settings.login(home), password_file(settings.airflow_home(home))
    assert (settings.password(home) in said, str(file) in said) == (told, not told)
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_command_of_make_names_the_home_that_the_environment_does(monkeypatch):
    monkeypatch.delenv(config.HOME, raising=False)
    assert typed("down") == "make down"
    monkeypatch.setenv(config.HOME, "/data/my home")
    assert typed("down") == "make down WINDROW_HOME='/data/my home'"
    assert typed("up", "~/windrow") == "make up WINDROW_HOME=~/windrow"


def test_which_other_airflows_run_is_known(tmp_path):
    other = tmp_path / "other"
    process = subprocess.Popen(["sleep", "60"], env=settings.airflow_environment(other, 18098))
    try:
        wait_until(lambda: Running(other, 18098) in server.others(tmp_path / "mine"), "its environment can be read")
        assert Running(other, 18098) not in server.others(other)
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(("text", "problem"), [("", "words of Airflow"), ("dags 'list", "quotes that end")])
def test_airflow_s_command_line_without_words_or_with_half_a_quote_is_refused(monkeypatch, text, problem):
    monkeypatch.setenv(commands_of_make.ARGS, text)
    with pytest.raises(WrongParameter, match=f"ARGS is .*{problem}"):
        commands_of_make.airflow(argparse.Namespace(words=[]))


def test_airflow_s_command_line_needs_an_airflow_that_was_started(home):
    with pytest.raises(NotSetUp, match=f"no Airflow was started over {home} yet; fix it with: make up WINDROW_HOME="):
        serving.airflow(["dags", "list"])


@pytest.mark.airflow
def test_airflow_s_command_line_is_that_of_the_home(home, set_up, capfd):
    settings.airflow_environment(home, 8080)
    assert serving.airflow(["config", "get-value", "core", "dags_folder"]) == 0
    assert str(REPOSITORY / "dags") in capfd.readouterr().out


ASKED = "backfill create --dag-id bikes --from-date 2018-06-01 --to-date 2018-06-03"


@pytest.mark.parametrize("more", [{}, {"--run-backwards": None, "--reprocess-behavior": "failed"}])
def test_a_backfill_is_asked_of_the_server_where_one_runs(monkeypatch, home, capsys, more):
    asked = []
    client = SimpleNamespace(backfill=lambda **days: asked.append(days) or 7)
    running = SimpleNamespace(client=lambda: client, address="http://here", environment={})
    monkeypatch.setattr(serving, "running", lambda home: running)
    words = [word for pair in more.items() for word in pair if word]
    assert serving.airflow([*ASKED.split(), *words]) == 0
    given = {"dag": "bikes", "first": date(2018, 6, 1), "last": date(2018, 6, 3)}
    assert asked == [given | {"backwards": bool(more), "reprocess": more.get("--reprocess-behavior", "none")}]
    assert "backfill 7: http://here/dags/bikes" in capsys.readouterr().err


@pytest.mark.parametrize("words", [
    "backfill pause 3", "dags list", f"{ASKED} --dry-run", f"{ASKED} --max-active-runs 3",
    ASKED.replace("06-01", "06-31"), "backfill create --dag-id bikes", f"{ASKED} --reprocess-behavior some",
])  # fmt: skip
def test_any_other_command_is_airflow_s_own(words):
    assert serving._days_of_backfill(words.split()) is None
