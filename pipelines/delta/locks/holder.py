"""Who holds a lock, for the messages of those who wait."""

import os
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from processes import proc

_MOST_CHARACTERS = 200
# It heeds no other signal but SIGKILL until it goes on.
_STOPPED = "it is stopped: kill -CONT {0} lets it go on"


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


def this_process(shared: bool) -> Holder:
    """As the holder of a lock that it has just taken."""
    return Holder(os.getpid(), this_command(), f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}", shared)


def this_command() -> str:
    """What this process was started as."""
    return " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])[:_MOST_CHARACTERS]
