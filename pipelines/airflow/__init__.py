"""The Airflow that runs over a home: found by the environment of its processes, and asked through its REST API.

A component's environment holds its name and its process number, which whatever it starts inherits: the component lives
while the process of that number does, and what a dead one left running is found too. No file of process ids: such a
file may be stale, and name another user's process.

server.py        all of it: started, completed where a component has died, ended; what is wrong with it
components.py    its four components and their watcher        settings.py     its environment, with its database
credentials.py   its secrets                                  rest.py         what its REST API is asked

No supervisor and no honcho: they end what they started when they end, or know it no more: `windrow up` couldn't start
a dead scheduler next to living ones, whose tasks go on; and neither ends what a dead component's tasks left.
apache-airflow-client would replace one function of rest.py.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from windrow.pipelines import location
from windrow.pipelines.airflow import rest
from windrow.processes import marked, proc
from windrow.schemas.errors import NotSetUp

USER = "admin"
PORT, PART = "AIRFLOW__API__PORT", "WINDROW_STACK_PART"
_MARKED = "airflow "


@dataclass(frozen=True, order=True)
class Running:
    """An Airflow of which at least one component lives: where, and how to log in."""

    home: Path
    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """That of its components, and so of its tasks."""
        return environment(next(iter(alive(self.home).values())))

    def client(self) -> rest.Client:
        """A REST client that is logged in. NotSetUp where the password is lost."""
        file = password_file(airflow_home(self.home))
        if not file.exists() or (password := read_password(file.read_text(errors="replace"))) is None:
            raise NotSetUp(f"{file} holds no password of {USER}", f"{location.typed('up')}   # makes another")
        return rest.Client(self.port, USER, password)


def running(home: Path) -> Running | None:
    """The Airflow of this home, also one that answers slowly or has lost components; None where no component lives."""
    ports = (environment(process).get(PORT) for process in alive(home).values())
    return next((Running(home, int(port)) for port in ports if port), None)


def ports() -> set[tuple[str, int]]:
    """The mark and the port of each Airflow of this user that has a process."""
    given = (environment(process) for process in proc.all_processes())
    found = ((each.get(marked.MARK, ""), each.get(PORT, "")) for each in given)
    return {(mark, int(port)) for mark, port in found if port.isdigit()}


def alive(home: Path) -> dict[str, int]:
    """The process number of each component of this home that lives."""
    return {name: int(number) for pid, name, number in parts(home) if number == str(pid)}


def parts(home: Path) -> Iterator[tuple[int, str, str]]:
    """Each process of this home's Airflow, with the name and the process number of the component that it is of."""
    for pid in marked.marked(mark(home)):
        name, _, number = _variables(pid).get(PART, "").rpartition(" ")
        if name:
            yield pid, name, number


def environment(process: int) -> dict[str, str]:
    """A living component's environment: one that is started again must get the same."""
    return {name: value for name, value in _variables(process).items() if name != PART}


def _variables(process: int) -> dict[str, str]:
    pairs = (os.fsdecode(pair).partition("=") for pair in proc.environment(process) if pair)
    return {name: value for name, _, value in pairs}


def airflow_home(home: Path) -> Path:
    """Airflow's folder under a WINDROW_HOME."""
    return home / "airflow"


def mark(home: Path) -> str:
    """The mark of every process of the Airflow of this home (processes/marked.py)."""
    return f"{_MARKED}{airflow_home(home).resolve()}"


def home_of(mark: str) -> Path | None:
    """The home whose Airflow has that mark; None for another mark."""
    return Path(mark.removeprefix(_MARKED)).parent if mark.startswith(_MARKED) else None


def password_file(folder: Path) -> Path:
    """Airflow's own format: a JSON object with a password for each user."""
    return folder / "passwords.json"


def read_password(text: str) -> str | None:
    """The login's password; None where such a file is empty or damaged."""
    try:
        found = json.loads(text).get(USER)
    except (ValueError, AttributeError):
        return None
    return found if isinstance(found, str) and found.strip() else None
