"""The files of a table's Delta log, by name."""

import re

from pipelines import storage
from pipelines.location import Location

LOG, LAST_CHECKPOINT = "_delta_log", "_last_checkpoint"
_ENTRY = re.compile(r"(\d{20})\.json")
_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint.*\.parquet")


def names(folder: Location) -> list[str]:
    """The log's files, sorted; none where the table in that folder has no log."""
    try:
        return storage.names(folder / LOG)
    except FileNotFoundError:
        return []


def entry(folder: Location, version: int) -> Location:
    """The file that makes a version of the table in that folder."""
    return folder / LOG / f"{version:020d}.json"


def entry_versions(names: list[str]) -> list[int]:
    """Versions whose entries are among these names, in the order of the names."""
    return [int(found[1]) for name in names if (found := _ENTRY.fullmatch(name))]


def checkpoint_versions(names: list[str]) -> dict[str, int]:
    """By name the checkpoints among these names, and the version that each is of."""
    return {name: int(found[1]) for name in names if (found := _CHECKPOINT.fullmatch(name))}
