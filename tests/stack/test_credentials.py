"""A secret that is empty or damaged is made again, with a message; one that is right is kept."""

import json
import stat

import pytest

from stack import credentials

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
