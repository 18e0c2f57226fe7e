"""Who holds a lock: written into its file by whoever takes it, for the messages of those who wait."""

import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

_MOST_CHARACTERS = 200


@dataclass(frozen=True)
class Holder:
    """A process, what it was started as, since when it holds the lock (UTC), and whether others may hold it too."""

    process: int
    command: str
    since: str
    shared: bool = False

    def __str__(self) -> str:
        others = ", or others with which it shares it" if self.shared else ""
        return f"process {self.process} ({self.command}), since {self.since} UTC{others}"


def write(file: IO, shared: bool) -> None:
    """Note this process as the holder, in the file of a lock that it has. Of those who share one, the last is known."""
    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])[:_MOST_CHARACTERS]
    holder = Holder(os.getpid(), command, f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}", shared)
    # On a full disk it stays unknown: what frees space there takes locks too.
    with suppress(OSError):
        os.ftruncate(file.fileno(), 0)
        os.pwrite(file.fileno(), json.dumps(vars(holder)).encode(), 0)


def read(path: Path) -> Holder | None:
    """Who holds the lock of that file; None where that was not written, or not to its end yet."""
    try:
        return Holder(**json.loads(path.read_text()))
    except (OSError, ValueError, TypeError):
        return None
