"""Files of a table that are damaged, and what is wrong with them: Parquet files, and those of its Delta log.

delta-rs finds most damage of a log as it opens the table, and names no file. An empty entry it takes for a commit of
nothing: rows would lack, or come back, without a word.
"""

import json
from dataclasses import dataclass

import pyarrow as pa
from deltalake.exceptions import DeltaError

from pipelines import storage
from pipelines.delta.log import LAST_CHECKPOINT, LOG, checkpoint_versions, entry, entry_versions
from pipelines.location import Location


@dataclass(frozen=True)
class DamagedFile:
    """A file of a table, or of its log, and what is wrong with it, such as `is missing`."""

    path: Location
    wrong: str


def wrong_with(path: Location, size_bytes: int | None, read_all: bool = False) -> str | None:
    """What is wrong with a Parquet file of so many bytes (None: of any number); None where nothing is. By default O(1),
    by its footer; `read_all`: O(bytes). OSError for a file that the user has no right to read."""
    try:
        found_bytes = storage.state(path).file_bytes
        if found_bytes == 0:
            return "is empty"
        if size_bytes not in (None, found_bytes):
            return f"has {found_bytes:,} bytes and should have {size_bytes:,}"
        with storage.parquet(path) as file:
            for _ in storage.batches(file) if read_all else ():
                pass
        return None
    except FileNotFoundError:
        return "is missing"
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        # An error of the operating system has a number; of what Arrow found in the file, none.
        if getattr(error, "errno", None) is not None:
            raise
        return f"can't be read as Parquet: {_first_line(error)}"


def damaged_log(folder: Location) -> list[DamagedFile]:
    """Files of the log that are damaged, first those without which it may still be whole (`damaged_checkpoints`).
    O(log since the newest checkpoint)."""
    if found := [*damaged_checkpoints(folder), *_damaged_entries(folder)]:
        return found
    try:
        storage.delta_table(folder)
    except DeltaError as error:
        return [DamagedFile(folder / LOG, f"can't be read: {_first_line(error)}")]
    return []


def damaged_checkpoints(folder: Location) -> list[DamagedFile]:
    """Checkpoints, and the note of the newest: they only spare reading entries."""
    found = {path: wrong_with(path, None) for path in checkpoint_versions(folder)}
    note = folder / LOG / LAST_CHECKPOINT
    if note.exists():
        found[note] = _wrong_with_note(note)
    return [DamagedFile(path, wrong) for path, wrong in found.items() if wrong]


def has_empty_entry(folder: Location) -> bool:
    """Whether an entry has no bytes. O(files of the log)."""
    try:
        return any(name.endswith(".json") and not size for name, size in storage.sizes(folder / LOG).items())
    except FileNotFoundError:
        return False


def _wrong_with_note(note: Location) -> str | None:
    try:
        version = json.loads(note.read_bytes())["version"]
    except (ValueError, KeyError, TypeError):
        return "is no JSON of a checkpoint"
    there = any(each.startswith(f"{version:020d}.checkpoint") for each in storage.names(note.parent))
    return None if there else f"names {version:020d}.checkpoint.parquet, which is missing"


def _damaged_entries(folder: Location) -> list[DamagedFile]:
    log, entries = folder / LOG, entry_versions(folder)
    whole = [version for path, version in checkpoint_versions(folder).items() if not wrong_with(path, None)]
    if not entries and not whole:
        return [DamagedFile(log, "has no entries" if log.exists() else "is missing")]
    needed = range(max(whole, default=-1) + 1, max(entries, default=-1) + 1)
    checked = {entry(folder, version): _wrong_with_entry(entry(folder, version)) for version in needed}
    return [DamagedFile(path, wrong) for path, wrong in checked.items() if wrong]


def _wrong_with_entry(path: Location) -> str | None:
    try:
        actions = [json.loads(line) for line in path.read_bytes().splitlines()]
    except FileNotFoundError:
        return "is missing"
    except ValueError:
        return "is no JSON"
    return None if actions and all(isinstance(action, dict) for action in actions) else "is empty"


def _first_line(error: BaseException) -> str:
    """Of an error's text: the rest of a library's is its own inside."""
    return (str(error).strip() or type(error).__name__).splitlines()[0][:200]
