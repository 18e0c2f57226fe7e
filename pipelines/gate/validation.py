"""Great Expectations: opened once a process, in memory. Suites are made when they are asked for, in a millisecond; rows
come from Arrow as frames of pandas: measured on 300,000 rows and 8 expectations, 1.3 s.

Its import takes seconds: this file is imported where rows are validated.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

import great_expectations as gx
import pandas as pd
import pyarrow as pa
from great_expectations.core.expectation_validation_result import ExpectationSuiteValidationResult
from great_expectations.data_context import EphemeralDataContext
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.datasource.fluent.pandas_datasource import DataFrameAsset
from great_expectations.execution_engine import pandas_execution_engine
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration

from pipelines.gate.validation_results import MOST_VALUES, SOURCE, Result, failed_on_rows, merged
from schemas.expectations import ROWS_NOTED, Expectation

# It hashes each smaller frame, twice, for a marker that a result of several frames has no use for: a fifth of its time.
pandas_execution_engine.HASH_THRESHOLD = 0
# Where nothing fails, no values are asked for.
_NO_VALUES = {"result_format": "BASIC", "partial_unexpected_count": 0}
_SOME_VALUES = {**_NO_VALUES, "partial_unexpected_count": MOST_VALUES}
# A row took up to 250 bytes in all while it was checked, and a frame lives until the next is made: 250 MB at most.
ROWS_AT_ONCE = 500_000


def frames_of(rows: pa.RecordBatchReader) -> Iterator[pd.DataFrame]:
    """A frame of each batch; one without rows where there are none."""
    tables = (pa.Table.from_batches([batch]) for batch in rows)
    yield as_pandas(next(tables, rows.schema.empty_table()))
    yield from map(as_pandas, tables)


def as_pandas(rows: pa.Table) -> pd.DataFrame:
    """The rows for the library. It compares a column of pandas' own integers value by value, in Python: 1.1 s for
    860,000 rows. So only columns with nulls have these: as floats those beyond 2**53 would be rounded. Each text is
    there once: as objects for each row they took 0.3 s."""
    return pd.DataFrame({name: _series(column) for name, column in zip(rows.column_names, rows.columns, strict=True)})


def _series(column: pa.ChunkedArray) -> pd.Series:
    if pa.types.is_string(column.type):
        column = column.dictionary_encode().combine_chunks()
    nullable = {pa.int64(): pd.Int64Dtype()}
    return column.to_pandas(types_mapper=nullable.get if column.null_count else None)


def validated(
    expectations: Sequence[Expectation], frames: Iterable[pd.DataFrame], rows_noted: int, with_values: bool
) -> Result:
    """What is found on rows, of which ingest noted so many; on wish with some of the values that rows break it by.
    frames: at least one; each is gone when the next is asked for."""
    asked = suite(expectations)

    def found(rows: DataFrameAsset, frame: pd.DataFrame, form: dict) -> ExpectationSuiteValidationResult:
        batch = rows.get_batch(rows.build_batch_request({"dataframe": frame}))
        return batch.validate(asked, result_format=form, expectation_parameters={ROWS_NOTED: rows_noted})

    def of_frames(rows: DataFrameAsset) -> Iterator[Result]:
        for number, frame in enumerate(frames):
            result = found(rows, frame, _NO_VALUES)
            whole = _added(result) if result.success and number else result.to_json_dict()
            failed = with_values and failed_on_rows(whole)
            yield found(rows, frame, _SOME_VALUES).to_json_dict() if failed else whole

    sources = _context().data_sources
    try:
        return merged(list(of_frames(sources.add_pandas(SOURCE).add_dataframe_asset(asked.name))))
    finally:
        sources.delete(SOURCE)  # it has the frame that was validated last


def _added(result: ExpectationSuiteValidationResult) -> Result:
    """As much of one that is added to others as that needs: the whole as JSON took a quarter of a frame's time."""
    results = [
        {"success": each.success, "result": each.result, "expectation_config": {"meta": each.expectation_config.meta}}
        for each in result.results
        if each.expectation_config
    ]
    return {"success": result.success, "results": results}


def suite(expectations: Iterable[Expectation]) -> gx.ExpectationSuite:
    """The expectations of a table, under its name."""
    asked = list(expectations)
    made = gx.ExpectationSuite(name=asked[0].table)
    for each in asked:
        made.add_expectation_configuration(
            ExpectationConfiguration(type=each.kind, kwargs=each.parameters, meta={"name": each.name})
        )
    return made


def new_context() -> EphemeralDataContext:
    """The library without a project, and without a word of how far it has come."""
    context = gx.get_context(mode="ephemeral")
    context.variables.progress_bars = ProgressBarsConfig(globally=False)
    return context


_context = cache(new_context)
