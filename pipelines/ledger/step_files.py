"""The files of steps that have begun (running.py), and whether the process of each lives.

In a folder the file itself is locked as long as it does. Where a server has the locks, its lock bears the file's name.
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import IO, Protocol

from pipelines import storage
from pipelines.config import Config
from pipelines.delta.locks import lock_of
from pipelines.location import Location, is_local

UNFINISHED = ".unfinished"


class Hold(Protocol):
    """What says that a process lives, as long as it isn't closed."""

    def close(self) -> None:
        """The step ended."""


def write(config: Config, path: Location, text: str) -> Hold:
    """Make the file of a step of this process."""
    if isinstance(path, Path) and not config.lock_server:
        return _written_and_locked(path, text)
    lock = lock_of(config, path.name)
    lock.is_taken()
    storage.make_folder(path.parent)
    path.write_text(text)
    return lock


def _written_and_locked(path: Path, text: str) -> IO[str]:
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(UNFINISHED)
    file = open(unfinished, "w")  # noqa: SIM115 - the lock lasts as long as the file is open
    fcntl.flock(file, fcntl.LOCK_EX)
    file.write(text)
    file.flush()
    os.fsync(file.fileno())
    unfinished.rename(path)  # in one step, and locked: whoever sees it sees all of it
    return file


def read(config: Config, path: Location) -> tuple[bytes, bool] | None:
    """What a step's file holds, and whether its process lives; None where the step has ended meanwhile."""
    with suppress(FileNotFoundError):
        if isinstance(path, Path) and not config.lock_server:
            with open(path, "rb") as file:
                lives = not _free(file, fcntl.LOCK_SH)
                return (file.read(), lives) if lives or path.exists() else None
        lives = _is_held(config, path)
        return path.read_bytes(), lives
    return None


def _is_held(config: Config, path: Location) -> bool:
    if not (is_local(path) or config.lock_server):
        return True  # by those who have a server; who hasn't can't know
    lock = lock_of(config, path.name, shared=True)
    try:
        return not lock.is_taken()
    finally:
        lock.close()


def take(config: Config, path: Location) -> Hold | None:
    """Lock the file of a step whose process has ended, until what comes back is closed; None where it is gone, or
    another process has it."""
    if isinstance(path, Path) and not config.lock_server:
        return _locked(path)
    lock = lock_of(config, path.name)
    if lock.is_taken() and path.exists():
        return lock
    lock.close()
    return None


def _locked(path: Path) -> IO[bytes] | None:
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return None
    if _free(file, fcntl.LOCK_EX) and path.exists():
        return file
    file.close()
    return None


def _free(file: IO, lock: int) -> bool:
    try:
        fcntl.flock(file, lock | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
