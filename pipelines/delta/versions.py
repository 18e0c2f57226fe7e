"""Which versions a table still has: what its log and its folder hold, without opening one."""

import json
from collections.abc import Mapping
from urllib.parse import unquote

from pipelines.delta.log_files import checkpoint_versions, entry, entry_versions, names
from pipelines.location import Location


def commit_times(folder: Location) -> dict[int, float]:
    """By version of which the log has the commit, oldest first, when it was written, in s since the epoch: by the clock
    by which Delta shortens logs. O(commits kept)."""
    return {version: entry(folder, version).stat().st_mtime for version in entry_versions(names(folder))}


def current_since(times: Mapping[int, float], moment: float) -> list[int]:
    """The version that was the newest at a moment, and all that came later; all where the log begins later."""
    before = [version for version, time in times.items() if time <= moment]
    return [version for version in times if not before or version >= before[-1]]


def rows_version(folder: Location, version: int) -> int:
    """The version that brought the rows of another: what came in between was maintenance. O(commits in between)."""
    while version > 0 and not _may_change_rows(folder, version):
        version -= 1
    return version


def _may_change_rows(folder: Location, version: int) -> bool:
    """Also where the commit is gone, or damaged: nobody knows."""
    actions = _actions(folder, version)
    if actions is None:
        return True
    return any(action.get(kind, {}).get("dataChange") for action in actions for kind in ("add", "remove"))


def readable_count(folder: Location) -> int:
    """How many versions can be read, counted back from the newest to the first of which the log or a file is gone.
    O(commits kept)."""
    versions = list(commit_times(folder))
    first = _first_in_log(folder, versions)
    for version in reversed(versions):
        if version <= first or not _holds_what_it_removed(folder, version):
            return versions[-1] - version + 1
    return 0


def _first_in_log(folder: Location, versions: list[int]) -> int:
    """Where the log can be read from: its beginning, or its oldest checkpoint."""
    if versions and versions[0] == 0:
        return 0
    return min(checkpoint_versions(names(folder)).values(), default=0)


def _holds_what_it_removed(folder: Location, version: int) -> bool:
    """Whether the files are there that the version before had, and this one has not."""
    actions = _actions(folder, version)
    if actions is None:  # a damaged commit that a checkpoint covers; nothing before it is read through it
        return False
    return all((folder / unquote(action["remove"]["path"])).exists() for action in actions if "remove" in action)


def _actions(folder: Location, version: int) -> list[dict] | None:
    """Of a commit; None where it can't be read."""
    try:
        return [json.loads(line) for line in entry(folder, version).read_text().splitlines()]
    except (OSError, ValueError):
        return None
