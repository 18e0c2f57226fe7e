"""JVMs that go on when their Python doesn't: one may still commit for a moment, when Python's locks are free already.

    <folder>/session-x7f/         one session's folder: Spark's temporary files, and
                        alive     the process's number; that process keeps the file locked as long as it lives

After a kill -9 whoever takes a lock next ends such JVMs, so that nobody reads or writes at the same time, and removes
their folders. A signal that stops Python within a write ends its JVM at once, before the lock goes. A JVM in a
container that is gone can't be seen from another one; it went with its container.
"""

import fcntl
import os
import select
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO
from uuid import uuid4

from processes import proc

# The JVM is known by this setting in its command line: a process number alone may be somebody else's by now.
LOCAL_FOLDER = "spark.local.dir"
_PREFIX, _ALIVE = "session-", "alive"
_PATIENCE_MS = 30_000
_mine: dict[Path, IO] = {}


class CannotEnd(Exception):
    """A JVM that must not go on can't be ended."""


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
    """End this process's JVM where a signal stops Python meanwhile: the JVM alone would finish its write and commit."""
    try:
        yield
    except Exception:
        raise
    except BaseException:
        expect_the_end_of_the_jvm()
        while _mine:
            _end(_mine.popitem()[0])
        raise


def end_mine() -> None:
    """End this process's JVMs, also one that only just starts."""
    expect_the_end_of_the_jvm()
    for session in list(_mine):
        _end(session)


def jvm_lives() -> bool:
    """Whether this process has a JVM that was not ended."""
    return bool(_mine)


def expect_the_end_of_the_jvm() -> None:
    """Else Spark's accumulator server prints a traceback when the JVM hangs up."""
    accumulators = sys.modules.get("pyspark.accumulators")
    if accumulators:
        accumulators.AccumulatorTCPServer.handle_error = lambda *_: None


def end_all(folder: Path) -> None:
    """End the JVMs whose Python is gone, wait until they are, and remove what they left. O(sessions) where none is.

    Raises CannotEnd for one that can't be ended.
    """
    sessions = list(folder.resolve().glob(f"{_PREFIX}*"))
    if not sessions:
        return
    mutex = folder / "ending"
    mutex.touch()
    with open(mutex) as locked:  # nobody goes on while another still ends one
        fcntl.flock(locked, fcntl.LOCK_EX)
        for session in sessions:
            if session not in _mine and _is_orphan(session):
                _end(session)
                shutil.rmtree(session, ignore_errors=True)


def _is_orphan(session: Path) -> bool:
    with suppress(FileNotFoundError), open(session / _ALIVE) as alive:
        try:
            fcntl.flock(alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not _is_dying(alive.read().strip()):
                return False
            fcntl.flock(alive, fcntl.LOCK_EX)
    return True


def _is_dying(process: str) -> bool:
    """A process that ends lets go of its files one by one; its memory, and so its command line, went before."""
    try:
        return not Path("/proc", process, "cmdline").read_bytes()
    except OSError:
        return False


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
        if not ended.poll(_PATIENCE_MS):
            raise CannotEnd(f"process {process}, a JVM whose run was killed, does not end; end it, then try again")
    except PermissionError as error:
        raise CannotEnd(
            f"process {process}, a JVM whose run was killed, may still write and belongs to another "
            "user; let that user end it, then try again"
        ) from error
    finally:
        os.close(watched)


def _processes_with(setting: str) -> Iterator[int]:
    return (process for process in proc.all_processes() if os.fsencode(setting) in proc.command_line(process))
