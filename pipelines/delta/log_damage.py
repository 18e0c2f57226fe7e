"""What is wrong with a table's Delta log: entries that lack, that are empty or no JSON, and damaged checkpoints.

delta-rs finds most of that as it opens the table, and names no file. An empty entry it takes for a commit of nothing:
rows would lack, or come back, without a word.
"""

import json

from deltalake.exceptions import DeltaError

from pipelines import storage
from pipelines.delta.damaged_file import DamagedFile, first_line, wrong_with
from pipelines.delta.log_files import LAST_CHECKPOINT, LOG, checkpoint_versions, entry, entry_versions, names
from pipelines.location import Location


def damaged_log(folder: Location) -> list[DamagedFile]:
    """Files of the log that are damaged, first those without which it may still be whole (`damaged_checkpoints`).
    O(log since the newest checkpoint)."""
    found = [*damaged_checkpoints(folder), *_damaged_entries(folder)]
    return found or _not_opened(folder)


def damaged_checkpoints(folder: Location) -> list[DamagedFile]:
    """Checkpoints, and the note of the newest: they only spare reading entries."""
    log, found_names = folder / LOG, names(folder)
    checkpoints = [(log / name, wrong_with(log / name, None)) for name in checkpoint_versions(found_names)]
    found = [DamagedFile(path, wrong) for path, wrong in checkpoints if wrong]
    if LAST_CHECKPOINT in found_names and (wrong := _wrong_note(log)):
        found.append(DamagedFile(log / LAST_CHECKPOINT, wrong))
    return found


def has_empty_entry(folder: Location) -> bool:
    """Whether an entry has no bytes. O(files of the log)."""
    try:
        return any(name.endswith(".json") and not size for name, size in storage.sizes(folder / LOG).items())
    except FileNotFoundError:
        return False


def _wrong_note(log: Location) -> str | None:
    try:
        version = json.loads((log / LAST_CHECKPOINT).read_bytes())["version"]
    except (ValueError, KeyError, TypeError):
        return "is no JSON of a checkpoint"
    there = any(each.startswith(f"{version:020d}.checkpoint") for each in storage.names(log))
    return None if there else f"names {version:020d}.checkpoint.parquet, which is missing"


def _damaged_entries(folder: Location) -> list[DamagedFile]:
    log, found_names = folder / LOG, names(folder)
    entries = entry_versions(found_names)
    whole = [version for name, version in checkpoint_versions(found_names).items() if not wrong_with(log / name, None)]
    first = max(whole, default=-1) + 1
    if not entries and not whole:
        return [DamagedFile(log, "has no entries" if log.exists() else "is missing")]
    checked = {number: _wrong_entry(entry(folder, number)) for number in range(first, max(entries, default=-1) + 1)}
    return [DamagedFile(entry(folder, number), wrong) for number, wrong in checked.items() if wrong]


def _wrong_entry(path: Location) -> str | None:
    try:
        lines = path.read_bytes().splitlines()
        actions = [json.loads(line) for line in lines]
    except FileNotFoundError:
        return "is missing"
    except ValueError:
        return "is no JSON"
    return None if actions and all(isinstance(action, dict) for action in actions) else "is empty"


def _not_opened(folder: Location) -> list[DamagedFile]:
    try:
        storage.delta_table(folder)
    except DeltaError as error:
        return [DamagedFile(folder / LOG, f"can't be read: {first_line(error)}")]
    return []
