"""Airflow is reachable from this machine only, and its tasks get what they need. A secret that is empty or damaged is
made again, with a message; one that is right is kept."""

import json
import os
import socket
import stat
import subprocess
import time
from pathlib import Path

import pytest

from stack.places import REPOSITORY
from windrow.pipelines.airflow import credentials, settings
from windrow.pipelines.airflow.server import free_port
from windrow.processes import marked
from windrow.schemas.errors import WrongParameter

CONNECTION = "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"


def test_the_secrets_are_long_enough_private_and_kept(tmp_path):
    first = settings.airflow_environment(tmp_path, 8080)
    assert len(first["AIRFLOW__API_AUTH__JWT_SECRET"].encode()) >= 64
    assert settings.airflow_environment(tmp_path, 8080) == first
    for name in ("jwt_secret", "passwords.json"):
        assert stat.S_IMODE((tmp_path / "airflow" / name).stat().st_mode) == 0o600
    kept = json.loads((tmp_path / "airflow" / "passwords.json").read_text())
    assert kept == {"admin": settings.password(tmp_path)}


def test_two_homes_share_no_secret_and_no_mark(tmp_path):
    one, two = (settings.airflow_environment(tmp_path / name, 8080) for name in ("one", "two"))
    assert one["AIRFLOW__API_AUTH__JWT_SECRET"] != two["AIRFLOW__API_AUTH__JWT_SECRET"]
    assert settings.password(tmp_path / "one") != settings.password(tmp_path / "two")
    assert one[marked.MARK] != two[marked.MARK]


def test_every_address_is_of_the_loopback_interface_and_the_chosen_port(tmp_path):
    made = settings.airflow_environment(tmp_path, 18123)
    assert (made["AIRFLOW__API__HOST"], made["AIRFLOW__API__PORT"]) == ("127.0.0.1", "18123")
    assert made["AIRFLOW__CORE__EXECUTION_API_SERVER_URL"] == "http://127.0.0.1:18123/execution/"


def test_tasks_get_the_homes_folders_and_the_checkout(tmp_path, monkeypatch):
    monkeypatch.setenv("WINDROW_LANDING", "/outside")
    assert settings.airflow_environment(tmp_path, 8080)["WINDROW_LANDING"] == "/outside"
    made = settings.airflow_environment(tmp_path, 8080, tmp_path / "landing")
    assert made["WINDROW_LANDING"] == str(tmp_path / "landing")
    assert made["WINDROW_HOME"] == str(tmp_path)
    assert made["PYTHONPATH"] == str(REPOSITORY)


def test_tasks_have_the_quick_compiler_unless_other_options_are_set(tmp_path, monkeypatch):
    monkeypatch.delenv("WINDROW_JAVA_OPTIONS")
    assert settings.airflow_environment(tmp_path, 8080)["WINDROW_JAVA_OPTIONS"] == settings.QUICK_JVM
    monkeypatch.setenv("WINDROW_JAVA_OPTIONS", "-XX:+UseG1GC")
    assert settings.airflow_environment(tmp_path, 8080)["WINDROW_JAVA_OPTIONS"] == "-XX:+UseG1GC"


def test_tasks_get_what_their_replays_may_cost(tmp_path, monkeypatch):
    given = {"WINDROW_MOST_ROWS": "1000", "WINDROW_MOST_SECONDS": "60"}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert given.items() <= settings.airflow_environment(tmp_path, 8080).items()


def test_settings_of_another_airflow_do_not_leak_in(tmp_path, monkeypatch):
    monkeypatch.setenv("AIRFLOW__CORE__EXECUTOR", "CeleryExecutor")
    monkeypatch.setenv("AIRFLOW__API__WORKERS", "9")
    monkeypatch.setenv("AIRFLOW__LOGGING__BASE_LOG_FOLDER", "/elsewhere")
    made = settings.airflow_environment(tmp_path, 8080)
    assert (made["AIRFLOW__CORE__EXECUTOR"], made["AIRFLOW__API__WORKERS"]) == ("LocalExecutor", "1")
    assert "AIRFLOW__LOGGING__BASE_LOG_FOLDER" not in made


