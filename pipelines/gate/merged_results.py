"""One validation result of the results of parts of a batch, which together have its rows, each once.

Great Expectations takes a batch as one data frame; pandas would hold a day of 50 million rows in 12 GB.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from great_expectations.core.expectation_validation_result import (
    ExpectationSuiteValidationResult,
    ExpectationValidationResult,
)

MOST_VALUES = 20
"""Of those by which rows break an expectation, so many are kept."""


def merged(parts: Sequence[ExpectationSuiteValidationResult]) -> ExpectationSuiteValidationResult:
    """What was found in all of them, with the words of the first. `parts`: at least one, by one suite."""
    first = parts[0]
    if len(parts) == 1:
        return first
    # By name: the library has those that fail first.
    found = [{name_of(each): each for each in part.results} for part in parts]
    results = [_of_expectation([part[name] for part in found]) for name in found[0]]
    passed = sum(bool(each.success) for each in results)
    statistics = {
        "evaluated_expectations": len(results),
        "successful_expectations": passed,
        "unsuccessful_expectations": len(results) - passed,
        "success_percent": _percent(passed, len(results)),
    }
    return ExpectationSuiteValidationResult(
        passed == len(results), results, first.suite_name, first.suite_parameters, statistics, first.meta, id=first.id
    )


def name_of(result: ExpectationValidationResult) -> str:
    """The expectation's own."""
    return _expected(result).meta["name"]


def failed_on_rows(result: ExpectationSuiteValidationResult) -> bool:
    """Whether rows of a part break an expectation. How many rows there are is of the whole only."""
    return any(not each.success and "observed_value" not in each.result for each in result.results)


def _of_expectation(found: Sequence[ExpectationValidationResult]) -> ExpectationValidationResult:
    first, results = found[0], [each.result for each in found]
    raised = [each for each in found if not each.result]
    if raised:
        return raised[0]
    if "observed_value" in first.result:
        rows = sum(each["observed_value"] for each in results)
        passed, whole = rows == _expected(first).kwargs["value"], {**first.result, "observed_value": rows}
    else:
        passed, whole = all(each.success for each in found), _counted(results)
    return ExpectationValidationResult(passed, first.expectation_config, whole, first.meta, first.exception_info)


def _expected(result: ExpectationValidationResult) -> Any:
    config = result.expectation_config
    assert config is not None and config.meta is not None, "the suite's expectations have their names in their meta"
    return config


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
