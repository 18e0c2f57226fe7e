"""What is wrong with a table's Delta log: entries that lack, that are empty or no JSON, and damaged checkpoints.

delta-rs finds most of that as it opens the table, and names no file. An empty entry it takes for a commit of nothing:
rows would lack, or come back, without a word.
"""

import json
import os
import re
from pathlib import Path

from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from pipelines.lake.damaged_file import DamagedFile, first_line, wrong_with

LOG, HINT = "_delta_log", "_last_checkpoint"
_ENTRY = re.compile(r"(\d{20})\.json")
_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint.*\.parquet")


def damaged_log(folder: Path) -> list[DamagedFile]:
    """Files of the log that are damaged, first those without which it may still be whole (`damaged_checkpoints`).
    O(log since the newest checkpoint)."""
    names = _names(folder)
    found = [*damaged_checkpoints(folder), *_damaged_entries(folder, names)]
    return found or _not_opened(folder)


def damaged_checkpoints(folder: Path) -> list[DamagedFile]:
    """Checkpoints, and the note of the newest: they only spare reading entries."""
    log, names = folder / LOG, _names(folder)
    checkpoints = [(log / name, wrong_with(log / name, None)) for name in names if _CHECKPOINT.fullmatch(name)]
    found = [DamagedFile(path, wrong) for path, wrong in checkpoints if wrong]
    if HINT in names and (wrong := _wrong_hint(log)):
        found.append(DamagedFile(log / HINT, wrong))
    return found


def has_empty_entry(folder: Path) -> bool:
    """Whether an entry has no bytes. O(files of the log)."""
    try:
        with os.scandir(folder / LOG) as found:
            return any(file.name.endswith(".json") and not file.stat().st_size for file in found)
    except FileNotFoundError:
        return False


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder / LOG))  # not glob: that finds nothing in a folder that it may not read
    except FileNotFoundError:
        return []


def _wrong_hint(log: Path) -> str | None:
    try:
        version = json.loads((log / HINT).read_bytes())["version"]
    except (ValueError, KeyError, TypeError):
        return "is no JSON of a checkpoint"
    there = list(log.glob(f"{version:020d}.checkpoint*.parquet"))
    return None if there else f"names {version:020d}.checkpoint.parquet, which is missing"


def _damaged_entries(folder: Path, names: list[str]) -> list[DamagedFile]:
    log = folder / LOG
    entries = {int(found[1]) for name in names if (found := _ENTRY.fullmatch(name))}
    whole = [
        int(found[1]) for name in names if (found := _CHECKPOINT.fullmatch(name)) and not wrong_with(log / name, None)
    ]
    first = max(whole, default=-1) + 1
    if not entries and not whole:
        return [DamagedFile(log, "has no entries" if log.exists() else "is missing")]
    checked = {number: _wrong_entry(entry(folder, number)) for number in range(first, max(entries, default=-1) + 1)}
    return [DamagedFile(entry(folder, number), wrong) for number, wrong in checked.items() if wrong]


def entry(folder: Path, version: int) -> Path:
    """The file of the log that makes a version."""
    return folder / LOG / f"{version:020d}.json"


def _wrong_entry(path: Path) -> str | None:
    try:
        lines = path.read_bytes().splitlines()
        actions = [json.loads(line) for line in lines]
    except FileNotFoundError:
        return "is missing"
    except ValueError:
        return "is no JSON"
    return None if actions and all(isinstance(action, dict) for action in actions) else "is empty"


def _not_opened(folder: Path) -> list[DamagedFile]:
    try:
        DeltaTable(folder)
    except DeltaError as error:
        return [DamagedFile(folder / LOG, f"can't be read: {first_line(error)}")]
    return []
