"""The watcher: a process next to Airflow's four components that starts again what has died, up to a limit.

It carries the mark of its Airflow, so that `make down` ends it with all others. Killed, it leaves Airflow as it is:
`make doctor` reports it, and `make up` starts another.
"""

import os
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

from stack import components, restarts
from stack.places import say

LOOK_EVERY_S = 5.0


def run(home: Path) -> None:
    """Look again and again; ends with a signal."""
    mine: list[subprocess.Popen] = []
    while True:
        # What ended among those that are children of this process must be waited for, or it stays a zombie.
        mine = [each for each in mine if each.poll() is None]
        mine += look(home, time.time())
        time.sleep(LOOK_EVERY_S)


def look(home: Path, now_s: float) -> list[subprocess.Popen]:
    """Start again what has died and was not given up; returns what was started."""
    with components.one_at_a_time(home):
        alive = components.alive(home)
        dead = [name for name in components.OF_AIRFLOW if name not in alive]
        if not dead:
            return []
        return [started for name in dead if (started := _start_again(home, name, now_s))]


def _start_again(home: Path, name: str, now_s: float) -> subprocess.Popen | None:
    known = restarts.read(home)
    given_up_before = name in known.given_up
    may = known.may_start(name, now_s)
    restarts.write(home, known)
    if may:
        _report(f"the {name} had ended and is started again; {components.log(home, name)} has what it wrote before")
        return components.start(home, name, components.environment(os.getpid()))
    if not given_up_before:
        _report(f"the {name} ended again after {restarts.LIMIT}: it stays so until make up")
    return None


def _report(line: str) -> None:
    say(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC  {line}")
