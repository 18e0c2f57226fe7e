"""Great Expectations over the rows of one day: one batch of a table, at one version.

Its import takes 4 s; so `gate.py` imports this file only where something has to be checked.
"""

from typing import TYPE_CHECKING

from pipelines.config import Config
from pipelines.gate.merged_results import name_of
from pipelines.gate.project import TableBatch, run_checkpoint
from pipelines.gate.recount import sql
from pipelines.lake.engine import Frames
from pipelines.ledger.verdicts import Verdict
from schemas.expectations import Expectation

if TYPE_CHECKING:
    from great_expectations.core.expectation_validation_result import ExpectationValidationResult


def statement(expectations: tuple[Expectation, ...], relation: str) -> str:
    """SQL: the columns that the expectations are of. Each of them is of one column, read or computed, so that Spark
    looks at all rows once for all of them."""
    columns = dict.fromkeys(column for each in expectations for column in each.columns)
    computed = dict(each.computed for each in expectations if each.computed)
    listed = [*map(sql.name, columns), *(f"{made} AS {sql.name(column)}" for column, made in computed.items())]
    return f"SELECT {', '.join(listed)} FROM {relation}"


def verdicts_on(
    config: Config, frames: Frames, batch: TableBatch, expectations: tuple[Expectation, ...]
) -> list[Verdict]:
    """One verdict per expectation of a table, on the rows of `statement`, which are the batch."""
    result, path = run_checkpoint(config, batch, expectations, frames)
    results = {name_of(each): each for each in result.results}
    return [_verdict(each, results[each.name], batch, path) for each in expectations]


def _verdict(expectation: Expectation, result: "ExpectationValidationResult", batch: TableBatch, path: str) -> Verdict:
    passed = bool(result.success)
    return Verdict(
        expectation.name,
        passed,
        _figure(result),
        expectation.limit,
        None if passed else expectation.offending,
        batch.table,
        batch.version,
        path,
    )


def _figure(result: "ExpectationValidationResult") -> str:
    found = result.result
    if "unexpected_count" in found:
        return f"{found['unexpected_count']} of {found['element_count']} rows break it"
    if "observed_value" in found:
        return f"{found['observed_value']} rows"
    raised = result.exception_info or {}
    return f"could not be checked: {raised.get('exception_message', raised)}"
