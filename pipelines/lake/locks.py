"""Locks of the operating system: one per table, one per stream's ingest, one per query's publication.

On a local file system two processes that commit at the same moment can both learn "committed" while one commit is lost
(measured: 1 of 36,000).
"""

import fcntl
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pipelines.config import MOST_WAIT, Config
from pipelines.lake import lock_holder
from pipelines.lake.log_files import LOG
from processes import orphan_jvms
from schemas.errors import LockHeld, StorageFailed

# Who waits longer reports for whom; looks are as far apart as a commit of delta-rs takes.
_SILENT_S, _LOOK_EVERY_S = 3.0, 0.02
_log = logging.getLogger(__name__)

_FULL_DISK = (
    "no space left on device",
    "file too large",
    "disk quota exceeded",
    "os error 28",
    "os error 27",
    "failed to offload data block",
)


@contextmanager
def locked(config: Config, name: str, shared: bool = False) -> Iterator[None]:
    """Hold the operating-system lock of that name, alone or with all who hold it `shared`; waits for whoever has it.
    A killed process lets go of it, and what it left running is ended before the lock counts as taken.

    LockHeld where it is not free within `config.most_wait_s`.
    """
    path = config.locks / f"{name}.lock"
    with full_disk_reported(config, path.name):
        config.locks.mkdir(parents=True, exist_ok=True)
        path.touch()
    with open(path, "r+") as file:
        _wait_for(file, path, config.most_wait_s, shared)
        lock_holder.write(file, shared)
        with full_disk_reported(config, path.name):
            _end_orphan_jvms(config)
        yield


def _wait_for(file: IO, path: Path, most_s: int, shared: bool) -> None:
    began, reported = time.monotonic(), False
    while not _taken(file, shared):
        waited_s = time.monotonic() - began
        if waited_s >= most_s:
            raise LockHeld(path.stem, lock_holder.read(path), most_s, MOST_WAIT)
        if waited_s >= _SILENT_S and not reported:
            _log.warning(
                "waiting for the lock %r: held by %s", path.stem, lock_holder.read(path) or "an unknown process"
            )
            reported = True
        time.sleep(_LOOK_EVERY_S)


def _taken(file: IO, shared: bool) -> bool:
    try:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _end_orphan_jvms(config: Config) -> None:
    try:
        orphan_jvms.end_all(config.spark)
    except orphan_jvms.CannotEnd as error:
        raise StorageFailed(str(error)) from error


def require_rights(config: Config, table: str) -> None:
    """StorageFailed unless this user may write to the table. Asked before: where delta-rs may not open a file that it
    has to write, it panics in a thread of its own, whose text reaches the user's terminal first."""
    for folder in (config.lake / table, config.lake / table / LOG):
        if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK, effective_ids=True):
            raise StorageFailed(
                f"table {table!r} can't be written: this user has no right to write to {folder}. Nothing was written; "
                "give it the right and run the same command again, or let WINDROW_HOME name a lake of its own"
            )


@contextmanager
def full_disk_reported(config: Config, name: str) -> Iterator[None]:
    """Turn a full disk, as Python, Rust and Java each report it, into StorageFailed."""
    try:
        yield
    except StorageFailed:
        raise
    except Exception as error:
        text = str(error)
        if not any(sign in text.lower() for sign in _FULL_DISK):
            raise
        raise StorageFailed(
            f"no space to write {name!r} below {config.home}: the disk is full, or a quota or file-size limit is "
            "reached. Nothing of this write was published; free some space and run the same command again"
        ) from error
