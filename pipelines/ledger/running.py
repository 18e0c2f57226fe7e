"""Steps that have begun: a small file below `<home>/running` for those of a run's days, locked while its process lives.

A step is a row of the ledger when it ends, in one commit. Until then its file says that it runs; a file that no process
has locked is of steps that were cut off: killed, or without room for their rows. The next step that ends writes these.
A file that holds something else, as a machine that lost its power may leave it, is reported once and taken out.
"""

import json
import logging
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from windrow.pipelines import storage
from windrow.pipelines.config import Config
from windrow.pipelines.delta.locks import Lock, full_disk_reported, lock_of
from windrow.pipelines.delta.locks.file_locks import FileLock
from windrow.pipelines.location import Location, is_local
from windrow.schemas.ledger_tables import RUNS

RUNNING, CUT_OFF = "running", "cut off"
_UNFINISHED = ".unfinished"
# No process takes so long to write a line of JSON.
_LONG_UNFINISHED_S = 3600
_log = logging.getLogger(__name__)


@dataclass
class Begun:
    """The file of some steps of this process, which holds its lock."""

    path: Location
    hold: Lock

    def forget(self) -> None:
        """The steps' rows are in the ledger."""
        self.path.unlink(missing_ok=True)
        self.hold.close()


@dataclass(frozen=True)
class Found:
    """The file of some steps: their rows as they began (plain JSON values), and whether their process lives."""

    path: Location
    rows: list[dict]
    lives: bool


def begin(config: Config, rows: list[dict]) -> Begun:
    """Say that some steps have begun. StorageFailed without room for that; NotSetUp where the lake has no locks."""
    path, text = config.running / f"{uuid4().hex}.json", json.dumps(rows, default=str)
    with full_disk_reported(config, path.name):
        if not isinstance(path, Path) or config.lock_server:
            lock = lock_of(config, path.name)
            lock.is_taken()
            storage.make_folder(path.parent)
            path.write_text(text)
            return Begun(path, lock)
        unfinished = path.with_suffix(_UNFINISHED)
        own = FileLock(unfinished, shared=False)
        own.is_taken()
        own.file.write(text)
        own.file.flush()
        os.fsync(own.file.fileno())
        unfinished.rename(path)  # in one step, and locked: a reader that sees it sees all of it
        return Begun(path, own)


def _lock(config: Config, path: Location, shared: bool = False) -> Lock:
    """Where a server has the locks, that of a step bears its file's name. FileNotFoundError where the file is its own
    lock, and gone."""
    if isinstance(path, Path) and not config.lock_server:
        return FileLock(path, shared, existing=True)  # a user who may only read it can look at it
    return lock_of(config, path.name, shared)


def found(config: Config) -> list[Found]:
    """The steps that run, and those that were cut off and are in no ledger yet."""
    return [steps for path in _files(config, ".json") if (steps := _looked_at(config, path))]


def _files(config: Config, ending: str) -> list[Location]:
    try:
        return [config.running / name for name in storage.names(config.running) if name.endswith(ending)]
    except FileNotFoundError:
        return []


def _looked_at(config: Config, path: Location) -> Found | None:
    """None where the steps ended meanwhile, or where their file is damaged."""
    try:
        lives = True  # a process with a server knows; one without can't
        if is_local(path) or config.lock_server:
            with closing(_lock(config, path, shared=True)) as lock:
                lives = not lock.is_taken()
        rows = _rows(path.read_bytes())
    except FileNotFoundError:
        return None
    if rows:
        return Found(path, rows, lives)
    if not lives:
        _set_aside(config, path)
    return None


def _rows(content: bytes) -> list[dict] | None:
    """The rows that steps began with; None of anything else."""
    try:
        found = json.loads(content)
    except ValueError:
        return None
    rows = found if isinstance(found, list) else [found]  # before runs had several days, a file had one
    columns = {*RUNS.column_names}
    return rows if all(isinstance(row, dict) and row.keys() == columns for row in rows) else None


def _set_aside(config: Config, path: Location) -> None:
    place = config.damaged / "running" / path.name
    try:
        storage.move(path, place)
    except FileNotFoundError:
        return  # another process did
    except OSError as error:
        _log.warning("%s is damaged, the file of a step that was cut off, and can't be moved: %s", path, error)
        return
    _log.warning(
        "the file of a step that was cut off is damaged, and was moved to %s: the ledger will not have that step. "
        "To see days that it left half published: windrow runs --stale",
        place,
    )


@contextmanager
def collecting(config: Config) -> Iterator[list[dict]]:
    """The rows of steps that were cut off; their files go once the caller has written these. A file stays locked so
    long: another process that collects at the same time sees a step that runs, and leaves it alone."""
    # Files of processes that were killed before they had written them: the step had not begun.
    for path in _files(config, _UNFINISHED):
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > _LONG_UNFINISHED_S:
                path.unlink()
    with ExitStack() as holds:
        cut_off = [steps for steps in found(config) if not steps.lives and _taken(holds, config, steps.path)]
        yield [row for steps in cut_off for row in steps.rows]
        for steps in cut_off:
            steps.path.unlink(missing_ok=True)


def _taken(holds: ExitStack, config: Config, path: Location) -> bool:
    """Whether the file is there still, and locked from now until `holds` are closed."""
    with suppress(FileNotFoundError):
        lock = holds.enter_context(closing(_lock(config, path)))
        return lock.is_taken() and path.exists()
    return False
