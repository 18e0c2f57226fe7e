"""Steps that have begun: a small file each below `<home>/running`, locked while its process lives.

A step is a row of the ledger when it ends, in one commit. Until then its file says that it runs; a file that nobody has
locked is of a step that was cut off: killed, or without room to write its row. The next step that ends writes that row.
A file that holds something else, as a machine that lost its power may leave it, is reported once and taken out.
"""

import fcntl
import json
import logging
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from uuid import uuid4

from pipelines.config import Config
from pipelines.lake.locks import full_disk_reported
from schemas.ledger_tables import RUNS

RUNNING, CUT_OFF = "running", "cut off"
_UNFINISHED = ".unfinished"
# Nobody takes so long to write a line of JSON.
_LONG_UNFINISHED_S = 3600
_log = logging.getLogger(__name__)


@dataclass
class Begun:
    """The file of a step of this process."""

    path: Path
    file: IO[str]

    def forget(self) -> None:
        """The step's row is in the ledger."""
        self.path.unlink(missing_ok=True)
        self.file.close()


@dataclass(frozen=True)
class Found:
    """A step's file: its row as it began (plain JSON values), and whether its process lives."""

    path: Path
    row: dict
    lives: bool


def begin(config: Config, row: dict) -> Begun:
    """Say that a step has begun. StorageFailed without room for that."""
    folder = config.running
    path = folder / f"{uuid4().hex}.json"
    with full_disk_reported(config, path.name):
        folder.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(_UNFINISHED)
        file = open(unfinished, "w")  # noqa: SIM115 - the lock lasts as long as the file is open
        fcntl.flock(file, fcntl.LOCK_EX)
        json.dump(row, file)
        file.flush()
        os.fsync(file.fileno())
        unfinished.rename(path)  # in one step, and locked: whoever sees it sees all of it
    return Begun(path, file)


def found(config: Config) -> list[Found]:
    """The steps that run, and those that were cut off and are in no ledger yet."""
    return [step for path in sorted(config.running.glob("*.json")) for step in _looked_at(config, path)]


def _looked_at(config: Config, path: Path) -> Iterator[Found]:
    """Nothing where the step ended meanwhile, or where its file is damaged."""
    with suppress(FileNotFoundError), open(path, "rb") as file:
        lives = not _free(file)
        if not (lives or os.path.exists(path)):
            return
        row = _row(file.read())
        if row is not None:
            yield Found(path, row, lives)
        elif not lives:
            _set_aside(config, path)


def _row(content: bytes) -> dict | None:
    """The row that a step began with; None of anything else."""
    try:
        row = json.loads(content)
    except ValueError:
        return None
    return row if isinstance(row, dict) and row.keys() == {*RUNS.column_names} else None


def _set_aside(config: Config, path: Path) -> None:
    place = config.damaged / "running" / path.name
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        path.rename(place)
    except FileNotFoundError:
        return  # another process did
    except OSError as error:
        _log.warning("%s is damaged, the file of a step that was cut off, and can't be moved: %s", path, error)
        return
    _log.warning(
        "the file of a step that was cut off is damaged, and was moved to %s: the ledger will not have that step. "
        "Days that it left half published are listed by: windrow runs --stale",
        place,
    )


def _free(file: IO, lock: int = fcntl.LOCK_SH) -> bool:
    try:
        fcntl.flock(file, lock | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def collecting(config: Config) -> Iterator[list[dict]]:
    """The rows of steps that were cut off; their files go once the caller has written these. A file stays locked so
    long: another process that collects at the same time sees a step that runs, and leaves it alone."""
    _remove_unfinished(config)
    with ExitStack() as files:
        cut_off = [step for step in found(config) if not step.lives and _locked(files, step.path)]
        yield [step.row for step in cut_off]
        for step in cut_off:
            step.path.unlink(missing_ok=True)


def _locked(files: ExitStack, path: Path) -> bool:
    """Whether the file is there still, and locked from now until `files` are closed."""
    try:
        file = files.enter_context(path.open("rb"))
    except FileNotFoundError:
        return False
    return _free(file, fcntl.LOCK_EX) and path.exists()


def _remove_unfinished(config: Config) -> None:
    """Files of processes that were killed before they had written them: the step had not begun."""
    for path in config.running.glob(f"*{_UNFINISHED}"):
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > _LONG_UNFINISHED_S:
                path.unlink()
