"""Damage of a table's files, as disks, copies and people do it; age; and what messages ask for."""

import os
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from random import Random

from deltalake import DeltaTable

from windrow.pipelines.config import Config
from windrow.pipelines.delta import damage
from windrow.pipelines.delta.lake import Lake
from windrow.schemas.errors import WindrowError

_ASKED = re.compile(r"""(?:[Ff]irst run|[Tt]hen run|fix it with): (windrow [^"\n]+)""")  # also in JSON


def _bytes(count: int) -> bytes:
    return Random(count).randbytes(count)


def _between_magic_and_footer(file: Path) -> None:
    content = file.read_bytes()
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    file.write_bytes(content[:4] + _bytes(footer - 4) + content[footer:])


OF_A_FILE: dict[str, Callable[[Path], object]] = {
    "missing": Path.unlink,
    "truncated": lambda file: os.truncate(file, file.stat().st_size // 2),
    "empty": lambda file: os.truncate(file, 0),
    "garbage of the same size": lambda file: file.write_bytes(_bytes(file.stat().st_size)),
    "garbage before the footer": _between_magic_and_footer,
}
OF_AN_ENTRY: dict[str, Callable[[Path], object]] = {
    "a gap": Path.unlink,
    "a garbage entry": lambda entry: entry.write_bytes(_bytes(entry.stat().st_size)),
    "a truncated entry": lambda entry: os.truncate(entry, entry.stat().st_size // 2),
    "an empty entry": lambda entry: os.truncate(entry, 0),
}
OF_A_CHECKPOINT: dict[str, Callable[[Path], object]] = {
    "a missing checkpoint": Path.unlink,
    "a garbage checkpoint": lambda file: file.write_bytes(_bytes(file.stat().st_size)),
    "a truncated checkpoint": lambda file: os.truncate(file, file.stat().st_size // 2),
    "a checkpoint that stands for entries": lambda file: (_remove_entries(file.parent), file.write_bytes(_bytes(99))),
}
LOG_IS_GONE, NEWEST_ENTRY, HINT = "no log", "the newest entry", "the note of the newest checkpoint"
OF_A_LOG = (*OF_AN_ENTRY, *OF_A_CHECKPOINT, LOG_IS_GONE)
KINDS = (*OF_A_FILE, *OF_A_LOG)


def _remove_entries(log: Path) -> None:
    for entry in sorted(log.glob("*.json")):
        entry.unlink()


def _remove_checkpoints(log: Path) -> None:
    for file in (*log.glob("*.checkpoint.parquet"), *log.glob("_last_checkpoint")):
        file.unlink()


def _remove_newest_rows(log: Path) -> Path:
    """Remove the newest entry that brought or took rows, and what came after it: compaction of the same rows."""
    _remove_checkpoints(log)
    while True:
        newest = max(log.glob("*.json"))
        compacts = '"operation":"OPTIMIZE"' in newest.read_text()
        newest.unlink()
        if not compacts:
            return newest


@contextmanager
def nothing_where_damaged(config: Config) -> Iterator[None]:
    """Within, what can't be done because a table is damaged is left undone."""
    try:
        yield
    except Exception as error:
        if not (isinstance(error, WindrowError) or damage.explained(Lake(config), error)):
            raise


def do(config: Config, table: str, kind: str, filters: list[tuple] | None = None, seed: int = 0) -> Path:
    """Damage a file that the newest version of the table needs (`filters`: one of these), or its log; returns it."""
    log = config.lake / table / "_delta_log"
    if kind in OF_A_CHECKPOINT or kind == HINT:
        DeltaTable(log.parent).create_checkpoint()
        for older in sorted(log.glob("*.checkpoint.parquet"))[:-1]:
            older.unlink()
    if kind == LOG_IS_GONE:
        shutil.rmtree(log)
        return log
    if kind == NEWEST_ENTRY:
        damaged = _remove_newest_rows(log)
    elif kind == HINT:
        damaged = log / "_last_checkpoint"
        damaged.write_bytes(b"no JSON")
    elif kind in OF_A_CHECKPOINT:
        (damaged,) = log.glob("*.checkpoint.parquet")
        OF_A_CHECKPOINT[kind](damaged)
    elif kind in OF_AN_ENTRY:
        _remove_checkpoints(log)  # else no reader needs the entries before
        entries = sorted(log.glob("*.json"))
        damaged = Random(seed).choice(entries[:-1] or entries)  # without the newest a log is an older one, and whole
        OF_AN_ENTRY[kind](damaged)
    else:
        damaged = Path(Random(seed).choice(sorted(Lake(config).files(table, filters=filters))))
        OF_A_FILE[kind](damaged)
    return damaged


def asked_for(text: str) -> list[list[str]]:
    """The commands that a message asks for, as words after `windrow`."""
    return [shlex.split(command.rstrip("."))[1:] for command in _ASKED.findall(text)]


_MOMENT = re.compile(r'"(deletionTimestamp|timestamp|modificationTime)":(\d{13})')


def make_older(folder: Path, by: timedelta) -> None:
    """A table as it would be had it been made so much earlier: Delta reads times from its log and from its files. Those
    within checkpoints stay: they are Parquet files."""
    for path in (each for each in folder.rglob("*") if each.is_file()):
        found = path.stat()
        if path.suffix == ".json":
            path.write_text(_MOMENT.sub(lambda moment: _earlier(moment, by), path.read_text()))
        os.utime(path, (found.st_atime - by.total_seconds(), found.st_mtime - by.total_seconds()))


def _earlier(moment: re.Match, by: timedelta) -> str:
    return f'"{moment[1]}":{int(moment[2]) - by // timedelta(milliseconds=1)}'
