"""Locks of the operating system: a file each, for the processes of one machine. Who holds a lock stands in it, for the
messages of those who wait.

On a local file system two processes that commit at the same moment can both learn "committed" while one commit is lost
(measured: 1 of 36,000).
"""

import fcntl
import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from windrow.processes import proc

_MOST_CHARACTERS = 200
# It heeds no other signal but SIGKILL until it goes on.
_STOPPED = "it is stopped: kill -CONT {0} makes it go on"


@dataclass(frozen=True)
class Holder:
    """A process, what it was started as, since when it holds the lock (UTC), whether others may hold it too, and on
    which machine it is, where that may be another."""

    process: int
    command: str
    since: str
    shared: bool = False
    host: str | None = None

    def __str__(self) -> str:
        others = ", or others with which it shares it" if self.shared else ""
        host = f" on {self.host}" if self.host else ""
        found = None if self.host else proc.status(self.process)
        # By SIGSTOP, or Ctrl-Z.
        stopped = f" ({_STOPPED.format(self.process)})" if found is not None and found.state in ("T", "t") else ""
        return f"process {self.process}{host} ({self.command}), since {self.since} UTC{others}{stopped}"


def this_command() -> str:
    """What this process was started as."""
    return " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])[:_MOST_CHARACTERS]


class FileLock:
    """The lock of a file, alone or shared; a killed process lets go of it. existing: of a file that is not made for it,
    which is only read; FileNotFoundError without it."""

    def __init__(self, path: Path, shared: bool, existing: bool = False):
        self.path, self.shared = path, shared
        if not existing:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        self.file = open(path, "r" if existing else "r+")  # noqa: SIM115 - the lock lasts as long as the file is open

    def is_taken(self) -> bool:
        """Whether this process has it now; doesn't wait."""
        try:
            fcntl.flock(self.file, (fcntl.LOCK_SH if self.shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def note_holder(self) -> None:
        """Say who has it, to those who wait. Of those who share it, the last is known."""
        # On a full disk it stays unknown: what frees space there takes locks too.
        with suppress(OSError):
            os.ftruncate(self.file.fileno(), 0)
            holder = Holder(os.getpid(), this_command(), f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}", self.shared)
            os.pwrite(self.file.fileno(), json.dumps(vars(holder)).encode(), 0)

    def holder(self) -> Holder | None:
        try:
            return Holder(**json.loads(self.path.read_text()))
        except (OSError, ValueError, TypeError):  # not written, or not to its end yet
            return None

    def require_held(self) -> None:
        """Nothing to look at: the operating system takes no lock away."""

    def close(self) -> None:
        self.file.close()
