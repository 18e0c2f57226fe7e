"""Airflow's processes: each in a session of its own, all ended together.

`airflow standalone` is not used: it knows only SIGINT, and leaves its children behind on SIGTERM.
"""

import fcntl
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from processes import marked, modes, signals
from schemas.errors import NotSetUp
from stack import commands, rest, settings
from stack.places import AIRFLOW_ENVIRONMENT, REPOSITORY

PREFERRED_PORT, ANY_PORT = 8080, 0
READY_LIMIT_S = 180.0
AIRFLOW = str(AIRFLOW_ENVIRONMENT / "bin" / "airflow")
# --skip-serve-logs: the log servers would listen on all interfaces.
PARTS: dict[str, tuple[str, ...]] = {
    "api-server": (),
    "scheduler": ("--skip-serve-logs",),
    "dag-processor": (),
    "triggerer": ("--skip-serve-logs",),
}


@dataclass(frozen=True)
class Running:
    """An Airflow that answers: where, and how to log in."""

    home: Path
    port: int

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def client(self) -> rest.Client:
        """A REST client that is logged in."""
        return rest.Client(self.port, settings.USER, settings.password(self.home))


def running(home: Path) -> Running | None:
    """The Airflow of this home if it runs and answers."""
    path = _state_file(home)
    if not path.exists() or not marked.marked(settings.mark(home)):
        return None
    port = json.loads(path.read_text())["port"]
    return Running(home, port) if rest.healthy(port) else None


def start(home: Path, landing: Path | None = None, dags: Path = REPOSITORY / "dags") -> Running:
    """Start Airflow and wait until it takes work; ends what a crash left behind first.

    Raises NotSetUp, with the end of the log, when a part ends early. Interrupted, it leaves nothing behind.
    """
    stop(home)
    try:
        with free_port() as port, modes.others_kept_out():
            _start_parts(home, port, settings.airflow_environment(home, port, landing, dags))
    except BaseException:
        stop(home)
        raise
    return Running(home, port)


def stop(home: Path) -> int:
    """End every process of this home's Airflow and all that its tasks started; returns their number."""
    with signals.ignored():
        return marked.end(settings.mark(home))


@contextmanager
def free_port(preferred: int = PREFERRED_PORT) -> Iterator[int]:
    """The preferred port of the loopback interface, or any other that is free; nobody else gets it meanwhile.

    Without that two that start at once would both take the preferred one, since a server listens only seconds later:
    one of them fails, and takes the other's server for its own.
    """
    with open(Path(tempfile.gettempdir(), f"windrow-{os.getuid()}-port-{preferred}.lock"), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            preferred = ANY_PORT
        yield _bindable(preferred)


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


def logs(home: Path) -> Path:
    """Where the parts write their logs; the tasks' own logs lie alongside it."""
    return settings.airflow_home(home) / "logs" / "stack"


def _start_parts(home: Path, port: int, environment: dict[str, str]) -> None:
    if shutil.which(AIRFLOW) is None:
        raise NotSetUp(f"{AIRFLOW} is missing", "make setup")
    logs(home).mkdir(parents=True, exist_ok=True)
    _state_file(home).write_text(json.dumps({"port": port}))
    commands.run("migrate", [AIRFLOW, "db", "migrate"], "make setup", environment, logs(home))
    parts = {name: _start_part(name, words, home, environment) for name, words in PARTS.items()}
    deadline = time.monotonic() + READY_LIMIT_S
    while not (rest.healthy(port) and rest.components_healthy(port)):
        _check_alive(home, parts, time.monotonic() > deadline)
        time.sleep(0.5)


def _start_part(name: str, words: tuple[str, ...], home: Path, environment: dict) -> subprocess.Popen:
    with open(logs(home) / f"{name}.log", "wb") as log:
        return subprocess.Popen(
            [AIRFLOW, name, *words],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=settings.airflow_home(home),
        )


def _check_alive(home: Path, parts: dict[str, subprocess.Popen], too_late: bool) -> None:
    ended = [name for name, part in parts.items() if part.poll() is not None]
    if not ended and not too_late:
        return
    name = ended[0] if ended else "scheduler"
    late = f"was not ready within {READY_LIMIT_S:.0f} s"
    what = f"ended with code {parts[name].returncode}" if ended else late
    log = logs(home) / f"{name}.log"
    missing = f"Airflow's {name} {what}; the end of {log}:\n{commands.last_lines(log)}\n"
    raise NotSetUp(missing, "make doctor")


def _state_file(home: Path) -> Path:
    return settings.airflow_home(home) / "stack.json"
