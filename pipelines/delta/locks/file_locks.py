"""Locks of the operating system: a file each, for the processes of one machine.

On a local file system two processes that commit at the same moment can both learn "committed" while one commit is lost
(measured: 1 of 36,000).
"""

import fcntl
import json
import os
from contextlib import suppress
from pathlib import Path

from pipelines.delta.locks.holder import Holder, this_process


class FileLock:
    """The lock of a file, alone or shared; a killed process lets go of it."""

    def __init__(self, path: Path, shared: bool):
        self.path, self.shared = path, shared
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        self.file = open(path, "r+")  # noqa: SIM115 - the lock lasts as long as the file is open

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
            os.pwrite(self.file.fileno(), json.dumps(vars(this_process(self.shared))).encode(), 0)

    def holder(self) -> Holder | None:
        try:
            return Holder(**json.loads(self.path.read_text()))
        except (OSError, ValueError, TypeError):  # not written, or not to its end yet
            return None

    def require_held(self) -> None:
        """StorageFailed where this process has it no longer: the operating system takes it from nobody."""

    def close(self) -> None:
        self.file.close()
