"""What /proc says of a process, and signals to processes that may have ended meanwhile."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Status(NamedTuple):
    """A process's state ("Z": a zombie), its parent and its session."""

    state: str
    parent: int
    session: int


def all_processes() -> Iterator[int]:
    """Every process id of the machine."""
    return (int(name) for name in os.listdir(_PROC) if name.isdigit())


def status(process: int) -> Status | None:
    """None for a process that has ended."""
    try:
        # After the command's name, which may hold spaces: state, parent, group, session.
        state, parent, _, session = _read(process, "stat").rpartition(b")")[2].split()[:4]
    except OSError:
        return None
    return Status(state.decode(), int(parent), int(session))


def command_line(process: int) -> list[bytes]:
    """The words of its command; none where it has ended, or is about to: its memory goes first."""
    return _words(process, "cmdline")


def environment(process: int) -> list[bytes]:
    """NAME=value; none where it has ended, or belongs to another user."""
    return _words(process, "environ")


def send(processes: Iterable[int], signal: int) -> None:
    """Send a signal to those of the processes that are still there."""
    for process in processes:
        try:
            os.kill(process, signal)
        except ProcessLookupError:
            continue


def parents() -> dict[int, int]:
    """The parent of every process of the machine."""
    return {process: found.parent for process in all_processes() if (found := status(process))}


def processor_s(process: int, with_ended_children: bool) -> float:
    """Processor seconds so far; 0 of a process that has ended."""
    try:
        fields = _read(process, "stat").rpartition(b")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11 : 15 if with_ended_children else 13])) / _TICKS_PER_S


def _words(process: int, file: str) -> list[bytes]:
    try:
        return _read(process, file).split(b"\0")
    except OSError:
        return []


def _read(process: int, file: str) -> bytes:
    return (_PROC / str(process) / file).read_bytes()
