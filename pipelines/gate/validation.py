"""Great Expectations: opened once a process, in memory. Suites are made when they are asked for, in a millisecond; rows
come from Arrow as frames of pandas: measured on 300,000 rows and 8 expectations, 1.3 s.

Data Docs are its pages on the suites and on each validation result that is kept: made when a user asks
(`windrow report`), not at each validation, as the index reads every result
(docs/decisions/0036-expectations-in-memory.md). A result never changes, so its page is made once.

It takes a second to import (pipelines/gx.py): this file is imported where rows are validated, and where pages are made.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import windrow.pipelines.gx  # noqa: F401  it is the one that imports Great Expectations

# isort: split
import great_expectations as gx
import pandas as pd
import pyarrow as pa
from great_expectations.core.data_context_key import DataContextKey
from great_expectations.core.expectation_validation_result import ExpectationSuiteValidationResult
from great_expectations.data_context import EphemeralDataContext
from great_expectations.data_context.store.tuple_store_backend import TupleFilesystemStoreBackend
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.datasource.fluent.pandas_datasource import DataFrameAsset
from great_expectations.execution_engine import pandas_execution_engine
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration
from great_expectations.render.view.view import DefaultJinjaPageView
from jinja2 import ChoiceLoader, FileSystemLoader

from windrow.pipelines.config import Config
from windrow.pipelines.delta.locks import full_disk_reported, locked_here
from windrow.pipelines.gate.validation_results import (
    LOCK,
    MOST_VALUES,
    PAGES,
    RESULTS,
    SOURCE,
    Result,
    index,
    merged,
    page,
    unreadable,
)
from windrow.pipelines.storage import write_whole
from windrow.schemas import registry
from windrow.schemas.errors import NotSetUp
from windrow.schemas.expectations import (
    ROWS_NOTED,
    Expectation,
    audit_expectations,
    late_expectations,
    silver_expectations,
)

# It hashes each smaller frame, twice, for a marker that a result of several frames has no use for: a fifth of its time.
pandas_execution_engine.HASH_THRESHOLD = 0
# With some of the values that rows break an expectation by: where nothing fails, to ask for them costs a twentieth.
_FORM = {"result_format": "BASIC", "partial_unexpected_count": MOST_VALUES}
# A row took up to 250 bytes in all while it was checked, and a frame lives until the next is made: 250 MB at most.
ROWS_AT_ONCE = 500_000
TEMPLATES = Path(__file__).parent / "pages"


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


def validated(expectations: Sequence[Expectation], frames: Iterable[pd.DataFrame], rows_noted: int) -> Result:
    """What is found on rows, of which ingest noted so many. frames: at least one; each is gone when the next is asked
    for."""
    asked = suite(expectations)

    def of_frames(rows: DataFrameAsset) -> Iterator[Result]:
        for number, frame in enumerate(frames):
            batch = rows.get_batch(rows.build_batch_request({"dataframe": frame}))
            result = batch.validate(asked, result_format=_FORM, expectation_parameters={ROWS_NOTED: rows_noted})
            yield _added(result) if result.success and number else result.to_json_dict()

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


class Built(NamedTuple):
    """The first page, how many results the pages have, and of how many the page is new."""

    first_page: Path
    results: int
    new: int


def build(config: Config) -> Built:
    """Make the pages that are missing, those of suites and the index again, and remove those of results that are gone.
    NotSetUp where there are no results yet; StorageFailed without room, or for a file that is no result. O(results)."""
    with locked_here(config, PAGES), locked_here(config, LOCK, shared=True), full_disk_reported(config, PAGES):
        if next((config.expectations / RESULTS).rglob("*.json"), None) is None:
            raise NotSetUp("there are no validation results yet", "windrow replay QUERY --day YYYY-MM-DD")
        context = _opened(config)
        results = context.validation_results_store.list_keys()
        new = [key for key in results if not page(config, _file(key)).exists()]
        # A list would be searched through for each result.
        asked = {*context.stores["expectations_store"].list_keys(), *new}
        try:
            context.build_data_docs(resource_identifiers=asked)  # type: ignore[arg-type]
        except Exception:
            _require_readable(config, context)
            raise
    for key in new:  # the library only logs what it could make no page of
        if not page(config, _file(key)).exists():
            raise unreadable(config.expectations / _file(key))
    return Built(index(config), len(results), len(new))


def _opened(config: Config) -> EphemeralDataContext:
    """The results that are kept, with suites of the definitions as they are now."""
    context = new_context()
    backend: Any = {**_files(config, RESULTS), "suppress_store_backend_id": True}
    context.add_store("validation_results_store", {"class_name": "ValidationResultsStore", "store_backend": backend})
    context.add_data_docs_site(PAGES, _site(config))
    any_day = date(1970, 1, 1)  # a suite is of every day
    queries = registry.queries().values()
    of_silver = [silver_expectations(stream, any_day, 0) for stream in registry.streams().values()]
    of_audits = [of_rows(query, any_day) for query in queries for of_rows in (audit_expectations, late_expectations)]
    for expectations in (*of_silver, *of_audits):
        context.suites.add(suite(expectations))
    return context


def _files(config: Config, folder: str) -> dict[str, object]:
    return {**_ours("WholeFiles"), "base_directory": str(config.expectations / folder)}


def _site(config: Config) -> Any:
    """The pages: those of the library in our own look, which needs nothing from elsewhere."""
    view = {"view": _ours("Page")}
    # By default a run whose name has "profiling" in it would be left out.
    validations = {**view, "run_name_filter": {"matches_regex": "^"}}
    return {
        "class_name": "SiteBuilder",
        "show_how_to_buttons": False,
        "store_backend": _files(config, PAGES),
        "site_section_builders": {"expectations": view, "validations": validations, "profiling": "none"},
        "site_index_builder": {"class_name": "DefaultSiteIndexBuilder", **view},
    }


def _ours(class_name: str) -> dict[str, object]:
    """A class of this file, as the library finds it."""
    return {"module_name": __name__, "class_name": class_name}


class WholeFiles(TupleFilesystemStoreBackend):
    """The library's store, of files that are there as a whole or not at all: a page that is there isn't made again."""

    def _set(self, key: tuple[str, ...], value: str | bytes, **options: object) -> str:  # type: ignore[override]
        path = Path(self.full_base_directory, self._convert_key_to_filepath(key))
        write_whole(path, value.encode() if isinstance(value, str) else value)
        return str(path)


class Page(DefaultJinjaPageView):
    """A page of a suite or of a result, or the index of all, by TEMPLATES: the library's own load styles and scripts
    from six other machines, and without these an index lists nothing. What TEMPLATES lacks is the library's."""

    def __init__(self, **directories: str | None) -> None:
        super().__init__(**directories)
        # `custom_views_directory` only adds templates: a name that the library has too is the library's there.
        theirs = self.env.loader
        assert theirs is not None, "the library sets it"
        self.env.loader = ChoiceLoader([FileSystemLoader(TEMPLATES), theirs])


def _require_readable(config: Config, context: EphemeralDataContext) -> None:
    """StorageFailed with the file of a result that can't be read, of which the library's own error says nothing."""
    for key in context.validation_results_store.list_keys():
        try:
            context.validation_results_store.get(key)
        except Exception as damage:
            raise unreadable(config.expectations / _file(key)) from damage


def _file(result: DataContextKey) -> str:
    """Where a result lies, below `Config.expectations`."""
    return "/".join((RESULTS, *result.to_tuple())) + ".json"
