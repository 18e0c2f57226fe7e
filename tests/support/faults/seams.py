"""Where the code meets the file system, the clock and chance: there a process of a world (world.py) is asked first.
Threads that are none of a world pass through, and so does what lies outside of its home.
"""

import builtins
import fcntl
import io
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import wraps
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from tests.support.faults.world import LOOK, READ, WRITE, Process, World
from windrow.pipelines import storage
from windrow.pipelines.delta import locks, log, new_files
from windrow.pipelines.delta.locks.file_locks import FileLock
from windrow.pipelines.ledger import promises, run_table, running, verdicts

_OS = {
    READ: ("listdir", "scandir"),
    WRITE: ("mkdir", "rmdir", "unlink", "rename", "replace", "link", "fsync", "ftruncate", "pwrite", "open"),
}
_REAL_OPEN = open
current: list[World] = []
"""The world that there is, if there is one."""


def process() -> Process | None:
    """That of this thread."""
    return current[0].by_thread.get(threading.get_ident()) if current else None


def call(kind: str, name: str, place: object, effect: Callable[[], Any]) -> Any:
    """An effect, as the world lets it be."""
    here = process()
    return effect() if here is None else here.call(kind, name, place, effect)


def _asked(kind: str, name: str, real: Callable) -> Callable:
    @wraps(real)
    def asked(*given: Any, **named: Any) -> Any:
        here = process()
        if here is None or not _is_of(here.world, given[0] if given else "."):
            return real(*given, **named)
        return here.call(kind, name, given[0], lambda: real(*given, **named))

    return asked


def _is_of(world: World, place: object) -> bool:
    return isinstance(place, int) or os.fspath(place).startswith(world.home)  # type: ignore[call-overload]


def _open(file: Any, mode: str = "r", *given: Any, **named: Any) -> Any:
    here = process()
    if here is None or isinstance(file, int) or not _is_of(here.world, file):
        return _REAL_OPEN(file, mode, *given, **named)
    kind = READ if mode in ("r", "rb") else WRITE
    opened = here.call(kind, f"open {mode}", file, lambda: _REAL_OPEN(file, mode, *given, **named))
    here.files.append(opened)
    return opened


def _flock(file: Any, how: int) -> None:
    here = process()
    if here is None:
        return fcntl.flock(file, how)
    return here.call(LOOK, "lock", file.name, lambda: fcntl.flock(file, how))


def _unlocked(real: Callable) -> Callable:
    def close(lock: FileLock) -> None:
        real(lock)
        if here := process():
            here.world.wake_all()

    return close


def _sleep(seconds: float) -> None:
    here = process()
    time.sleep(seconds) if here is None else here.wait()


def _monotonic() -> float:
    here = process()
    return time.monotonic() if here is None else here.world.clock.timestamp()


class _Clock(datetime):
    @classmethod
    def now(cls, tz: Any = None) -> datetime:
        return current[0].now() if process() else datetime.now(tz)


def new_name() -> str:
    """That no other file or commit has."""
    return current[0].new_name() if process() else uuid.uuid4().hex


def now_ms() -> int:
    """Since the epoch."""
    return int(_Clock.now(UTC).timestamp() * 1000)


def _parquet(kind: str, real: Callable) -> Callable:
    return lambda place, *given, **named: call(kind, real.__name__, place, lambda: real(place, *given, **named))


@contextmanager
def watched() -> Iterator[None]:
    """From here on worlds are asked."""
    with ExitStack() as patches:

        def put(module: Any, **named: Any) -> None:
            patches.enter_context(patch.multiple(module, **named))

        put(os, **{name: _asked(kind, name, getattr(os, name)) for kind, names in _OS.items() for name in names})
        put(builtins, open=_open)
        put(io, open=_open)
        put(locks.file_locks, fcntl=SimpleNamespace(**vars(fcntl) | {"flock": _flock}))
        put(FileLock, close=_unlocked(FileLock.close))
        put(locks, time=SimpleNamespace(sleep=_sleep, monotonic=_monotonic))
        put(storage, new_parquet=_parquet(WRITE, storage.new_parquet), parquet=_parquet(READ, storage.parquet))
        for module in (run_table, verdicts, promises):
            put(module, datetime=_Clock)
        for module in (run_table, running, log, new_files):
            put(module, uuid4=lambda: uuid.UUID(new_name()))
        yield
