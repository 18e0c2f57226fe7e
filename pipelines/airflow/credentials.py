"""The secrets of a home's Airflow: the login's password, and the key that it signs its tokens with.

Made at the first call, kept in files that only their user reads. One that is empty or damaged (a full disk, a restore
that went wrong) is made again, with a message: Airflow would refuse to start, or let no user in.
"""

import json
import os
import re
import secrets
import sys
from collections.abc import Callable
from pathlib import Path

from windrow.pipelines.airflow import USER, password_file, read_password
from windrow.pipelines.logged import say

# 96 characters: Airflow signs with HS512 and wants at least 64 bytes.
KEY_BYTES = 48


def password(folder: Path) -> str:
    """The login's password."""
    path, consequence = password_file(folder), "the login has another password now"
    return _kept(path, read_password, lambda: json.dumps({USER: secrets.token_urlsafe(12)}), consequence)


def jwt_secret(folder: Path) -> str:
    """The key of the tokens with which users and tasks log in."""
    path, consequence = folder / "jwt_secret", "users who were logged in must log in again"
    return _kept(path, _read_key, lambda: secrets.token_hex(KEY_BYTES), consequence)


def login(user: str, password: str, file: Path) -> str:
    """A login as a terminal is told it; elsewhere the output may be kept, as by CI, and only the file is named."""
    return f"{user} / {password if sys.stdout.isatty() and not os.environ.get('CI') else f'its password is in {file}'}"


def _read_key(text: str) -> str | None:
    return text if re.fullmatch(f"[0-9a-f]{{{2 * KEY_BYTES}}}", text) else None


def _kept(path: Path, read: Callable[[str], str | None], make: Callable[[], str], consequence: str) -> str:
    """What the file holds; made where it is missing, and again where `read` finds nothing in it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        _write(path, make(), os.link)
    found = read(path.read_text(errors="replace"))
    if found is None:
        say(f"{path} was empty or damaged and is made again: {consequence}")
        _write(path, make(), os.replace)
        found = read(path.read_text())
    assert found is not None, f"{path} was just written"
    return found


def _write(path: Path, text: str, into_place: Callable[[Path, Path], None]) -> None:
    """In one step, so that a kill leaves no half of it; by os.link an existing file stays: another was faster."""
    fresh = path.with_name(f".{path.name}-{os.getpid()}")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
        file.write(text)
    try:
        into_place(fresh, path)
    except FileExistsError:
        return
    finally:
        fresh.unlink(missing_ok=True)
