"""Data Docs: the pages of Great Expectations on the suites and on each validation result that is kept.

Made when a user asks (`windrow report`), not at each validation: the index reads every result
(docs/decisions/0036-expectations-in-memory.md). A result never changes, so its page is made once.
"""

from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

from great_expectations.core.data_context_key import DataContextKey
from great_expectations.data_context import EphemeralDataContext
from great_expectations.data_context.store.tuple_store_backend import TupleFilesystemStoreBackend
from great_expectations.render.view.view import DefaultJinjaPageView
from jinja2 import ChoiceLoader, FileSystemLoader

from pipelines.config import Config
from pipelines.delta.locks import full_disk_reported, locked_here
from pipelines.gate.validation import new_context, suite
from pipelines.gate.validation_results import LOCK, PAGES, RESULTS, index, page, unreadable, write_whole
from schemas import registry
from schemas.errors import NotSetUp
from schemas.expectations import audit_expectations, late_expectations, silver_expectations

TEMPLATES = Path(__file__).parent / "pages"


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
