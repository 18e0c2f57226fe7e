"""The kept project of Great Expectations, `<home>/expectations`: of each table that the gate checks a suite, made from
schemas/expectations.py, with a validation definition and a checkpoint, which keeps each validation's result.

A checkpoint is of one table: a checkpoint gives one data frame to all of its validations, and the gate of a query
checks two tables. All but the results can be made again at any time, and is, when a definition or the library changed.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime
from hashlib import sha256
from shutil import rmtree
from typing import NamedTuple

import pandas as pd

from pipelines.config import Config
from pipelines.gate.validation_results import LOCK, PAGES, RESULTS, run_name
from pipelines.lake.locks import full_disk_reported, locked
from schemas.errors import StorageFailed
from schemas.expectations import Expectation

# Read while the library is imported: it must not send anything anywhere.
os.environ["GX_ANALYTICS_ENABLED"] = "False"

import great_expectations as gx
from great_expectations.checkpoint.checkpoint import CheckpointResult
from great_expectations.core.expectation_validation_result import ExpectationSuiteValidationResult
from great_expectations.core.run_identifier import RunIdentifier
from great_expectations.data_context import FileDataContext
from great_expectations.expectations.expectation_configuration import ExpectationConfiguration

SOURCE, ROWS = "lake", "rows"
# Which suites are whole, with a digest of what each was made of: there is none while one is being made.
MADE_OF = "made_of.json"
SUITES = "suites"
_DEFINITIONS = (SUITES, "validation_definitions", "checkpoints")
_YML = "great_expectations.yml"


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
    config: Config, batch: TableBatch, expectations: Sequence[Expectation], frame: pd.DataFrame
) -> Validation:
    """Run the checkpoint of the batch's table on its rows, and keep the result. StorageFailed without room for it, or
    where the project can't be read."""
    digest = _digest(expectations)
    with full_disk_reported(config, batch.table):
        while True:
            with locked(config, LOCK, shared=True):
                if _made_of(config).get(batch.table) == digest:
                    return _validated(config, batch, expectations, frame)
            with locked(config, LOCK):
                _renew(config, batch.table, expectations, digest)


def opened(config: Config) -> FileDataContext:
    """The project; the caller holds its lock."""
    with _readable(config):
        return gx.get_context(mode="file", context_root_dir=config.expectations)


def _validated(
    config: Config, batch: TableBatch, expectations: Sequence[Expectation], frame: pd.DataFrame
) -> Validation:
    context = opened(config)
    with _readable(config):
        checkpoint = context.checkpoints.get(batch.table)
    ended: CheckpointResult = checkpoint.run(
        batch_parameters={"dataframe": frame},
        expectation_parameters={name: value for each in expectations for name, value in each.of_day.items()},
        run_id=RunIdentifier(run_name=run_name(batch.run_id), run_time=datetime.now(UTC)),
    )
    ((key, result),) = ended.run_results.items()
    # The library takes no word of ours along: what it kept is kept again, with them.
    markers = {"run": batch.run_id, "version": batch.version, "day": batch.day.isoformat()}
    result.meta["batch_markers"] = {**(result.meta["batch_markers"] or {}), **markers}  # type: ignore[arg-type]
    context.validation_results_store.set(key, result)
    return Validation(result, result_file(key.to_tuple()))


def result_file(key: tuple[str, ...]) -> str:
    """Where the library keeps a result, below `Config.expectations`."""
    return "/".join((RESULTS, *key)) + ".json"


def _digest(expectations: Sequence[Expectation]) -> str:
    """Of what a suite is made of: the definitions, not a day's values."""
    return _hash([(each.kind, each.name, each.parameters) for each in expectations])


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


def _renew(config: Config, table: str, expectations: Sequence[Expectation], digest: str) -> None:
    """Make a table's suite; all of them are made anew where the making of one was cut off."""
    folder, made_of = config.expectations, _made_of(config)
    if made_of.get(table) == digest:
        return
    (folder / MADE_OF).unlink(missing_ok=True)
    if not made_of:
        for name in _DEFINITIONS:
            rmtree(folder / name, ignore_errors=True)
        folder.mkdir(parents=True, exist_ok=True)
        # JSON is YAML.
        (folder / _YML).write_text(json.dumps(_settings()))
    _add(opened(config), table, expectations)
    unfinished = folder / f"{MADE_OF}.unfinished"
    unfinished.write_text(json.dumps({"project": _project(), "suites": {**made_of, table: digest}}))
    unfinished.rename(folder / MADE_OF)


def _add(context: FileDataContext, table: str, expectations: Sequence[Expectation]) -> None:
    source = context.data_sources.all().get(SOURCE) or context.data_sources.add_pandas(SOURCE)
    if table not in source.get_asset_names():
        source.add_dataframe_asset(table).add_batch_definition_whole_dataframe(ROWS)
    suite = gx.ExpectationSuite(name=table)
    for each in expectations:
        suite.add_expectation_configuration(
            ExpectationConfiguration(type=each.kind, kwargs=each.parameters, meta={"name": each.name})
        )
    rows = source.get_asset(table).get_batch_definition(ROWS)
    definition = gx.ValidationDefinition(name=table, data=rows, suite=context.suites.add_or_update(suite))
    checkpoint = gx.Checkpoint(
        name=table,
        validation_definitions=[context.validation_definitions.add_or_update(definition)],
        result_format={"result_format": "BASIC"},
    )
    context.checkpoints.add_or_update(checkpoint)


def _settings() -> dict:
    """The project's own file, before its tables."""
    stores = {"expectations": SUITES, "checkpoint": "checkpoints", "validation_definition": "validation_definitions"}
    return {
        "config_version": 4.0,
        "analytics_enabled": False,
        "progress_bars": {"globally": False},
        "plugins_directory": None,
        "expectations_store_name": "expectations_store",
        "validation_results_store_name": "validation_results_store",
        "checkpoint_store_name": "checkpoint_store",
        "stores": {
            **{f"{kind}_store": _store(_class_of(kind), folder) for kind, folder in stores.items()},
            "validation_results_store": _store("ValidationResultsStore", RESULTS),
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
