"""Which versions a table still has: what its log and its folder hold, without opening one."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote

_COMMIT, _CHECKPOINT = re.compile(r"(\d{20})\.json"), re.compile(r"(\d{20})\.checkpoint\..*parquet")


def commit_times(folder: Path) -> dict[int, float]:
    """By version of which the log has the commit, oldest first, when it was written, in s since the epoch: by the clock
    by which Delta shortens logs. O(commits kept)."""
    commits = ((_COMMIT.fullmatch(path.name), path) for path in (folder / "_delta_log").iterdir())
    return {int(match[1]): path.stat().st_mtime for match, path in sorted(commits, key=_name) if match}


def _name(commit: tuple[re.Match | None, Path]) -> str:
    return commit[1].name


def current_since(times: Mapping[int, float], moment: float) -> list[int]:
    """The version that was the newest at a moment, and all that came later; all where the log begins later."""
    before = [version for version, time in times.items() if time <= moment]
    return [version for version in times if not before or version >= before[-1]]


def rows_version(folder: Path, version: int) -> int:
    """The version that brought the rows of another: what came in between was maintenance. O(commits in between)."""
    while version > 0 and not _may_change_rows(folder, version):
        version -= 1
    return version


def _may_change_rows(folder: Path, version: int) -> bool:
    """Also where the commit is gone, or damaged: nobody knows."""
    actions = _actions(folder, version)
    if actions is None:
        return True
    return any(action.get(kind, {}).get("dataChange") for action in actions for kind in ("add", "remove"))


def readable_count(folder: Path) -> int:
    """How many versions can be read, counted back from the newest to the first of which the log or a file is gone.
    O(commits kept)."""
    versions = list(commit_times(folder))
    first = _first_in_log(folder, versions)
    for version in reversed(versions):
        if version <= first or not _holds_what_it_removed(folder, version):
            return versions[-1] - version + 1
    return 0


def _first_in_log(folder: Path, versions: list[int]) -> int:
    """Where the log can be read from: its beginning, or its oldest checkpoint."""
    if versions and versions[0] == 0:
        return 0
    found = (_CHECKPOINT.fullmatch(path.name) for path in (folder / "_delta_log").iterdir())
    return min((int(match[1]) for match in found if match), default=0)


def _holds_what_it_removed(folder: Path, version: int) -> bool:
    """Whether the files are there that the version before had, and this one has not."""
    actions = _actions(folder, version)
    if actions is None:  # a damaged commit that a checkpoint covers; nothing before it is read through it
        return False
    return all((folder / unquote(action["remove"]["path"])).exists() for action in actions if "remove" in action)


def _actions(folder: Path, version: int) -> list[dict] | None:
    """Of a commit; None where it can't be read."""
    try:
        return [json.loads(line) for line in (folder / "_delta_log" / f"{version:020d}.json").read_text().splitlines()]
    except (OSError, ValueError):
        return None
