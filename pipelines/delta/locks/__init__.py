"""Locks: one per table, one per stream's ingest, one per query's publication. Of the operating system for a lake in a
folder (file_locks.py); of a server that all machines see for one elsewhere (postgresql_locks.py).
"""

import logging
import os
import re
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from windrow.pipelines.config import LOCKS, MOST_WAIT, Config
from windrow.pipelines.delta.locks.file_locks import FileLock
from windrow.pipelines.delta.log import LOG
from windrow.pipelines.location import is_local
from windrow.schemas.errors import LockHeld, NotSetUp, StorageFailed

if TYPE_CHECKING:
    from windrow.pipelines.delta.locks.postgresql_locks import PostgresqlLock

Lock: TypeAlias = "FileLock | PostgresqlLock"
# A process that waits longer reports the holder; looks are as far apart as a commit of delta-rs takes.
_SILENT_S, _LOOK_EVERY_S = 3.0, 0.02
_log = logging.getLogger(__name__)

_FULL_DISK = re.compile(
    "no space left on device|file too large|disk quota exceeded|os error 2[78]|failed to offload data block", re.I
)


@contextmanager
def locked(config: Config, name: str, shared: bool = False, here: bool = False) -> Iterator[Lock]:
    """Hold the lock of that name in the lake, alone or with all who hold it `shared`; waits for its holder. A
    killed process lets go of it; what it left running may write files, but names none of them in a commit. `here`: of
    something that is this machine's own. LockHeld where it is not free within `config.most_wait_s`; NotSetUp where the
    lake has no locks."""
    with full_disk_reported(config, name):
        lock = lock_of(config, name, shared, here)
    with closing(lock):
        began, reported = time.monotonic(), False
        while not lock.is_taken():
            waited_s = time.monotonic() - began
            if waited_s >= config.most_wait_s:
                raise LockHeld(name, lock.holder(), config.most_wait_s, MOST_WAIT)
            if waited_s >= _SILENT_S and not reported:
                _log.warning("waiting for the lock %r: held by %s", name, lock.holder() or "an unknown process")
                reported = True
            time.sleep(_LOOK_EVERY_S)
        lock.note_holder()
        yield lock


locked_here = partial(locked, here=True)


def lock_of(config: Config, name: str, shared: bool = False, here: bool = False) -> Lock:
    """A lock of the lake, or of something `here`, that is not taken yet. NotSetUp where it has none."""
    if config.lock_server and not here:
        from windrow.pipelines.delta.locks.postgresql_locks import PostgresqlLock

        return PostgresqlLock(config.lock_server, str(config.home), name, shared)
    if not (here or is_local(config.home)):
        raise NotSetUp(
            f"the lake is below {config.home}, and {LOCKS} names no server that all its writers see. Without such "
            "locks two writers could leave the rows of both for one day, double a table that both compact, or remove "
            "a table that the other has just made. The lake can be read, and nothing was written",
            f"{LOCKS}=postgresql://USER@HOST/DATABASE, such as the server that Airflow uses",
        )
    return FileLock(config.locks / f"{name}.lock", shared)


def require_rights(config: Config, table: str) -> None:
    """StorageFailed unless this user may write to the table. Asked before: where delta-rs may not open a file that it
    has to write, it panics in a thread of its own, whose text reaches the user's terminal first."""
    for folder in (config.lake / table, config.lake / table / LOG):
        if (
            isinstance(folder, Path)
            and folder.is_dir()
            and not os.access(folder, os.W_OK | os.X_OK, effective_ids=True)
        ):
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
        if not _FULL_DISK.search(str(error)):
            raise
        raise StorageFailed(
            f"no space to write {name!r} below {config.home}: the disk is full, or a quota or file-size limit is "
            "reached. This write published nothing; free some space and run the same command again"
        ) from error
