"""Data Docs: the pages of Great Expectations on the suites and on each validation result that is kept.

Made when somebody asks (`windrow report`), not at each validation: the index reads every result
(docs/decisions/0036-expectations-in-memory.md). A result never changes, so its page is made once.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pipelines.config import Config
from pipelines.delta.locks import full_disk_reported, locked_here
from pipelines.gate.validation import gx, suite
from pipelines.gate.validation_results import LOCK, PAGES, RESULTS, index, page, unreadable
from schemas import registry
from schemas.errors import NotSetUp
from schemas.expectations import Expectation, audit_expectations, late_expectations, silver_expectations

if TYPE_CHECKING:
    from great_expectations.core.data_context_key import DataContextKey

_STORES = {"expectations": "Expectations", "checkpoint": "Checkpoint", "validation_definition": "ValidationDefinition"}


class Built(NamedTuple):
    """The first page, how many results the pages have, and of how many the page is new."""

    first_page: Path
    results: int
    new: int


def build(config: Config) -> Built:
    """Make the pages that are missing, those of suites and the index again, and remove those of results that are gone.

    NotSetUp where there are no results yet; StorageFailed without room, or for a file that is no result. O(results),
    and a page for each new one.
    """
    with locked_here(config, PAGES), locked_here(config, LOCK, shared=True), full_disk_reported(config, PAGES):
        _require_results(config)
        context = _opened(config)
        results = context.validation_results_store.list_keys()
        new = [key for key in results if not page(config, _file(key)).exists()]
        asked = {*context.stores["expectations_store"].list_keys(), *new}
        # A list would be searched through for each result.
        with _damage_named(config, context):
            context.build_data_docs(resource_identifiers=asked)  # type: ignore[arg-type]
    for key in new:  # the library only logs what it could make no page of
        if not page(config, _file(key)).exists():
            raise unreadable(config.expectations / _file(key))
    return Built(index(config), len(results), len(new))


def _require_results(config: Config) -> None:
    if next((config.expectations / RESULTS).rglob("*.json"), None) is None:
        raise NotSetUp("there are no validation results yet", "windrow replay QUERY --day YYYY-MM-DD")


def _opened(config: Config) -> gx.data_context.EphemeralDataContext:
    """The results that are kept, with suites of the definitions as they are now."""
    context = gx.get_context(mode="ephemeral", project_config=_project(config))
    for expectations in _of_tables():
        context.suites.add(suite(expectations))
    return context


def _of_tables() -> Iterator[tuple[Expectation, ...]]:
    any_day = date(1970, 1, 1)  # a suite is of every day
    for stream in registry.streams().values():
        yield silver_expectations(stream, any_day, 0)
    for query in registry.queries().values():
        yield audit_expectations(query, any_day)
        yield late_expectations(query, any_day)


def _project(config: Config) -> dict[str, object]:
    stores: dict[str, dict] = {f"{kind}_store": {"class_name": f"{name}Store"} for kind, name in _STORES.items()}
    backend = {**_files(config, RESULTS), "suppress_store_backend_id": True}
    results = {"class_name": "ValidationResultsStore", "store_backend": backend}
    return {
        "config_version": 4.0,
        "analytics_enabled": False,
        "progress_bars": {"globally": False},
        **{f"{kind}_store_name": f"{kind}_store" for kind in (*_STORES, "validation_results")},
        "stores": {**stores, "validation_results_store": results},
        "data_docs_sites": {PAGES: _site(config)},
    }


def _files(config: Config, folder: str) -> dict[str, object]:
    whole_files = {"module_name": "pipelines.gate.pages.store", "class_name": "WholeFiles"}
    return {**whole_files, "base_directory": str(config.expectations / folder)}


def _site(config: Config) -> dict[str, object]:
    """The pages: those of the library in our own look, which needs nothing from elsewhere."""
    view = {"module_name": "pipelines.gate.pages.view", "class_name": "Page"}
    # By default a run whose name has "profiling" in it would be left out.
    every_run = {"matches_regex": "^"}
    return {
        "class_name": "SiteBuilder",
        "show_how_to_buttons": False,
        "store_backend": _files(config, PAGES),
        "site_section_builders": {
            "expectations": {"view": view},
            "validations": {"view": view, "run_name_filter": every_run},
            "profiling": "none",
        },
        "site_index_builder": {"class_name": "DefaultSiteIndexBuilder", "view": view},
    }


@contextmanager
def _damage_named(config: Config, context: gx.data_context.EphemeralDataContext) -> Iterator[None]:
    """StorageFailed with the file of a result that can't be read, of which the library's own error says nothing."""
    try:
        yield
    except Exception as error:
        store = context.validation_results_store
        for key in store.list_keys():
            try:
                store.get(key)
            except Exception as damage:
                raise unreadable(config.expectations / _file(key)) from damage
        raise error


def _file(result: "DataContextKey") -> str:
    """Where a result lies, below `Config.expectations`."""
    return "/".join((RESULTS, *result.to_tuple())) + ".json"
