"""The kept project of Great Expectations, `<home>/expectations`: of each table that the gate checks a suite, made from
schemas/expectations.py, with a validation definition and a checkpoint, which keeps each validation's result.

A checkpoint is of one table: a checkpoint gives one data frame to all of its validations, and the gate of a query
checks two tables. A suite has one for each library of frames. All but the results can be made again at any time, and
is, when a definition or the library changed.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from hashlib import sha256
from shutil import rmtree
from typing import Any, NamedTuple

from pipelines.config import Config
from pipelines.gate import merged_results
from pipelines.gate.validation_results import LOCK, PAGES, RESULTS, run_name
from pipelines.lake.engine import Frames
from pipelines.lake.locks import full_disk_reported, locked_here
from schemas.errors import StorageFailed
from schemas.expectations import Expectation

# Read while the library is imported: it must not send anything anywhere.
os.environ["GX_ANALYTICS_ENABLED"] = "False"

import great_expectations as gx
from great_expectations.checkpoint.checkpoint import CheckpointResult
from great_expectations.core.expectation_validation_result import ExpectationSuiteValidationResult
from great_expectations.core.run_identifier import RunIdentifier
from great_expectations.data_context import FileDataContext
from great_expectations.data_context.store import ValidationResultsStore
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration

ROWS = "rows"
# A source for each library whose frames an engine gives, and its checkpoints. Where nothing fails, no values are asked
# for: these take Spark another pass over the rows for each expectation.
SOURCES = {"pandas": "lake", "spark": "lake_on_spark"}
CHECKPOINTS = {"pandas": "", "spark": "_on_spark"}
NO_VALUES = {"result_format": "BASIC", "partial_unexpected_count": 0}
SOME_VALUES = {**NO_VALUES, "partial_unexpected_count": merged_results.MOST_VALUES}
# Which suites are whole, with a digest of what each was made of: there is none while one is being made.
MADE_OF = "made_of.json"
SUITES = "suites"
_DEFINITIONS = (SUITES, "validation_definitions", "checkpoints")
_YML = "great_expectations.yml"
_RESULTS_STORE = "validation_results_store"


class TableBatch(NamedTuple):
    """Which rows are validated: a day of a version of a table, for a run."""

    run_id: str
    table: str
    version: int
    day: date


class Validation(NamedTuple):
    """A validation's result, and its file below `Config.expectations`."""

    result: ExpectationSuiteValidationResult
    path: str


def run_checkpoint(
    config: Config, batch: TableBatch, expectations: Sequence[Expectation], frames: Frames
) -> Validation:
    """Run the checkpoint of the batch's table on its rows, and keep the result. StorageFailed without room for it, or
    where the project can't be read."""
    asked = _Asked(batch.table, expectations, frames.library)
    with full_disk_reported(config, batch.table):
        while True:
            with locked_here(config, LOCK, shared=True):
                if _made_of(config).get(asked.checkpoint) == asked.digest:
                    return _validated(config, batch, asked, frames)
            with locked_here(config, LOCK):
                _renew(config, asked)


def opened(config: Config) -> FileDataContext:
    """The project; the caller holds its lock."""
    with _readable(config):
        return gx.get_context(mode="file", context_root_dir=config.expectations)


def _validated(config: Config, batch: TableBatch, asked: "_Asked", frames: Frames) -> Validation:
    context = opened(config)
    with _readable(config):
        checkpoint = context.checkpoints.get(asked.checkpoint)
    # What the library keeps of a part by itself must not be taken for the whole.
    results, context.stores[_RESULTS_STORE] = context.validation_results_store, ValidationResultsStore()
    of_day = {name: value for each in asked.expectations for name, value in each.of_day.items()}
    run_id = RunIdentifier(run_name=run_name(batch.run_id), run_time=datetime.now(UTC))
    given: dict[str, Any] = {"expectation_parameters": of_day, "run_id": run_id}
    found = [_run(checkpoint, {**given, "batch_parameters": {"dataframe": part}}) for part in frames.parts]
    key, result = found[0][0], merged_results.merged([of_part for _, of_part in found])
    # The library takes no word of ours along.
    markers = {"run": batch.run_id, "version": batch.version, "day": batch.day.isoformat()}
    result.meta["batch_markers"] = {**(result.meta["batch_markers"] or {}), **markers}  # type: ignore[arg-type]
    results.set(key, result)
    return Validation(result, result_file(key.to_tuple()))


def _run(checkpoint: gx.Checkpoint, given: Mapping[str, Any]) -> tuple[Any, ExpectationSuiteValidationResult]:
    """A result and its key in the store; with some of the values that rows break it by."""
    ended: CheckpointResult = checkpoint.run(**given)
    ((key, result),) = ended.run_results.items()
    if not merged_results.failed_on_rows(result):
        return key, result
    (definition,) = checkpoint.validation_definitions
    return key, definition.run(checkpoint_id=checkpoint.id, result_format=SOME_VALUES, **given)


def result_file(key: tuple[str, ...]) -> str:
    """Where the library keeps a result, below `Config.expectations`."""
    return "/".join((RESULTS, *key)) + ".json"


