"""Where validation results lie, how they get there, and which of them are kept. Without Great Expectations, whose
import takes seconds.

<home>/expectations/validations/<table>/<run>/<time>/lake-<table>.json       written once, never changed
<home>/expectations/data_docs/validations/<table>/<run>/<time>/….html        its page, once `windrow report` made it
"""

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from pipelines.config import Config
from pipelines.delta.locks import full_disk_reported, locked_here
from schemas.errors import StorageFailed

RESULTS, PAGES, INDEX = "validations", "data_docs", "index.html"
SOURCE = "lake"
"""The library's name for where rows come from: results have it in theirs."""
# A process that writes or reads results holds it shared, one that removes some alone.
LOCK = "expectations"
# As the library names the folder of a result's time, UTC: in alphabetical order the older comes first.
_TIME = "%Y%m%dT%H%M%S.%fZ"
_PLAIN_NAME = re.compile(r"\w[\w.:+=@-]{0,99}", re.ASCII)


class Validated(NamedTuple):
    """Which rows were validated: some days of a version of a table, for a run."""

    run_id: str
    table: str
    version: int
    days: Sequence[date]


class About(NamedTuple):
    """What a result is about. `days`: one that is None where a process was killed before it noted them."""

    table: str
    days: tuple[str | None, ...]
    passed: bool


class Kept(NamedTuple):
    """A validation result: when it was made, what it is about, and its file."""

    at: str
    about: About
    path: Path


def run_name(run_id: str) -> str:
    """The run's name, fit for a folder and a page: another than a plain name is cut, and gets a hash of the whole.
    The result has the run's own name among its markers."""
    if _PLAIN_NAME.fullmatch(run_id):
        return run_id
    cut = re.sub(r"[^\w.:+=@-]+", "_", run_id, flags=re.ASCII).lstrip(".:+=@-")[:80]
    return f"{cut or 'run'}-{sha256(run_id.encode(errors='surrogatepass')).hexdigest()[:8]}"


def keep(config: Config, rows: Validated, result: dict[str, Any]) -> str:
    """Write a result, which the library has as JSON; returns its path below `Config.expectations`. StorageFailed
    without room."""
    name, now, meta = run_name(rows.run_id), datetime.now(UTC), result["meta"]
    # The library takes no word of ours along.
    markers = {"run": rows.run_id, "version": rows.version, "days": [day.isoformat() for day in rows.days]}
    meta["batch_markers"] = {**(meta["batch_markers"] or {}), **markers}
    meta["run_id"] = {"run_name": name, "run_time": now.isoformat()}
    path = f"{RESULTS}/{rows.table}/{name}/{now.strftime(_TIME)}/{SOURCE}-{rows.table}.json"
    with locked_here(config, LOCK, shared=True), full_disk_reported(config, rows.table):
        write_whole(config.expectations / path, json.dumps(result, indent=2, sort_keys=True).encode())
    return path


def write_whole(path: Path, content: bytes) -> None:
    """Make a file, and its folders; it gets its name when it is written, so that a kill leaves none that is half."""
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.unfinished")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        unfinished.write_bytes(content)
        unfinished.rename(path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def page(config: Config, result: str) -> Path:
    """The page of a result, which is a path below `Config.expectations`."""
    return config.expectations / PAGES / Path(result).with_suffix(".html")


def index(config: Config) -> Path:
    """The first of the pages."""
    return config.expectations / PAGES / INDEX


def kept(config: Config) -> Iterator[Kept]:
    """All results. O(results): each is read. StorageFailed for a file that is none."""
    for path in sorted(config.expectations.glob(f"{RESULTS}/*/*/*/*.json")):
        yield Kept(path.parts[-2], _about(path), path)


def _about(path: Path) -> About:
    try:
        result = json.loads(path.read_text())
        markers = result["meta"]["batch_markers"] or {}
        # Results from before many days were validated together have one.
        return About(path.parts[-4], tuple(markers.get("days") or [markers.get("day")]), result["success"])
    except (ValueError, KeyError, TypeError) as error:
        raise unreadable(path) from error


def unreadable(path: Path) -> StorageFailed:
    """The error about a file that is no validation result."""
    return StorageFailed(f"{path} is no validation result; remove it, and run the same command again")


def remove_replaced(config: Config, keep: timedelta, dry_run: bool) -> int:
    """Remove the results that are older than `keep` and for none of their days the newest of their table and outcome,
    with their pages; returns how many go, or would go. O(results). The pages' index forgets them with the next
    `windrow report`."""
    before = (datetime.now(UTC) - keep).strftime(_TIME)
    with locked_here(config, LOCK):
        results = sorted(kept(config), key=attrgetter("at", "path"))
        newest = {(about.table, day, about.passed): path for _, about, path in results for day in about.days}
        needed = set(newest.values())
        old = [result for result in results if result.at < before and result.path not in needed]
        if not dry_run:
            for unfinished in config.expectations.glob(f"{RESULTS}/*/*/*/*.unfinished"):
                unfinished.unlink()  # of a process that was killed: whoever lives holds the lock
            for result in old:
                _remove(config, result.path)
    return len(old)


def _remove(config: Config, path: Path) -> None:
    for file in (path, page(config, str(path.relative_to(config.expectations)))):
        file.unlink(missing_ok=True)
        with suppress(OSError):  # the run's folder has another result, or there was no page
            for folder in (file.parent, file.parent.parent):
                folder.rmdir()
