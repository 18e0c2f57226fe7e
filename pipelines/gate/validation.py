"""Great Expectations: opened once a process, in memory. Suites are made when they are asked for, in a millisecond.

Its import takes seconds: this file is imported where rows are validated.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache

import great_expectations as gx
import pandas as pd
from great_expectations.data_context import EphemeralDataContext
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.datasource.fluent.pandas_datasource import DataFrameAsset
from great_expectations.execution_engine import pandas_execution_engine
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration

from pipelines.gate.merged_results import MOST_VALUES, Result, failed_on_rows, merged
from pipelines.gate.validation_results import SOURCE
from schemas.expectations import ROWS_NOTED, Expectation

# It hashes each smaller frame, twice, for a marker that a result of several frames has no use for: a fifth of its time.
pandas_execution_engine.HASH_THRESHOLD = 0
# Where nothing fails, no values are asked for.
_NO_VALUES = {"result_format": "BASIC", "partial_unexpected_count": 0}
_SOME_VALUES = {**_NO_VALUES, "partial_unexpected_count": MOST_VALUES}


def validated(
    expectations: Sequence[Expectation], frames: Iterable[pd.DataFrame], rows_noted: int, with_values: bool
) -> Result:
    """What is found on rows, of which ingest noted so many; on wish with some of the values that rows break it by.
    frames: at least one; each is gone when the next is asked for."""
    asked = suite(expectations)

    def found(rows: DataFrameAsset, frame: pd.DataFrame, form: dict) -> Result:
        batch = rows.get_batch(rows.build_batch_request({"dataframe": frame}))
        result = batch.validate(asked, result_format=form, expectation_parameters={ROWS_NOTED: rows_noted})
        return result.to_json_dict()

    def of_frames(rows: DataFrameAsset) -> Iterator[Result]:
        for frame in frames:
            result = found(rows, frame, _NO_VALUES)
            yield found(rows, frame, _SOME_VALUES) if with_values and failed_on_rows(result) else result

    with _rows(asked.name) as rows:
        return merged(list(of_frames(rows)))


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
def _rows(table: str) -> Iterator[DataFrameAsset]:
    """A table's rows for the library. The source has the frame that was validated last, so it goes when it is no longer
    needed."""
    sources = _context().data_sources
    try:
        yield sources.add_pandas(SOURCE).add_dataframe_asset(table)
    finally:
        sources.delete(SOURCE)
