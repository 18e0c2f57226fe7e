"""Find and end every process that the stack started, however it was orphaned.

Each child gets a mark in its environment, which all its descendants inherit. That finds what process groups
and sessions don't: Airflow puts each task into a group of its own, a task may open a session, and a killed
scheduler leaves both to init. So what `up` started is found again after any crash, without a file of process
ids, which may be stale and name somebody else's. Linux only: it reads /proc.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

MARK = "WINDROW_STACK_MARK"


class Interrupted(BaseException):
    """A signal asked for the end; not an Exception, so that nothing but the clean-up catches it."""

    def __init__(self, number: int):
        self.exit_code = 128 + number
        super().__init__(f"stopped by {signal.Signals(number).name}")


def marked(mark: str) -> list[int]:
    """Processes whose environment carries `mark`, without this one. A zombie has no environment any more."""
    wanted = f"{MARK}={mark}".encode()
    return [pid for pid in _all() if pid != os.getpid() and wanted in _environment(pid)]


def describe(pid: int) -> str:
    """The command line of a process, or a dash if it has ended."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
    except OSError:
        return "-"
    return " ".join(word.decode(errors="replace") for word in words).strip() or "-"


def end(mark: str, grace_s: float = 10.0) -> int:
    """Ask all marked processes to end, kill those that have not after `grace_s`; returns how many there were.

    Kills again until none is left, since a process may have forked between the look and the kill.
    """
    first = marked(mark)
    _signal_all(first, signal.SIGTERM)
    _wait_until(lambda: not marked(mark), grace_s)
    while left := marked(mark):
        _signal_all(left, signal.SIGKILL)
        time.sleep(0.1)
    return len(first)


@contextmanager
def signals_raise() -> Iterator[None]:
    """Within, SIGINT, SIGTERM and SIGHUP raise `Interrupted`, so that `finally` blocks run."""

    def stop(number: int, _frame: object) -> None:
        raise Interrupted(number)

    with _handled_by(stop):
        yield


@contextmanager
def signals_wait() -> Iterator[None]:
    """Within, the same signals do nothing: an impatient second Ctrl-C must not cut the clean-up short."""
    with _handled_by(signal.SIG_IGN):
        yield


@contextmanager
def _handled_by(handler: Callable | int) -> Iterator[None]:
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, previous in before.items():
            signal.signal(number, previous)


def _all() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdigit())


def _environment(pid: int) -> list[bytes]:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []


def _signal_all(pids: list[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def _wait_until(done: Callable[[], bool], limit_s: float) -> None:
    deadline = time.monotonic() + limit_s
    while not done() and time.monotonic() < deadline:
        time.sleep(0.2)
