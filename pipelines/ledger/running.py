"""Steps that have begun: a small file below `<home>/running` for those of a run's days, locked while its process lives
(step_files.py).

A step is a row of the ledger when it ends, in one commit. Until then its file says that it runs; a file that nobody has
locked is of steps that were cut off: killed, or without room to write their rows. The next step that ends writes these.
A file that holds something else, as a machine that lost its power may leave it, is reported once and taken out.
"""

import json
import logging
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from uuid import uuid4

from pipelines import storage
from pipelines.config import Config
from pipelines.delta.locks import full_disk_reported
from pipelines.ledger import step_files
from pipelines.location import Location
from schemas.ledger_tables import RUNS

RUNNING, CUT_OFF = "running", "cut off"
# Nobody takes so long to write a line of JSON.
_LONG_UNFINISHED_S = 3600
_log = logging.getLogger(__name__)


@dataclass
class Begun:
    """The file of some steps of this process."""

    path: Location
    hold: step_files.Hold

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
    path = config.running / f"{uuid4().hex}.json"
    with full_disk_reported(config, path.name):
        return Begun(path, step_files.write(config, path, json.dumps(rows)))


def found(config: Config) -> list[Found]:
    """The steps that run, and those that were cut off and are in no ledger yet."""
    return [step for path in _files(config, ".json") for step in _looked_at(config, path)]


def _files(config: Config, ending: str) -> list[Location]:
    try:
        return [config.running / name for name in storage.names(config.running) if name.endswith(ending)]
    except FileNotFoundError:
        return []


def _looked_at(config: Config, path: Location) -> Iterator[Found]:
    """Nothing where the step ended meanwhile, or where its file is damaged."""
    if (read := step_files.read(config, path)) is None:
        return
    content, lives = read
    rows = _rows(content)
    if rows:
        yield Found(path, rows, lives)
    elif not lives:
        _set_aside(config, path)


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
        "Days that it left half published are listed by: windrow runs --stale",
        place,
    )


@contextmanager
def collecting(config: Config) -> Iterator[list[dict]]:
    """The rows of steps that were cut off; their files go once the caller has written these. A file stays locked so
    long: another process that collects at the same time sees a step that runs, and leaves it alone."""
    _remove_unfinished(config)
    with ExitStack() as holds:
        cut_off = [step for step in found(config) if not step.lives and _taken(holds, config, step.path)]
        yield [row for step in cut_off for row in step.rows]
        for step in cut_off:
            step.path.unlink(missing_ok=True)


def _taken(holds: ExitStack, config: Config, path: Location) -> bool:
    """Whether the file is there still, and locked from now until `holds` are closed."""
    hold = step_files.take(config, path)
    if hold is not None:
        holds.enter_context(closing(hold))
    return hold is not None


def _remove_unfinished(config: Config) -> None:
    """Files of processes that were killed before they had written them: the step had not begun."""
    for path in _files(config, step_files.UNFINISHED):
        with suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > _LONG_UNFINISHED_S:
                path.unlink()
