"""Great Expectations: opened once a process, in memory. Suites are made when they are asked for, in a millisecond."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache

import great_expectations as gx
from great_expectations.core.expectation_validation_result import ExpectationSuiteValidationResult
from great_expectations.data_context import EphemeralDataContext
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.datasource.fluent.pandas_datasource import DataFrameAsset as PandasFrames
from great_expectations.datasource.fluent.spark_datasource import DataFrameAsset as SparkFrames
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration

from pipelines.engines.engine import Frames
from pipelines.gate.merged_results import MOST_VALUES, failed_on_rows, merged
from pipelines.gate.validation_results import SOURCE
from schemas.expectations import ROWS_NOTED, Expectation

_FramesOfTable = PandasFrames | SparkFrames
# Where nothing fails, no values are asked for: these take Spark another pass over the rows for each expectation.
_NO_VALUES = {"result_format": "BASIC", "partial_unexpected_count": 0}
_SOME_VALUES = {**_NO_VALUES, "partial_unexpected_count": MOST_VALUES}


def validated(
    expectations: Sequence[Expectation], frames: Frames, rows_noted: int, with_values: bool
) -> ExpectationSuiteValidationResult:
    """What is found on rows, of which ingest noted so many; on wish with some of the values that rows break it by."""
    asked = suite(expectations)

    def found(rows: _FramesOfTable, part: object, form: dict) -> ExpectationSuiteValidationResult:
        batch = rows.get_batch(rows.build_batch_request({"dataframe": part}))
        return batch.validate(asked, result_format=form, expectation_parameters={ROWS_NOTED: rows_noted})

    def of_parts(rows: _FramesOfTable) -> Iterator[ExpectationSuiteValidationResult]:
        for part in frames.parts:
            result = found(rows, part, _NO_VALUES)
            yield found(rows, part, _SOME_VALUES) if with_values and failed_on_rows(result) else result

    with _rows(frames.library, asked.name) as rows:
        return merged(list(of_parts(rows)))


def suite(expectations: Iterable[Expectation]) -> gx.ExpectationSuite:
    """The expectations of a table, under its name."""
    asked = list(expectations)
    made = gx.ExpectationSuite(name=asked[0].table)
    for each in asked:
        made.add_expectation_configuration(
            ExpectationConfiguration(type=each.kind, kwargs=each.parameters, meta={"name": each.name})
        )
    return made


@cache
def _context() -> EphemeralDataContext:
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    return context


@contextmanager
def _rows(library: str, table: str) -> Iterator[_FramesOfTable]:
    """A table's rows for the library, which has a source of its own for each kind of frames. The source has the frame
    that was validated last, so it goes when it is no longer needed."""
    sources = _context().data_sources
    source = sources.add_spark(SOURCE, persist=False) if library == "spark" else sources.add_pandas(SOURCE)
    try:
        yield source.add_dataframe_asset(table)
    finally:
        sources.delete(SOURCE)
