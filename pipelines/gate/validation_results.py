"""Validation results, as Great Expectations writes them in JSON: one of the results of parts, since it takes a batch as
one data frame, and pandas would hold a day of 50 million rows in 12 GB; where they lie, how they get there, and which
of them are kept. Without the library, whose import takes seconds.

<home>/expectations/validations/<table>/<run>/<time>/lake-<table>.json       written once, never changed
<home>/expectations/data_docs/validations/<table>/<run>/<time>/….html        its page, once `windrow report` made it
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from windrow.pipelines.config import Config
from windrow.pipelines.delta.locks import full_disk_reported, locked_here
from windrow.pipelines.storage import write_whole
from windrow.schemas.errors import StorageFailed

Result: TypeAlias = dict[str, Any]
MOST_VALUES = 20
"""Of those by which rows break an expectation, so many are kept."""
RESULTS, PAGES = "validations", "data_docs"
SOURCE = "lake"
"""The library's name for where rows come from: results have it in theirs."""
# A process that writes or reads results holds it shared, one that removes some alone.
LOCK = "expectations"
# As the library names the folder of a result's time, UTC: in alphabetical order the older comes first.
_TIME = "%Y%m%dT%H%M%S.%fZ"
_PLAIN_NAME = re.compile(r"\w[\w.:+=@-]{0,99}", re.ASCII)


class Kept(NamedTuple):
    """A validation result: when it was made, in which file it is, and of what. `days`: one that is None where a process
    was killed before it noted them."""

    at: str
    path: Path
    table: str
    days: tuple[str | None, ...]
    passed: bool


def merged(parts: Sequence[Result]) -> Result:
    """One result of those of parts of a batch, which together have its rows, each once, with the words of the first.
    `parts`: at least one, by one suite."""
    first = parts[0]
    if len(parts) == 1:
        return first
    # By name: the library has those that fail first.
    found = [{name_of(each): each for each in part["results"]} for part in parts]
    results = [_of_expectation([part[name] for part in found]) for name in found[0]]
    passed = sum(each["success"] for each in results)
    statistics = {
        "evaluated_expectations": len(results),
        "successful_expectations": passed,
        "unsuccessful_expectations": len(results) - passed,
        "success_percent": _percent(passed, len(results)),
    }
    return {**first, "success": passed == len(results), "results": results, "statistics": statistics}


def name_of(result: Result) -> str:
    """The expectation's own."""
    name: str = result["expectation_config"]["meta"]["name"]
    return name


def _of_expectation(found: Sequence[Result]) -> Result:
    first, results = found[0], [each["result"] for each in found]
    if not all(results):  # one has raised
        return next(each for each in found if not each["result"])
    if "observed_value" not in first["result"]:
        return {**first, "success": all(each["success"] for each in found), "result": _counted(results)}
    rows = sum(each["observed_value"] for each in results)
    expected = first["expectation_config"]["kwargs"]["value"]
    return {**first, "success": rows == expected, "result": {**first["result"], "observed_value": rows}}


def _counted(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    rows, broken, missing = (
        sum(each.get(name) or 0 for each in found) for name in ("element_count", "unexpected_count", "missing_count")
    )
    values = [value for each in found for value in each["partial_unexpected_list"]]
    known = {
        "element_count": rows,
        "unexpected_count": broken,
        "missing_count": missing,
        "missing_percent": _percent(missing, rows),
        "unexpected_percent": _percent(broken, rows - missing),
        "unexpected_percent_total": _percent(broken, rows),
        "unexpected_percent_nonmissing": _percent(broken, rows - missing),
        "partial_unexpected_list": values[:MOST_VALUES],
    }
    return {name: known.get(name, value) for name, value in found[0].items()}


def _percent(part: int, of: int) -> float | None:
    return part / of * 100 if of else None  # in the order in which the library does it


def run_name(run_id: str) -> str:
    """The run's name, fit for a folder and a page: another than a plain name is cut, and gets a hash of the whole.
    The result has the run's own name among its markers."""
    if _PLAIN_NAME.fullmatch(run_id):
        return run_id
    cut = re.sub(r"[^\w.:+=@-]+", "_", run_id, flags=re.ASCII).lstrip(".:+=@-")[:80]
    return f"{cut or 'run'}-{sha256(run_id.encode(errors='surrogatepass')).hexdigest()[:8]}"


def keep(config: Config, run_id: str, table: str, version: int, days: Sequence[date], result: Result) -> str:
    """Write what a run found on some days of a version of a table, which the library has as JSON; returns its path
    below `Config.expectations`. StorageFailed without room."""
    name, now, meta = run_name(run_id), datetime.now(UTC), result["meta"]
    # The library takes no word of ours along.
    markers = {"run": run_id, "version": version, "days": [day.isoformat() for day in days]}
    meta["batch_markers"] = {**(meta["batch_markers"] or {}), **markers}
    meta["run_id"] = {"run_name": name, "run_time": now.isoformat()}
    path = f"{RESULTS}/{table}/{name}/{now.strftime(_TIME)}/{SOURCE}-{table}.json"
    with locked_here(config, LOCK, shared=True), full_disk_reported(config, table):
        write_whole(config.expectations / path, json.dumps(result, indent=2, sort_keys=True).encode())
    return path


def page(config: Config, result: str) -> Path:
    """Of a result, which is a path below `Config.expectations`."""
    return config.expectations / PAGES / Path(result).with_suffix(".html")


def index(config: Config) -> Path:
    """The first of the pages."""
    return config.expectations / PAGES / "index.html"


def kept(config: Config) -> Iterator[Kept]:
    """All results. O(results): each is read. StorageFailed for a file that is none."""
    for path in sorted(config.expectations.glob(f"{RESULTS}/*/*/*/*.json")):
        table, _, at, _ = path.parts[-4:]
        try:
            result = json.loads(path.read_text())
            markers = result["meta"]["batch_markers"] or {}
            # Results from before many days were validated together have one.
            yield Kept(at, path, table, tuple(markers.get("days") or [markers.get("day")]), result["success"])
        except (ValueError, KeyError, TypeError) as error:
            raise unreadable(path) from error


def unreadable(path: Path) -> StorageFailed:
    """The error about a file that is no validation result."""
    return StorageFailed(f"{path} is no validation result; remove it, and run the same command again")


def remove_replaced(config: Config, keep: timedelta, dry_run: bool) -> int:
    """Remove the results that are older than `keep` and for none of their days the newest of their table and outcome,
    with their pages (the index has them until the next report); returns how many go, or would. O(results)."""
    before = (datetime.now(UTC) - keep).strftime(_TIME)
    with locked_here(config, LOCK):
        results = sorted(kept(config))
        newest = {(each.table, day, each.passed): each.path for each in results for day in each.days}
        needed = set(newest.values())
        old = [result for result in results if result.at < before and result.path not in needed]
        if not dry_run:
            for unfinished in config.expectations.glob(f"{RESULTS}/*/*/*/*.unfinished"):
                unfinished.unlink()  # of a process that was killed: a live one holds the lock
            for result in old:
                for file in (result.path, page(config, str(result.path.relative_to(config.expectations)))):
                    file.unlink(missing_ok=True)
                    with suppress(OSError):  # the run's folder has another result, or there was no page
                        for folder in (file.parent, file.parent.parent):
                            folder.rmdir()
    return len(old)
