"""Locks of the operating system: one per table, one per stream's ingest, one per query's publication.

On a local file system two processes that commit at the same moment can both learn "committed" while one commit is lost
(measured: 1 of 36,000).
"""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager

from pipelines.config import Config
from processes import orphan_jvms
from schemas.errors import StorageFailed

_FULL_DISK = (
    "no space left on device",
    "file too large",
    "disk quota exceeded",
    "os error 28",
    "os error 27",
    "failed to offload data block",
)


@contextmanager
def locked(config: Config, name: str) -> Iterator[None]:
    """Hold the operating-system lock of that name; waits for whoever has it. A killed process lets go of it, and what
    it left running is ended before the lock counts as taken."""
    path = config.locks / f"{name}.lock"
    with full_disk_reported(config, path.name):
        config.locks.mkdir(parents=True, exist_ok=True)
        path.touch()
    with open(path) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with full_disk_reported(config, path.name):
            _end_orphan_jvms(config)
        yield


def _end_orphan_jvms(config: Config) -> None:
    try:
        orphan_jvms.end_all(config.spark)
    except orphan_jvms.CannotEnd as error:
        raise StorageFailed(str(error)) from error


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
