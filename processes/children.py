"""Child processes: however a command ends, nothing that it started stays, in its session or beyond."""

import ctypes
import os
import signal
import time
from collections.abc import Iterable, Iterator

from processes import marked, orphan_jvms, proc, signals

_PARENT_DEATH_SIGNAL, _CHILD_SUBREAPER = 1, 36  # of prctl(2)
# What a signal ends must be gone before the sender loses patience: Airflow kills 5 s after it asked.
HASTY_GRACE_S = 2.0
# An ordinary end leaves Spark time to delete its temporary files.
GRACE_S = 15.0


def end_with_parent() -> None:
    """Get SIGTERM when the parent process dies, however it dies."""
    _prctl(_PARENT_DEATH_SIGNAL, signal.SIGTERM)


def adopt_grandchildren() -> None:
    """Become the parent of processes whose parent ends: Spark's Python workers, when the JVM does."""
    _prctl(_CHILD_SUBREAPER, 1)


def end_children(grace_s: float) -> None:
    """End all descendants: the JVM, and Spark's Python workers, which fall to us when the JVM ends."""
    for number in signals.SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    orphan_jvms.expect_the_end_of_the_jvm()
    adopt_grandchildren()
    deadline = time.monotonic() + grace_s
    asked: set[int] = set()
    while children := _children():
        patient = time.monotonic() < deadline
        proc.send(children - asked if patient else children, signal.SIGTERM if patient else signal.SIGKILL)
        asked |= children
        _reap(children)
        time.sleep(0.02)


def _children() -> set[int]:
    return {process for process, parent in proc.parents().items() if parent == os.getpid()}


def _reap(children: Iterable[int]) -> None:
    for child in children:
        try:
            os.waitpid(child, os.WNOHANG)
        except ChildProcessError:
            continue


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
