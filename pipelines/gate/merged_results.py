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
    """The first part's result, with what was found in all of them. `parts`: at least one, by one suite."""
    whole = parts[0]
    if len(parts) == 1:
        return whole
    whole.results = [_of_expectation(found) for found in zip(*(part.results for part in parts), strict=True)]
    whole.success = all(each.success for each in whole.results)
    passed = sum(bool(each.success) for each in whole.results)
    whole.statistics = {
        "evaluated_expectations": len(whole.results),
        "successful_expectations": passed,
        "unsuccessful_expectations": len(whole.results) - passed,
        "success_percent": _percent(passed, len(whole.results)),
    }
    return whole


def failed_on_rows(result: ExpectationSuiteValidationResult) -> bool:
    """Whether rows of a part break an expectation. How many rows there are is of the whole only."""
    return any(not each.success and "observed_value" not in each.result for each in result.results)


def _of_expectation(found: Sequence[ExpectationValidationResult]) -> ExpectationValidationResult:
    raised = [each for each in found if (each.exception_info or {}).get("raised_exception")]
    if raised:
        return raised[0]
    whole = found[0]
    if "observed_value" in whole.result:
        rows = sum(each.result["observed_value"] for each in found)
        whole.result["observed_value"], whole.success = rows, rows == _asked_rows(whole)
    else:
        whole.result, whole.success = _counted([each.result for each in found]), all(each.success for each in found)
    return whole


def _asked_rows(result: ExpectationValidationResult) -> object:
    config = result.expectation_config
    assert config is not None, "each result names what was expected"
    return config.kwargs["value"]


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