def test_one_variable_names_another_database(tmp_path, monkeypatch):
    url = "postgresql+psycopg2://user:secret@127.0.0.1:5432/airflow"
    monkeypatch.setenv(settings.DATABASE, url)
    assert settings.airflow_environment(tmp_path, 8080)[CONNECTION] == url
    monkeypatch.delenv(settings.DATABASE)
    sqlite = f"sqlite:///{tmp_path / 'airflow' / settings.FILE}"
    assert settings.airflow_environment(tmp_path, 8080)[CONNECTION].startswith(sqlite)


@pytest.mark.parametrize("url", ["", "mysql://user:secret@there/airflow", "postgresql://user:secret@there/a", "x"])
def test_a_database_that_is_not_supported_is_refused_by_its_setting_without_its_password(tmp_path, monkeypatch, url):
    monkeypatch.setenv(settings.DATABASE, url)
    with pytest.raises(WrongParameter, match=settings.DATABASE) as refused:
        settings.airflow_environment(tmp_path, 8080)
    assert "secret" not in str(refused.value) and settings.POSTGRESQL in str(refused.value)


def test_a_taken_port_is_not_chosen():
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        holder.listen()
        taken = holder.getsockname()[1]
        with free_port(preferred=taken) as port:
            assert port != taken
    with free_port(preferred=taken) as port:
        assert port == taken


def test_the_port_of_an_airflow_whose_server_has_ended_is_not_chosen():
    """Its watcher starts the server again, at the same port."""
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        given = holder.getsockname()[1]
    other = subprocess.Popen(["sleep", "60"], env={settings.PORT: str(given), "PATH": os.environ["PATH"]})
    try:
        while not Path(f"/proc/{other.pid}/environ").read_bytes():
            time.sleep(0.01)  # a process is there before its environment is
        with free_port(preferred=given) as port:
            assert port != given
    finally:
        other.kill()
        other.wait()
    with free_port(preferred=given) as port:
        assert port == given


def test_two_that_start_at_once_do_not_get_the_same_port():
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        preferred = holder.getsockname()[1]
    with free_port(preferred) as first, free_port(preferred) as second:
        assert first == preferred != second


KEY = "0123456789abcdef" * 6


@pytest.mark.parametrize("damaged", ["", "\n", KEY[:-1], KEY + "0", KEY[:-1] + "g", "\0" * 96])
def test_a_damaged_key_is_made_again_with_a_message(tmp_path, capsys, damaged):
    path = tmp_path / "jwt_secret"
    path.write_text(damaged)
    made = credentials.jwt_secret(tmp_path)
    assert len(made) == 96 and made != damaged
    printed = capsys.readouterr().out
    assert str(path) in printed and "made again" in printed and made not in printed
    assert credentials.jwt_secret(tmp_path) == made
    assert capsys.readouterr().out == ""
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


DAMAGED = ["", "{", "[]", "null", "{}", json.dumps({"admin": ""}), json.dumps({"admin": None}), json.dumps({"a": "b"})]


@pytest.mark.parametrize("damaged", DAMAGED)
def test_a_damaged_password_file_is_made_again_with_a_message(tmp_path, capsys, damaged):
    path = tmp_path / "passwords.json"
    path.write_text(damaged)
    made = credentials.password(tmp_path)
    printed = capsys.readouterr().out
    assert str(path) in printed and "made again" in printed and "another password" in printed
    assert json.loads(path.read_text()) == {"admin": made}
    assert credentials.password(tmp_path) == made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_is_right_is_kept_without_a_message(tmp_path, capsys):
    (tmp_path / "jwt_secret").write_text(KEY)
    (tmp_path / "passwords.json").write_text(json.dumps({"admin": "chosen by hand", "other": "kept"}))
    assert (credentials.jwt_secret(tmp_path), credentials.password(tmp_path)) == (KEY, "chosen by hand")
    assert json.loads((tmp_path / "passwords.json").read_text())["other"] == "kept"
    assert capsys.readouterr().out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["jwt_secret", "passwords.json"]
