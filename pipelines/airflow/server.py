"""Airflow as a whole: started, completed where a component has died, ended with all that its tasks started; and what is
wrong with it.

`airflow standalone` is not used: it knows only SIGINT, and leaves its children behind on SIGTERM.
"""

import fcntl
import os
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from windrow.pipelines import logged
from windrow.pipelines.airflow import (
    Running,
    alive,
    components,
    environment,
    home_of,
    mark,
    ports,
    rest,
    running,
    settings,
)
from windrow.pipelines.airflow.components import WATCHER, dead, log
from windrow.pipelines.location import Location, typed
from windrow.processes import marked, modes, signals
from windrow.schemas.errors import NotSetUp

PREFERRED_PORT, ANY_PORT = 8080, 0
READY_LIMIT_S = 180.0
SHOWN = 5


def start(home: Path, landing: "Location | None" = None, dags: Path | None = None) -> Running:
    """Start Airflow and wait until it takes work; ends what a crash left behind first.

    Raises NotSetUp, with the end of the log, when a component ends early. Interrupted, it leaves nothing behind.
    """
    stop(home)
    try:
        with free_port() as port, modes.others_kept_out():
            started = Running(home, port)
            _start_all(started, settings.airflow_environment(home, port, landing, dags))
    except BaseException:
        stop(home)
        raise
    return started


def complete(found: Running) -> list[str]:
    """Start the components that have died, with the environment of those that live, and wait until Airflow takes work;
    returns their names. What lives goes on, however slow it is: ended, it would take its tasks with it.

    Raises NotSetUp when a component ends again, or doesn't answer within READY_LIMIT_S; ends nothing then either.
    """
    with components.one_at_a_time(found.home), modes.others_kept_out():
        living = list(alive(found.home).values())
        died = dead(found.home) if living else []
        for name in died:
            components.start(found.home, name, environment(living[0]))
    _wait_until_ready(found)
    return died


def stop(home: Path) -> int:
    """End every process of this home's Airflow and all that its tasks started; returns their number."""
    with signals.ignored():
        return marked.end(mark(home))


def others(home: Path) -> list[Running]:
    """The Airflows of this user's other homes."""
    found = {(home_of(other), port) for other, port in ports() if other != mark(home)}
    return sorted(Running(other, port) for other, port in found if other is not None)


@contextmanager
def free_port(preferred: int = PREFERRED_PORT) -> Iterator[int]:
    """The preferred port of the loopback interface, or any other that is free; no other process gets it meanwhile.

    Without that two that start at once would both take the preferred one, since a server listens only seconds later:
    one of them fails, and takes the other's server for its own. So would one that starts while the other's server,
    which has ended, is about to be started again: a port that a living Airflow was given is not free.
    """
    with open(Path(tempfile.gettempdir(), f"windrow-{os.getuid()}-port-{preferred}.lock"), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            preferred = ANY_PORT
        yield _bindable(ANY_PORT if preferred in {port for _, port in ports()} else preferred)


def _bindable(preferred: int) -> int:
    for port in (preferred, ANY_PORT):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return probe.getsockname()[1]
    raise NotSetUp("no port of 127.0.0.1 is free", "ss -ltn   # shows who holds them")


def _start_all(starting: Running, given: dict[str, str]) -> None:
    home = starting.home
    components.logs(home).mkdir(parents=True, exist_ok=True)
    logged.run(
        "migrate", [settings.airflow(), "db", "migrate"], settings.fix_of_database(), given, components.logs(home)
    )
    with components.one_at_a_time(home):
        for name in components.ALL:
            log(home, name).write_bytes(b"")
        for name in components.OF_AIRFLOW:
            components.start(home, name, given)
    _wait_until_ready(starting)
    starting.client().make_pool(settings.POOL, settings.tasks_at_once())
    # Last: what ends while Airflow starts is a reason not to start, not one to try again.
    with components.one_at_a_time(home):
        if WATCHER in dead(home):  # else another process completed this Airflow meanwhile
            components.start(home, WATCHER, given)


def _wait_until_ready(starting: Running) -> None:
    deadline = time.monotonic() + READY_LIMIT_S
    while not rest.healthy(starting.port) or rest.silent(starting.port):
        if died := [name for name in dead(starting.home) if name != WATCHER]:
            raise _not_ready(starting.home, died[0], "ended")
        if time.monotonic() > deadline:
            late = (rest.silent(starting.port) or ["api-server"])[0]
            raise _not_ready(starting.home, late, f"was not ready within {READY_LIMIT_S:.0f} s")
        time.sleep(0.5)


def _not_ready(home: Path, name: str, what: str) -> NotSetUp:
    end = logged.last_lines(log(home, name))
    return NotSetUp(f"Airflow's {name} {what}; the end of {log(home, name)}:\n{end}\n", typed("doctor"))


def condition(home: Path) -> tuple[str, str]:
    """What is wrong, component by component, and what fixes it; both empty where all is well, or no Airflow runs."""
    found = running(home)
    if found is None:
        left = marked.marked(mark(home))
        listed = "; ".join(f"{pid} {marked.describe(pid)[:60]}" for pid in left[:SHOWN])
        return (f"{len(left)} run, but no component of Airflow: {listed}", typed("down")) if left else ("", "")
    if died := dead(home):
        return "; ".join(_died(home, name) for name in died), typed("up")
    living = alive(home)
    silent = rest.silent(found.port) if rest.healthy(found.port) else ["api-server"]
    if wrong := [f"the {name} runs (process {living.get(name, '?')}), but does not answer" for name in silent]:
        return "; ".join(wrong), f"{typed('down')} && {typed('up')}   # or wait, where the machine is only busy"
    return "", ""


def _died(home: Path, name: str) -> str:
    if name == WATCHER:
        return "the watcher has ended: what dies of Airflow is not started again"
    return f"the {name} has ended; the watcher starts it again {components.LIMIT} ({log(home, name)})"
