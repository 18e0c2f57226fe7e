"""JVMs that outlive their Python: after its kill -9 one may still commit for a moment, when its locks are free already.

    <home>/spark/session-x7f/         one session's folder: Spark's temporary files, and
                            alive     a file that the session's process holds locked: free once that process is gone

Whoever takes a lock ends such JVMs first, so that nobody reads or writes beside them, and removes their folders.
"""

import fcntl
import os
import select
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from pipelines.config import Config

# The JVM is known by this setting in its command line: a process number alone may be somebody else's by now.
LOCAL_FOLDER = "spark.local.dir"
_PREFIX, _ALIVE = "session-", "alive"
_held: list[IO] = []


def new_folder(config: Config) -> Path:
    """A folder for the temporary files of a session of this process; its process counts as alive until it ends."""
    config.spark.mkdir(parents=True, exist_ok=True)
    # Named last: a folder by this name whose file is not locked is an orphan.
    made = Path(tempfile.mkdtemp(prefix=".", dir=config.spark))
    alive = open(made / _ALIVE, "w")  # noqa: SIM115 (stays open as long as the process lives)
    fcntl.flock(alive, fcntl.LOCK_EX)
    _held.append(alive)
    return made.rename(config.spark / f"{_PREFIX}{made.name[1:]}")


def end_all(config: Config) -> None:
    """End the JVMs whose Python is gone, wait until they are, and remove what they left. O(sessions) where none is."""
    folders = list(config.spark.glob(f"{_PREFIX}*"))
    if not folders:
        return
    with open(config.spark / "ending", "w") as mutex:  # nobody goes on while another still ends one
        fcntl.flock(mutex, fcntl.LOCK_EX)
        for folder in folders:
            if _is_orphan(folder):
                _end(folder)
                shutil.rmtree(folder, ignore_errors=True)


def _is_orphan(folder: Path) -> bool:
    with suppress(FileNotFoundError), open(folder / _ALIVE) as alive:
        try:
            fcntl.flock(alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _end(folder: Path) -> None:
    for process in _processes_with(f"{LOCAL_FOLDER}={folder}"):
        with suppress(ProcessLookupError):
            watched = os.pidfd_open(process)
            os.kill(process, signal.SIGKILL)
            select.select([watched], [], [])  # readable once it has ended
            os.close(watched)


def _processes_with(setting: str) -> Iterator[int]:
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile
            if setting.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                yield int(folder.name)
