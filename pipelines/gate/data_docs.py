"""Data Docs: the pages of Great Expectations on the suites and on each validation result that is kept.

Made when somebody asks (`windrow docs`), not at each validation: the index reads every result
(docs/decisions/0016-kept-expectations.md). A result never changes, so its page is made once.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pipelines.config import Config
from pipelines.gate import project
from pipelines.gate.validation_results import LOCK, PAGES, RESULTS, index, page, unreadable
from pipelines.lake.locks import full_disk_reported, locked_here
from schemas.errors import NotSetUp

if TYPE_CHECKING:
    from great_expectations.data_context import FileDataContext


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
        _require_suites(config)
        context = project.opened(config)
        results = context.validation_results_store.list_keys()
        new = [key for key in results if not _page(config, key.to_tuple()).exists()]
        asked = {*context.stores["expectations_store"].list_keys(), *new}
        # A list would be searched through for each result.
        with _damage_named(config, context):
            context.build_data_docs(resource_identifiers=asked)  # type: ignore[arg-type]
    for key in new:  # the library only logs what it could make no page of
        if not _page(config, key.to_tuple()).exists():
            raise unreadable(config.expectations / project.result_file(key.to_tuple()))
    return Built(index(config), len(results), len(new))


def _require_suites(config: Config) -> None:
    if (config.expectations / project.MADE_OF).exists():
        return
    has_results = next((config.expectations / RESULTS).rglob("*.json"), None)
    missing = (
        "the suites are gone, which the next gate makes again" if has_results else "there are no validation results yet"
    )
    raise NotSetUp(missing, "windrow replay QUERY --day YYYY-MM-DD")


@contextmanager
def _damage_named(config: Config, context: "FileDataContext") -> Iterator[None]:
    """StorageFailed with the file of a result that can't be read, of which the library's own error says nothing."""
    try:
        yield
    except Exception as error:
        store = context.validation_results_store
        for key in store.list_keys():
            try:
                store.get(key)
            except Exception as damage:
                raise unreadable(config.expectations / project.result_file(key.to_tuple())) from damage
        raise error


def _page(config: Config, result: tuple) -> Path:
    return page(config, project.result_file(result))
