"""Child processes: however a command ends, nothing that it started stays, in its session or beyond, but what it was
asked to leave running."""

import ctypes
import os
import signal
from collections.abc import Iterator

from windrow.processes import marked, proc, signals

_PARENT_DEATH_SIGNAL, _CHILD_SUBREAPER = 1, 36  # of prctl(2)
# What a signal ends must be gone before the sender loses patience: Airflow kills 5 s after it asked.
HASTY_GRACE_S = 2.0
# An ordinary end leaves Spark time to delete its temporary files.
GRACE_S = 15.0
_left_running: set[int] = set()


def end_with_parent() -> None:
    """Get SIGTERM when the parent process dies, however it dies."""
    _prctl(_PARENT_DEATH_SIGNAL, signal.SIGTERM)


def adopt_grandchildren() -> None:
    """Become the parent of processes whose parent ends: Spark's Python workers, when the JVM does."""
    _prctl(_CHILD_SUBREAPER, 1)


def leave_running(child: int) -> None:
    """Keep this child, an Airflow's component, when the command has done its work."""
    _left_running.add(child)


def end_children(grace_s: float) -> None:
    """End all descendants but those to be left running: the JVM, and Spark's Python workers, which fall to us when the
    JVM ends."""
    for number in signals.SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    adopt_grandchildren()
    marked.end_all(_living_children, grace_s)


def _living_children() -> list[int]:
    children = [process for process, parent in proc.parents().items() if parent == os.getpid()]
    return [child for child in children if child not in _left_running and not _has_ended(child)]


def _has_ended(child: int) -> bool:
    """It leaves no zombie then."""
    try:
        return os.waitpid(child, os.WNOHANG) != (0, 0)
    except ChildProcessError:
        return True


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def end_session(leader: int, grace_s: float) -> None:
    """Ask all processes of the session to end, kill those that have not after `grace_s`. By session, not by process
    group: Spark's Python workers open a group of their own."""
    marked.end_all(lambda: list(members(leader)), grace_s)


def members(leader: int) -> Iterator[int]:
    """Process ids of the session, without zombies."""
    for process in proc.all_processes():
        found = proc.status(process)
        if found is not None and found.session == leader and found.state != "Z":
            yield process
