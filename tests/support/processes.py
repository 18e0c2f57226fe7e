"""Runs in processes of their own, to be killed at a chosen moment or watched; and ports for servers."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from pathlib import Path

from windrow.pipelines.config import REPOSITORY, Config

PROGRAM = """
import sys
from datetime import date
from windrow.pipelines import config
from windrow.pipelines.runs.replay import replay_day
from windrow.schemas.errors import Superseded
try:
    replay_day(config.load(), sys.argv[1], date.fromisoformat(sys.argv[2]), run_id=sys.argv[3])
except Superseded as superseded:
    sys.exit(superseded.exit_code)
"""
PATIENCE_S = 240


def start(config: Config, query: str, day: date, run_id: str) -> subprocess.Popen:
    """Start a run, as `start_program` does."""
    return start_program(config, f"{run_id}-{day}", PROGRAM, query, str(day), run_id)


def start_program(config: Config, name: str, program: str, *arguments: str) -> subprocess.Popen:
    """Start a program of Python, as `start_python` does."""
    return start_python(config, name, "-c", program, *arguments)


def start_python(config: Config, name: str, *words: str, **variables: str) -> subprocess.Popen:
    """Start Python as the leader of a session of its own, so that all that it starts can be found. What it writes is in
    `<name>.log` of the home."""
    with open(config.home / f"{name}.log", "w") as log:
        return subprocess.Popen(
            [sys.executable, *words],
            env=environment(config) | variables,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=_heed_interrupts,
        )


def python(*words: object, **how) -> subprocess.CompletedProcess:
    """Run Python with these words, until it ends; what it printed is text. how: as `subprocess.run` takes it."""
    how = {"capture_output": True, "text": True, "timeout": PATIENCE_S} | how
    return subprocess.run([sys.executable, *map(str, words)], **how)


def environment(config: Config) -> dict[str, str]:
    """What a process needs to find this repository's code and the config's places."""
    return os.environ | {
        "WINDROW_HOME": str(config.home),
        "WINDROW_LANDING": str(config.landing),
        "PYTHONPATH": str(REPOSITORY),
    }


def _heed_interrupts() -> None:
    """Before Python starts: what a script starts in its background ignores SIGINT."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pause() -> None:
    """Long enough to leave the others a core, short enough to see what they do."""
    time.sleep(0.05)


def wait_until(holds: Callable[[], object], what: str, patience_s: float = PATIENCE_S) -> object:
    """Look every few milliseconds; a test that waits in vain fails and says for what."""
    until = time.monotonic() + patience_s
    while time.monotonic() < until:
        found = holds()
        if found:
            return found
        time.sleep(0.005)
    raise AssertionError(f"waited {patience_s} s in vain for {what}")


def has_traceback(text: str) -> bool:
    """Whether a command printed a traceback; not of an interrupt before its first line, which Python prints."""
    ended_by_python = text.rstrip().endswith("KeyboardInterrupt") and f"{REPOSITORY}/pipelines" not in text
    return "Traceback (most recent call last)" in text and not ended_by_python


def members(session: int) -> dict[int, str]:
    """Processes of a session that are alive, by id, with their command."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and _session_of(folder) == session:
            with suppress(OSError):  # it ended meanwhile
                found[int(folder.name)] = (folder / "comm").read_text().strip()
    return found


def _session_of(folder: Path) -> int | None:
    """None for a process that is over. While its other threads end, a killed one is a zombie that still holds locks."""
    try:
        state, _, _, session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
        over = state == "Z" and len(list((folder / "task").iterdir())) <= 1
    except OSError:
        return None
    return None if over else int(session)


def most_bytes(leader: subprocess.Popen) -> Counter[str]:
    """By command the most memory that a process of the session took, in bytes, looked at until the leader has ended;
    then the session is killed."""
    most: Counter[str] = Counter()
    try:
        while leader.poll() is None:
            for member, command in members(leader.pid).items():
                most[command] = max(most[command], _most_bytes(member))
            pause()
    finally:
        kill_all(leader.pid)
    return most


def _most_bytes(member: int) -> int:
    """Ever; 0 of a process that is over."""
    try:
        lines = Path(f"/proc/{member}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith("VmHWM")), 0)


def kill_all(session: int) -> None:
    """kill -9 for every process of a session, until none is left."""

    def none_left() -> bool:
        for member in members(session):
            _kill(member)
        return not members(session)

    wait_until(none_left, f"the end of session {session}")


def kill_jvm(session: int) -> None:
    """kill -9 for the JVM alone; its parent has to end by itself, with an error."""
    for member, command in members(session).items():
        if command == "java":
            _kill(member)


def stop_jvm_and_kill_python(session: int) -> None:
    """The JVM stands still, as if its next commit were slow; the Python that holds the locks is gone."""
    jvms = [member for member, command in members(session).items() if command == "java"]
    for jvm in jvms:
        os.kill(jvm, signal.SIGSTOP)
    for member in members(session):
        if member not in jvms:
            _kill(member)


def _kill(process: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def free_port() -> int:
    """One that no server has now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