class _Asked(NamedTuple):
    """The expectations of a table, on frames of a library."""

    table: str
    expectations: Sequence[Expectation]
    library: str

    @property
    def checkpoint(self) -> str:
        """Its name, and that of its validation definition; the suite has the table's."""
        return self.table + CHECKPOINTS[self.library]

    @property
    def digest(self) -> str:
        """Of what a suite is made of: the definitions, not a day's values."""
        return _hash([(each.kind, each.name, each.parameters) for each in self.expectations])


def _hash(made_of: object) -> str:
    return sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()


def _made_of(config: Config) -> dict[str, str]:
    """Digests of the suites that are whole, by table: none where settings or library of the project are others."""
    path = config.expectations / MADE_OF
    try:
        kept = json.loads(path.read_text())
        return dict(kept["suites"]) if kept["project"] == _project() else {}
    except (FileNotFoundError, ValueError, KeyError, TypeError):  # damaged: the suites are made again
        return {}


def _project() -> str:
    return _hash([gx.__version__, _settings()])


def _renew(config: Config, asked: _Asked) -> None:
    """Make a table's suite and checkpoint; all of them are made anew where the making of one was cut off."""
    folder, made_of = config.expectations, _made_of(config)
    if made_of.get(asked.checkpoint) == asked.digest:
        return
    (folder / MADE_OF).unlink(missing_ok=True)
    if not made_of:
        for name in _DEFINITIONS:
            rmtree(folder / name, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        # JSON is YAML.
        (folder / _YML).write_text(json.dumps(_settings()))
    _add(opened(config), asked)
    unfinished = folder / f"{MADE_OF}.unfinished"
    suites = {name: digest for name, digest in made_of.items() if not _is_outdated(asked, name, digest)}
    unfinished.write_text(json.dumps({"project": _project(), "suites": {**suites, asked.checkpoint: asked.digest}}))
    unfinished.rename(folder / MADE_OF)


def _is_outdated(asked: _Asked, checkpoint: str, digest: str) -> bool:
    """Whether it is the same table's, on frames of another library, and its suite was another."""
    return checkpoint in {asked.table + end for end in CHECKPOINTS.values()} and digest != asked.digest


def _add(context: FileDataContext, asked: _Asked) -> None:
    source = _source(context, asked.library)
    if asked.table not in source.get_asset_names():
        source.add_dataframe_asset(asked.table).add_batch_definition_whole_dataframe(ROWS)
    suite = gx.ExpectationSuite(name=asked.table)
    for each in asked.expectations:
        suite.add_expectation_configuration(
            ExpectationConfiguration(type=each.kind, kwargs=each.parameters, meta={"name": each.name})
        )
    rows = source.get_asset(asked.table).get_batch_definition(ROWS)
    definition = gx.ValidationDefinition(name=asked.checkpoint, data=rows, suite=context.suites.add_or_update(suite))
    validated = context.validation_definitions.add_or_update(definition)
    checkpoint = gx.Checkpoint(name=asked.checkpoint, validation_definitions=[validated], result_format=NO_VALUES)
    context.checkpoints.add_or_update(checkpoint)


def _source(context: FileDataContext, library: str) -> Any:
    """The library has a type of its own for each."""
    found = context.data_sources.all().get(SOURCES[library])
    if found is not None:
        return found
    if library == "spark":
        return context.data_sources.add_spark(SOURCES[library], persist=False)
    return context.data_sources.add_pandas(SOURCES[library])


def _settings() -> dict:
    """The project's own file, before its tables."""
    stores = {"expectations": SUITES, "checkpoint": "checkpoints", "validation_definition": "validation_definitions"}
    return {
        "config_version": 4.0,
        "analytics_enabled": False,
        "progress_bars": {"globally": False},
        "plugins_directory": None,
        "expectations_store_name": "expectations_store",
        "validation_results_store_name": _RESULTS_STORE,
        "checkpoint_store_name": "checkpoint_store",
        "stores": {
            **{f"{kind}_store": _store(_class_of(kind), folder) for kind, folder in stores.items()},
            _RESULTS_STORE: _store("ValidationResultsStore", RESULTS),
        },
        "data_docs_sites": {PAGES: _site()},
    }


def _class_of(kind: str) -> str:
    return "".join(word.capitalize() for word in kind.split("_")) + "Store"


def _store(name: str, folder: str) -> dict:
    return {"class_name": name, "store_backend": {**_files(folder), "suppress_store_backend_id": True}}


def _files(folder: str) -> dict:
    return {"module_name": "pipelines.gate.whole_files", "class_name": "WholeFiles", "base_directory": folder}


def _site() -> dict:
    """The pages: those of the library in our own look, which needs nothing from elsewhere."""
    view = {"module_name": "pipelines.gate.pages.view", "class_name": "Page"}
    # By default a run whose name has "profiling" in it would be left out.
    every_run = {"matches_regex": "^"}
    return {
        "class_name": "SiteBuilder",
        "show_how_to_buttons": False,
        "store_backend": _files(PAGES),
        "site_section_builders": {
            "expectations": {"view": view},
            "validations": {"view": view, "run_name_filter": every_run},
            "profiling": "none",
        },
        "site_index_builder": {"class_name": "DefaultSiteIndexBuilder", "view": view},
    }


@contextmanager
def _readable(config: Config) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # of as many kinds as there are ways to damage a file
        raise StorageFailed(
            f"Great Expectations can't read its project in {config.expectations}: {type(error).__name__}: {error}; "
            f"remove {config.expectations / MADE_OF}, and run the same command again: all but the validation results "
            "is made anew"
        ) from error
