"""Child processes: however `windrow` ends, nothing that it started stays (Linux)."""

import ctypes
import os
import signal
import time
from pathlib import Path

from pipelines import orphans

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
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    orphans.expect_the_end_of_the_jvm()
    adopt_grandchildren()
    deadline = time.monotonic() + grace_s
    asked: set[int] = set()
    while children := _children():
        patient = time.monotonic() < deadline
        for child in children if not patient else children - asked:
            _signal(child, signal.SIGTERM if patient else signal.SIGKILL)
        asked |= children
        _reap(children)
        time.sleep(0.02)


def _children() -> set[int]:
    return {int(name) for name in os.listdir("/proc") if name.isdigit() and _parent(name) == os.getpid()}


def _parent(process: str) -> int | None:
    try:
        # After the command's name, which may hold spaces: state, parent.
        return int(Path("/proc", process, "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return None


def _signal(process: int, number: int) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return


def _reap(children: set[int]) -> None:
    for child in children:
        try:
            os.waitpid(child, os.WNOHANG)
        except ChildProcessError:
            continue


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)
