"""Airflow's four components, and the watcher: a process next to them that starts again what has died, up to a limit.

Each runs in a session of its own, with its name and process number in its environment (pipelines/airflow). The watcher
carries the mark of its Airflow too, so that `windrow down` ends it with all others. Killed, it leaves Airflow as it is:
`windrow doctor` reports it, and `windrow up` starts another.
"""

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from windrow.pipelines import config
from windrow.pipelines.airflow import PART, airflow_home, alive, environment, parts, settings
from windrow.pipelines.logged import say
from windrow.processes import children, marked, signals

WATCHER = "watcher"
# In the order of their start. --skip-serve-logs: the log servers would listen on all interfaces.
OF_AIRFLOW: dict[str, tuple[str, ...]] = {
    "api-server": (),
    "scheduler": ("--skip-serve-logs",),
    "dag-processor": (),
    "triggerer": ("--skip-serve-logs",),
}
ALL = (*OF_AIRFLOW, WATCHER)
# The number is known only to the process itself, and stays the same when it becomes the component.
_NUMBERED = f'export {PART}="$0 $$"; exec "$@"'
_BEGUN_LIMIT_S, _GRACE_S, _LOOK_EVERY_S = 10.0, 5.0, 5.0
# A component that dies at once, such as one whose database is gone, would be started all the time.
MOST, WITHIN_S = 3, 600.0
LIMIT = f"at most {MOST} times within {WITHIN_S / 60:.0f} minutes"


def dead(home: Path) -> list[str]:
    """The components that don't live."""
    living = alive(home)
    return [name for name in ALL if name not in living]


def log(home: Path, name: str) -> Path:
    """Where a component writes what it has to report."""
    return logs(home) / f"{name}.log"


def logs(home: Path) -> Path:
    """Where the components write their logs; the tasks' own logs lie alongside it."""
    return airflow_home(home) / "logs" / "stack"


def start(home: Path, name: str, given: Mapping[str, str]) -> subprocess.Popen:
    """Start a component with that environment, after the end of what a dead one left (its tasks would go on next to
    their next try, a server's worker holds its port); returns once it is found."""
    marked.end_all(lambda: _left_by_dead(home, name), _GRACE_S)
    with open(log(home, name), "ab") as output:
        started = subprocess.Popen(
            ["sh", "-c", _NUMBERED, name, *_command(name)],
            env={**given},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=airflow_home(home),
        )
    children.leave_running(started.pid)
    deadline = time.monotonic() + _BEGUN_LIMIT_S
    while name not in alive(home) and started.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    return started


def _command(name: str) -> list[str]:
    if name == WATCHER:
        return [sys.executable, "-m", "windrow.pipelines.airflow.components"]
    return [settings.airflow(), name, *OF_AIRFLOW[name]]


@contextmanager
def one_at_a_time(home: Path) -> Iterator[None]:
    """No other process starts components of this home meanwhile: `windrow up` and the watcher would both start one."""
    with open(airflow_home(home) / "components.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _left_by_dead(home: Path, name: str) -> list[int]:
    found = list(parts(home))
    living = {number for pid, _, number in found if number == str(pid)}
    return [pid for pid, of, number in found if of == name and number not in living]


def watch(home: Path) -> None:
    """Look again and again; ends with a signal."""
    watcher = Watcher(home)
    mine: list[subprocess.Popen] = []
    while True:
        # What ended among those that are children of this process must be waited for, or it stays a zombie.
        mine = [each for each in mine if each.poll() is None]
        mine += watcher.look(time.time())
        time.sleep(_LOOK_EVERY_S)


class Watcher:
    """Knows when it started which component again, in seconds."""

    def __init__(self, home: Path):
        self.home = home
        self.starts: dict[str, list[float]] = {name: [] for name in OF_AIRFLOW}

    def look(self, now_s: float) -> list[subprocess.Popen]:
        """Start again what has died, as often as the limit allows; returns what was started."""
        with one_at_a_time(self.home):
            died = [name for name in dead(self.home) if name != WATCHER]
            return [self._start(name, now_s) for name in died if self._may_start(name, now_s)]

    def _may_start(self, name: str, now_s: float) -> bool:
        self.starts[name] = [start for start in self.starts[name] if now_s - start < WITHIN_S]
        return len(self.starts[name]) < MOST

    def _start(self, name: str, now_s: float) -> subprocess.Popen:
        self.starts[name].append(now_s)
        now, number = f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC", len(self.starts[name])
        say(f"{now}  the {name} had ended and is started again, the {number}. time; {LIMIT}")
        say(f"  {log(self.home, name)} has what it wrote before")
        return start(self.home, name, environment(os.getpid()))


if __name__ == "__main__":
    signals.raise_on_signals()
    with suppress(signals.Stopped):
        watch(config.load().here)
