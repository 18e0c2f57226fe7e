"""One validation result of the results of parts of a batch, which together have its rows, each once; results are as
the library writes them in JSON.

Great Expectations takes a batch as one data frame; pandas would hold a day of 50 million rows in 12 GB.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Result: TypeAlias = dict[str, Any]
MOST_VALUES = 20
"""Of those by which rows break an expectation, so many are kept."""


def merged(parts: Sequence[Result]) -> Result:
    """What was found in all of them, with the words of the first. `parts`: at least one, by one suite."""
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


def failed_on_rows(result: Result) -> bool:
    """Whether rows of a part break an expectation. How many rows there are is of the whole only."""
    return any(not each["success"] and "observed_value" not in each["result"] for each in result["results"])


def _of_expectation(found: Sequence[Result]) -> Result:
    first, results = found[0], [each["result"] for each in found]
    raised = [each for each in found if not each["result"]]
    if raised:
        return raised[0]
    if "observed_value" not in first["result"]:
        return {**first, "success": all(each["success"] for each in found), "result": _counted(results)}
    rows = sum(each["observed_value"] for each in results)
    expected = first["expectation_config"]["kwargs"]["value"]
    return {**first, "success": rows == expected, "result": {**first["result"], "observed_value": rows}}


def _counted(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Of an expectation of each row: counts, percents and the first values."""
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
