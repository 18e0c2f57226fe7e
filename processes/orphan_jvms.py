"""JVMs that go on when their Python doesn't. None commits: they cost memory, and the room of their temporary files.

    <folder>/session-x7f/         one session's folder: Spark's temporary files, and
                        alive     the process's number; that process keeps the file locked as long as it lives

After a kill -9 the next session ends such JVMs, and removes their folders. A signal that stops Python ends its JVM at
once. A JVM in a container that is gone can't be seen from another one; it went with its container.
"""

import fcntl
import os
import select
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
from uuid import uuid4

from windrow.processes import proc

# The JVM is known by this setting in its command line: a process number alone may be another process's by now.
LOCAL_FOLDER = "spark.local.dir"
_PREFIX, _ALIVE = "session-", "alive"
_PATIENCE_MS = 30_000
_mine: dict[Path, IO] = {}


def new_folder(folder: Path) -> Path:
    """A folder for the temporary files of a session of this process; its process counts as alive until it ends."""
    # Named last: a folder by this name whose file is not locked is an orphan.
    made, named = (folder.resolve() / f"{prefix}{uuid4().hex}" for prefix in (".", _PREFIX))
    made.mkdir(parents=True)
    alive = open(made / _ALIVE, "w")  # noqa: SIM115 (stays open as long as the process lives)
    print(os.getpid(), file=alive, flush=True)
    fcntl.flock(alive, fcntl.LOCK_EX)
    _mine[named] = alive
    return made.rename(named)


@contextmanager
def ended_if_stopped() -> Iterator[None]:
    """End this process's JVM where a signal stops Python meanwhile: alone it would go on with its work."""
    try:
        yield
    except Exception:
        raise
    except BaseException:
        while _mine:
            _end(_mine.popitem()[0])
        raise


def end_mine() -> None:
    """End this process's JVMs, also one that only just starts."""
    for session in list(_mine):
        _end(session)


def jvm_lives() -> bool:
    """Whether this process has a JVM that was not ended."""
    return bool(_mine)


def end_all(folder: Path) -> None:
    """End the JVMs whose Python is gone, and remove what they left; another user's stay. O(sessions)."""
    for session in folder.resolve().glob(f"{_PREFIX}*"):
        if session not in _mine and _is_orphan(session):
            with suppress(PermissionError):
                _end(session)
                shutil.rmtree(session, ignore_errors=True)


def _is_orphan(session: Path) -> bool:
    with suppress(FileNotFoundError), open(session / _ALIVE) as alive:
        try:
            fcntl.flock(alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _end(session: Path) -> None:
    for process in _processes_with(f"{LOCAL_FOLDER}={session}"):
        with suppress(ProcessLookupError):
            _kill(process)


def _kill(process: int) -> None:
    watched = os.pidfd_open(process)
    try:
        signal.pidfd_send_signal(watched, signal.SIGKILL)
        ended = select.poll()
        ended.register(watched, select.POLLIN)
        ended.poll(_PATIENCE_MS)
    finally:
        os.close(watched)


def _processes_with(setting: str) -> Iterator[int]:
    return (process for process in proc.all_processes() if os.fsencode(setting) in proc.command_line(process))
