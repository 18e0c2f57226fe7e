"""The logs of tables in plain Python (plain_delta.py): entries as delta-rs writes them, and the states they make."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from deltalake.exceptions import DeltaError, TableNotFoundError
from deltalake.transaction import AddAction, RemoveAction

from tests.support.faults.seams import call, new_name, now_ms
from tests.support.faults.world import COMMIT, WRITE
from windrow.pipelines.delta import log

_entries: dict[tuple[int, int], list[dict]] = {}
_states: dict[tuple, "State"] = {}


@dataclass(eq=False)
class State:
    """A version: its metadata, and by path what adds each of its files, in the order in which they came."""

    version: int
    metadata: dict
    files: dict[str, dict]
    actions: pa.Table | None = None
    rows: pa.Table | None = None


def log_versions(folder: str) -> list[int]:
    try:
        return sorted(int(name[:20]) for name in os.listdir(f"{folder}/{log.LOG}") if name.endswith(".json"))
    except OSError as error:
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            return []
        raise DeltaError(f"Generic LocalFileSystem error: {error} (os error {error.errno})") from error


def state_of(folder: str, version: int | None) -> State:
    versions = log_versions(folder)
    if not versions:
        raise TableNotFoundError(f"no log files in {folder}")
    newest = versions[-1] if version is None else version
    if newest not in versions:
        raise DeltaError(f"Invalid table version: {newest}")
    found = os.stat(f"{folder}/{log.LOG}/{newest:020d}.json")
    key = folder, newest, found.st_ino, found.st_mtime_ns
    if key not in _states:
        _states[key] = _replayed(folder, newest)
    return _states[key]


def _replayed(folder: str, newest: int) -> State:
    state = State(newest, {}, {})
    for number in range(newest + 1):
        for action in _entry(folder, number):
            state.metadata = action.get("metaData", state.metadata)
            if "remove" in action:
                state.files.pop(action["remove"]["path"], None)
            if "add" in action:
                state.files[action["add"]["path"]] = action["add"]
    return state


def _entry(folder: str, version: int) -> list[dict]:
    place = f"{folder}/{log.LOG}/{version:020d}.json"
    found = os.stat(place)
    key = found.st_ino, found.st_mtime_ns
    if key not in _entries:
        with open(place) as file:
            _entries[key] = [json.loads(line) for line in file]
    return _entries[key]


def put_entry(folder: str, version: int, actions: list[dict]) -> None:
    """FileExistsError where there is such a version."""
    place = log.entry(Path(folder), version)
    text = "".join(json.dumps(action) + "\n" for action in actions)

    part = place.with_name(f"_commit_{new_name()}.tmp")

    def write() -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        part.write_text(text)

    def name() -> None:
        try:
            os.link(part, place)
        finally:
            part.unlink()

    tried(WRITE, "write entry", part, write)
    tried(COMMIT, "commit", place, name)


def tried(kind: str, name: str, place: object, effect: Callable[[], Any]) -> Any:
    """A call; in the words of delta-rs where the operating system refuses it."""
    try:
        return call(kind, name, place, effect)
    except FileExistsError:
        raise
    except OSError as error:
        raise DeltaError(f"Generic LocalFileSystem error: {error.strerror} (os error {error.errno})") from error


def action_of(each: AddAction | RemoveAction) -> dict:
    if isinstance(each, RemoveAction):
        return remove_action(each.path)
    return {"add": add_action(each.path, dict(each.partition_values), each.size, each.stats)}


def add_action(path: str, values: dict, size: int, stats: str) -> dict:
    shared = {"modificationTime": now_ms(), "dataChange": True}
    return {"path": path, "partitionValues": values, "size": size, **shared, "stats": stats}


def remove_action(path: str) -> dict:
    return {"remove": {"path": path, "deletionTimestamp": now_ms(), "dataChange": True}}


def may_hold(add: dict, filters: list[tuple] | None) -> bool:
    """Whether a file may hold rows of its partition's values."""
    for column, sign, value in filters or ():
        if column in add["partitionValues"]:
            held, asked = add["partitionValues"][column], value if sign == "in" else (value,)
            texts = [str(each) for each in asked]
            low, high = texts[0], texts[-1]
            kept = {"in": held in texts, "=": held == low, ">=": held >= low, "<=": held <= high}
            if not kept[sign]:
                return False
    return True


def forget_logs() -> None:
    """A history's own: the next one makes other files in the same places."""
    _states.clear()
    _entries.clear()
