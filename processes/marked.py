"""Find and end processes by a mark, however they were orphaned.

Each child gets a mark in its environment, which all its descendants inherit. That finds what process groups
and sessions don't: Airflow puts each task into a group of its own, a task may open a session, and a killed
scheduler leaves both to init. So what was started is found again after any crash, without a file of process
ids, which may be stale and name another user's.
"""

import os
import signal
import time
from collections.abc import Callable, Collection

from windrow.processes import proc

MARK = "WINDROW_STACK_MARK"
_LOOK_EVERY_S, _DYING_S = 0.05, 10.0


def marked(mark: str) -> list[int]:
    """Processes whose environment carries `mark`, without this one. A zombie has no environment any more."""
    wanted = f"{MARK}={mark}".encode()
    return [pid for pid in proc.all_processes() if pid != os.getpid() and wanted in proc.environment(pid)]


def describe(pid: int) -> str:
    """The command line of a process, or a dash if it has ended."""
    return " ".join(word.decode(errors="replace") for word in proc.command_line(pid)).strip() or "-"


def end(mark: str, grace_s: float = 10.0) -> int:
    """Ask all marked processes to end, kill those that have not after `grace_s`; returns how many have ended."""
    return end_all(lambda: marked(mark), grace_s)


def end_all(find: Callable[[], Collection[int]], grace_s: float) -> int:
    """The same for the processes that `find` finds, also those that come meanwhile.

    Kills again until none is left, since a process may have forked between the look and the kill; but no longer than
    _DYING_S: one that a broken disk keeps in a system call dies when that returns.
    """
    first, begun, asked = find(), time.monotonic(), set[int]()
    left = first
    while left and time.monotonic() < begun + grace_s + _DYING_S:
        patient = time.monotonic() < begun + grace_s
        proc.send({*left} - asked if patient else left, signal.SIGTERM if patient else signal.SIGKILL)
        asked.update(left)
        time.sleep(_LOOK_EVERY_S)
        left = find()
    proc.send(left, signal.SIGKILL)
    return len({*first} - {*left})
