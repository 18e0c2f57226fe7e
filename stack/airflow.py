"""Airflow as a whole: started, completed where a component has died, and ended with all that its tasks started.

`airflow standalone` is not used: it knows only SIGINT, and leaves its children behind on SIGTERM.
"""

import fcntl
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from pipelines.config import LANDING
from pipelines.location import Location
from processes import marked, modes, proc, signals
from schemas.errors import NotSetUp
from stack import commands, components, database, rest, restarts, settings
from stack.components import AIRFLOW
from stack.places import REPOSITORY

PREFERRED_PORT, ANY_PORT = 8080, 0
READY_LIMIT_S = 180.0


@dataclass(frozen=True, order=True)
class Running:
    """An Airflow of which at least one component lives: where, and how to log in."""

    home: Path
    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def landing(self) -> str:
        """The landing folder that its tasks take."""
        return self.environment.get(LANDING, str(self.home / "landing"))

    @property
    def environment(self) -> dict[str, str]:
        """That of its components, and so of its tasks."""
        return components.environment(next(iter(components.alive(self.home).values())))

    def client(self) -> rest.Client:
        """A REST client that is logged in."""
        return rest.Client(self.port, settings.USER, settings.password(self.home))

    def dead(self) -> list[str]:
        """The components that don't live."""
        alive = components.alive(self.home)
        return [name for name in components.COMMANDS if name not in alive]


def running(home: Path) -> Running | None:
    """The Airflow of this home, also one that answers slowly or has lost components; None where no component lives."""
    for process in components.alive(home).values():
        if port := components.environment(process).get(settings.PORT):
            return Running(home, int(port))
    return None


def start(home: Path, landing: "Location | None" = None, dags: Path = REPOSITORY / "dags") -> Running:
    """Start Airflow and wait until it takes work; ends what a crash left behind first.

    Raises NotSetUp, with the end of the log, when a component ends early. Interrupted, it leaves nothing behind.
    """
    stop(home)
    try:
        with free_port() as port, modes.others_kept_out():
            _start_all(Running(home, port), settings.airflow_environment(home, port, landing, dags))
    except BaseException:
        stop(home)
        raise
    return Running(home, port)


def complete(found: Running) -> list[str]:
    """Start the components that have died, with the environment of those that live, and wait until Airflow takes work;
    returns their names. What lives goes on, however slow it is: ended, it would take its tasks with it.

    Raises NotSetUp when a component ends again, or doesn't answer within READY_LIMIT_S; ends nothing then either.
    """
    with components.one_at_a_time(found.home), modes.others_kept_out():
        living = list(components.alive(found.home).values())
        given = components.environment(living[0]) if living else {}
        dead = found.dead() if given else []
        for name in dead:
            components.start(found.home, name, given)
        restarts.forget(found.home)
    _wait_until_ready(found)
    return dead


def stop(home: Path) -> int:
    """End every process of this home's Airflow and all that its tasks started; returns their number."""
    with signals.ignored():
        return marked.end(settings.mark(home))


def others(home: Path) -> list[Running]:
    """The Airflows of this user's other homes."""
    found = {(settings.home_of(mark), port) for mark, port in _given() if mark != settings.mark(home)}
    return sorted(Running(other, port) for other, port in found if other is not None)


def holder(port: int, known: list[Running]) -> str | None:
    """Who holds a port, as far as this user can see; None where it is free."""
    if at := [each for each in known if each.port == port]:
        return f"the Airflow of {at[0].home}"
    with socket.socket() as probe:
        answers = probe.connect_ex(("127.0.0.1", port)) == 0
    return f"another program, or another user's Airflow (ss -ltnp 'sport = :{port}' shows it)" if answers else None


@contextmanager
def free_port(preferred: int = PREFERRED_PORT) -> Iterator[int]:
    """The preferred port of the loopback interface, or any other that is free; nobody else gets it meanwhile.

    Without that two that start at once would both take the preferred one, since a server listens only seconds later:
    one of them fails, and takes the other's server for its own. So would one that starts while the other's server,
    which has ended, is about to be started again: a port that a living Airflow was given is not free.
    """
    with open(Path(tempfile.gettempdir(), f"windrow-{os.getuid()}-port-{preferred}.lock"), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            preferred = ANY_PORT
        yield _bindable(ANY_PORT if preferred in _given_ports() else preferred)


def _given_ports() -> set[int]:
    """Those in the environment of some process of this user."""
    return {port for _, port in _given()}


def _given() -> set[tuple[str, int]]:
    """The mark and the port of each Airflow of this user that has a process."""
    found = (components.environment(process) for process in proc.all_processes())
    ports = ((each.get(marked.MARK, ""), each.get(settings.PORT, "")) for each in found)
    return {(mark, int(port)) for mark, port in ports if port.isdigit()}


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


def _start_all(starting: Running, environment: dict[str, str]) -> None:
    home = starting.home
    if shutil.which(AIRFLOW) is None:
        raise NotSetUp(f"{AIRFLOW} is missing", "make setup")
    components.logs(home).mkdir(parents=True, exist_ok=True)
    commands.run("migrate", [AIRFLOW, "db", "migrate"], database.fix(), environment, components.logs(home))
    restarts.forget(home)
    with components.one_at_a_time(home):
        for name in components.COMMANDS:
            components.log(home, name).write_bytes(b"")
        for name in components.OF_AIRFLOW:
            components.start(home, name, environment)
    _wait_until_ready(starting)
    # Last: what ends while Airflow starts is a reason not to start, not one to try again.
    components.start(home, components.WATCHER, environment)


def _wait_until_ready(starting: Running) -> None:
    deadline = time.monotonic() + READY_LIMIT_S
    while not rest.healthy(starting.port) or rest.silent(starting.port):
        if dead := [name for name in starting.dead() if name != components.WATCHER]:
            raise _not_ready(starting.home, dead[0], "ended")
        if time.monotonic() > deadline:
            late = (rest.silent(starting.port) or ["api-server"])[0]
            raise _not_ready(starting.home, late, f"was not ready within {READY_LIMIT_S:.0f} s")
        time.sleep(0.5)


def _not_ready(home: Path, name: str, what: str) -> NotSetUp:
    log = components.log(home, name)
    return NotSetUp(f"Airflow's {name} {what}; the end of {log}:\n{commands.last_lines(log)}\n", "make doctor")
