"""Find and end processes by a mark, however they were orphaned.

Each child gets a mark in its environment, which all its descendants inherit. That finds what process groups
and sessions don't: Airflow puts each task into a group of its own, a task may open a session, and a killed
scheduler leaves both to init. So what was started is found again after any crash, without a file of process
ids, which may be stale and name somebody else's.
"""

import os
import signal
import time
from collections.abc import Callable

from processes import proc

MARK = "WINDROW_STACK_MARK"


def marked(mark: str) -> list[int]:
    """Processes whose environment carries `mark`, without this one. A zombie has no environment any more."""
    wanted = f"{MARK}={mark}".encode()
    return [pid for pid in proc.all_processes() if pid != os.getpid() and wanted in proc.environment(pid)]


def describe(pid: int) -> str:
    """The command line of a process, or a dash if it has ended."""
    return " ".join(word.decode(errors="replace") for word in proc.command_line(pid)).strip() or "-"


def end(mark: str, grace_s: float = 10.0) -> int:
    """Ask all marked processes to end, kill those that have not after `grace_s`; returns how many there were."""
    return end_all(lambda: marked(mark), grace_s)


def end_all(find: Callable[[], list[int]], grace_s: float) -> int:
    """The same for the processes that `find` finds.

    Kills again until none is left, since a process may have forked between the look and the kill.
    """
    first = find()
    proc.send(first, signal.SIGTERM)
    deadline = time.monotonic() + grace_s
    while find() and time.monotonic() < deadline:
        time.sleep(0.1)
    while left := find():
        proc.send(left, signal.SIGKILL)
        time.sleep(0.1)
    return len(first)
