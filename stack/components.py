"""Airflow's four components and the process that watches them: to start one, and to find those that live.

Each runs in a session of its own. Its environment holds its name and its process number, which whatever it starts
inherits: the component lives while the process of that number does, and what a dead one left running is found too.
No file of process ids: such a file may be stale, and name somebody else's process.
"""

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from processes import marked, proc
from stack import settings
from stack.places import AIRFLOW_ENVIRONMENT

AIRFLOW = str(AIRFLOW_ENVIRONMENT / "bin" / "airflow")
WATCHER = "watcher"
# In the order of their start. --skip-serve-logs: the log servers would listen on all interfaces.
COMMANDS: dict[str, tuple[str, ...]] = {
    "api-server": (AIRFLOW, "api-server"),
    "scheduler": (AIRFLOW, "scheduler", "--skip-serve-logs"),
    "dag-processor": (AIRFLOW, "dag-processor"),
    "triggerer": (AIRFLOW, "triggerer", "--skip-serve-logs"),
    WATCHER: (sys.executable, "-m", "stack", "watch"),
}
OF_AIRFLOW = tuple(name for name in COMMANDS if name != WATCHER)
_PART = "WINDROW_STACK_PART"
# The number is known only to the process itself, and stays the same when it becomes the component.
_NUMBERED = f'export {_PART}="$0 $$"; exec "$@"'
_BEGUN_LIMIT_S, _GRACE_S = 10.0, 5.0


def alive(home: Path) -> dict[str, int]:
    """The process number of each component of this home that lives."""
    return {name: int(number) for pid, name, number in _parts(home) if number == str(pid)}


def environment(process: int) -> dict[str, str]:
    """A living component's environment: one that is started again must get the same."""
    pairs = (os.fsdecode(pair).partition("=") for pair in proc.environment(process) if pair)
    return {name: value for name, _, value in pairs if name != _PART}


def log(home: Path, name: str) -> Path:
    """Where a component writes what it has to report."""
    return logs(home) / f"{name}.log"


def logs(home: Path) -> Path:
    """Where the components write their logs; the tasks' own logs lie alongside it."""
    return settings.airflow_home(home) / "logs" / "stack"


def start(home: Path, name: str, given: Mapping[str, str]) -> subprocess.Popen:
    """Start a component with that environment, after the end of what a dead one left; returns once it is found."""
    _end_left_by_dead(home, name)
    with open(log(home, name), "ab") as output:
        started = subprocess.Popen(
            ["sh", "-c", _NUMBERED, name, *COMMANDS[name]],
            env={**given},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=settings.airflow_home(home),
        )
    deadline = time.monotonic() + _BEGUN_LIMIT_S
    while name not in alive(home) and started.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    return started


@contextmanager
def one_at_a_time(home: Path) -> Iterator[None]:
    """Nobody else starts components of this home meanwhile: `make up` and the watcher would both start a dead one."""
    with open(settings.airflow_home(home) / "components.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _end_left_by_dead(home: Path, name: str) -> None:
    """A dead scheduler's tasks would go on next to their next try; an api-server's worker holds its port."""
    marked.end_all(lambda: _left_by_dead(home, name), _GRACE_S)


def _left_by_dead(home: Path, name: str) -> list[int]:
    found = list(_parts(home))
    living = {number for pid, _, number in found if number == str(pid)}
    return [pid for pid, of, number in found if of == name and number not in living]


def _parts(home: Path) -> Iterator[tuple[int, str, str]]:
    """Each process of this home's Airflow, with the name and the process number of the component that it is of."""
    for pid in marked.marked(settings.mark(home)):
        for pair in proc.environment(pid):
            variable, _, value = os.fsdecode(pair).partition("=")
            if variable == _PART:
                name, _, number = value.rpartition(" ")
                yield pid, name, number
