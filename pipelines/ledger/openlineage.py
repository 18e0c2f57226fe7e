"""A step of the ledger as an event of OpenLineage, in the classes of its client: from plain values, which a process can
hand to another. An operator of Airflow makes of them what the provider asks it for; it has no lake to look at.

The client is imported where an event is made: `windrow` starts without it.
"""

import json
import os
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from datetime import date, timedelta
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar
from uuid import NAMESPACE_URL, uuid5

from windrow.pipelines import flow
from windrow.schemas.errors import WrongParameter

if TYPE_CHECKING:
    from openlineage.client import event_v2, facet_v2

Place: TypeAlias = tuple[str, str]
T = TypeVar("T")
FILE = "WINDROW_LINEAGE_FILE"
"""Names the file into which a command writes its steps, a line each, for the operator that has started it."""
NAMESPACE, PARENT = "OPENLINEAGE_NAMESPACE", "OPENLINEAGE_PARENT_ID"
_EVENTS = {"running": "START", "done": "COMPLETE", "failed": "FAIL", "refused": "FAIL"}
_DOES = {
    "ingest": flow.SILVER.does,
    "forget": "takes out what a file delivered, or lines of a person",
    "erase": "proves that a person's values are gone",
    "audit": flow.REPLAY.does,
    "publish": flow.PUBLISH.does,
    "features": flow.FEATURES.does,
}


class ColumnLineage(NamedTuple):
    """A column of a table, and of which columns of which tables it is made."""

    name: str
    type: str
    meaning: str
    made_from: tuple[tuple[str, str, str], ...] = ()


class Check(NamedTuple):
    """What a check of the gate found on a table. offending: SQL that shows the rows which broke it."""

    name: str
    column: str | None
    passed: bool
    figure: str
    allowed: str
    offending: str | None


@dataclass(frozen=True)
class TableLineage:
    """A table, or a folder of files, that a step read or wrote. place: its namespace and its name in it, as
    https://openlineage.io/docs/spec/naming has them; rows, files: how many."""

    place: Place
    meaning: str = ""
    version: int | None = None
    rows: int | None = None
    files: int | None = None
    columns: tuple[ColumnLineage, ...] = ()
    checks: tuple[Check, ...] = ()

    @classmethod
    def of_json(cls, value: dict[str, Any]) -> "TableLineage":
        """What `asdict` gave, after it was JSON."""
        columns = tuple(ColumnLineage(*each) for each in value["columns"])
        checks = tuple(Check(*each) for each in value["checks"])
        return cls(**{**value, "place": tuple(value["place"]), "columns": columns, "checks": checks})

    def and_also(self, other: "TableLineage") -> "TableLineage":
        """Both uses of a table as one."""
        newest = max(self, other, key=lambda each: -1 if each.version is None else each.version)
        rows, files = _sum(self.rows, other.rows), _sum(self.files, other.files)
        return replace(newest, rows=rows, files=files, checks=(*self.checks, *other.checks))


@dataclass(frozen=True)
class StepLineage:
    """What a step read and wrote; of one that has only begun, nothing. began, at: when it began, and ended or was last
    seen, in ISO 8601; of: the query, or the stream of an ingest; tags: what else the ledger has of it."""

    home: str
    run_id: str
    step: str
    of: str
    day: str | None
    state: str
    message: str | None
    began: str
    at: str
    tags: dict[str, str] = field(default_factory=dict)
    inputs: tuple[TableLineage, ...] = ()
    outputs: tuple[TableLineage, ...] = ()

    @property
    def as_json(self) -> str:
        """On one line."""
        return json.dumps(asdict(self))

    @classmethod
    def of_json(cls, text: str) -> "StepLineage":
        """What `as_json` gave."""
        value = json.loads(text)
        inputs, outputs = (tuple(map(TableLineage.of_json, value[each])) for each in ("inputs", "outputs"))
        return cls(**{**value, "inputs": inputs, "outputs": outputs})


def event(step: StepLineage) -> "event_v2.RunEvent":
    """START, COMPLETE, FAIL, or ABORT: skipped or cut off. The run's id follows from the step, in every process."""
    from openlineage.client.event_v2 import Job, Run, RunEvent, RunState

    run_id = uuid5(NAMESPACE_URL, "/".join((step.home, step.run_id, step.of, step.step, str(step.day), step.began)))
    return RunEvent(
        eventType=RunState[_EVENTS.get(step.state, "ABORT")],
        eventTime=step.at,
        run=Run(str(run_id), _run_facets(step)),
        job=Job(os.environ.get(NAMESPACE, "windrow"), f"{step.of}.{step.step}", _job_facets(step)),
        inputs=inputs(step.inputs),
        outputs=outputs(step.outputs),
        producer=_producer(),
    )


def inputs(tables: Iterable[TableLineage]) -> "list[event_v2.InputDataset]":
    """With rows, files and the verdicts of the gate."""
    from openlineage.client.event_v2 import InputDataset

    return [InputDataset(*each.place, inputFacets=_input_facets(each), facets=_facets(each)) for each in tables]


def outputs(tables: Iterable[TableLineage]) -> "list[event_v2.OutputDataset]":
    """With rows, and what each column is made from."""
    from openlineage.client.event_v2 import OutputDataset

    return [
        OutputDataset(*each.place, outputFacets=_output_facets(each), facets=_facets(each) | _column_lineage(each))
        for each in tables
    ]


def together(tables: Iterable[TableLineage]) -> list[TableLineage]:
    """Each table once, in its newest version, with the rows and checks of all its uses."""
    found: dict[Place, TableLineage] = {}
    for each in tables:
        known = found.get(each.place)
        found[each.place] = known.and_also(each) if known else each
    return [*found.values()]


def _sum(*counts: int | None) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


@cache
def _version() -> str:
    return metadata.version("windrow")


def _producer() -> str:
    """Windrow and its version, as a package URL."""
    return f"pkg:pypi/windrow@{_version()}"


def _made(facet: Callable[..., T], *values: Any, **named: Any) -> T:
    return facet(*values, **named, producer=_producer())


def _run_facets(step: StepLineage) -> "dict[str, facet_v2.RunFacet]":
    from openlineage.client.facet_v2 import error_message_run, nominal_time_run, processing_engine_run, tags_run

    engine = _made(processing_engine_run.ProcessingEngineRunFacet, _version(), "Windrow")
    tags = [tags_run.TagsRunFacetFields(*each, "WINDROW") for each in {"run_id": step.run_id, **step.tags}.items()]
    facets: dict[str, Any] = {"processing_engine": engine, "tags": _made(tags_run.TagsRunFacet, tags)}
    if step.day is not None:
        after = date.fromisoformat(step.day) + timedelta(days=1)
        times = (f"{day}T00:00:00Z" for day in (step.day, after))
        facets["nominalTime"] = _made(nominal_time_run.NominalTimeRunFacet, *times)
    if step.message and _EVENTS.get(step.state, "FAIL") == "FAIL":
        facets["errorMessage"] = _made(error_message_run.ErrorMessageRunFacet, step.message, "PYTHON")
    return facets | _parent()


def _parent() -> dict[str, Any]:
    """The run that the environment names, as a task of another operator would: NAMESPACE/JOB/RUN."""
    from openlineage.client.facet_v2 import parent_run

    if not (named := os.environ.get(PARENT)):
        return {}
    try:
        namespace, job, run_id = named.rsplit("/", 2)
        run = parent_run.Run(run_id)
    except ValueError:
        raise WrongParameter(PARENT, named, "NAMESPACE/JOB/RUN, the last one a UUID") from None
    return {"parent": _made(parent_run.ParentRunFacet, run, parent_run.Job(namespace, job))}


def _job_facets(step: StepLineage) -> "dict[str, facet_v2.JobFacet]":
    from openlineage.client.facet_v2 import documentation_job, job_type_job

    return {
        "jobType": _made(job_type_job.JobTypeJobFacet, "BATCH", "WINDROW", "JOB"),
        "documentation": _made(documentation_job.DocumentationJobFacet, _DOES[step.step], "text/plain"),
    }


def _facets(table: TableLineage) -> "dict[str, facet_v2.DatasetFacet]":
    from openlineage.client.facet_v2 import (
        dataset_version_dataset,
        documentation_dataset,
        schema_dataset,
        storage_dataset,
    )

    facets: dict[str, Any] = {}
    if table.columns:
        fields = [schema_dataset.SchemaDatasetFacetFields(*column[:3]) for column in table.columns]
        facets["schema"] = _made(schema_dataset.SchemaDatasetFacet, fields)
        facets["storage"] = _made(storage_dataset.StorageDatasetFacet, "delta", "parquet")
    if table.meaning:
        facets["documentation"] = _made(documentation_dataset.DocumentationDatasetFacet, table.meaning, "text/plain")
    if table.version is not None:
        facets["version"] = _made(dataset_version_dataset.DatasetVersionDatasetFacet, str(table.version))
    return facets


def _column_lineage(table: TableLineage) -> "dict[str, facet_v2.DatasetFacet]":
    from openlineage.client.facet_v2 import column_lineage_dataset as lineage

    fields = {each.name: lineage.Fields([lineage.InputField(*of) for of in each.made_from])
              for each in table.columns if each.made_from}  # fmt: skip
    return {"columnLineage": _made(lineage.ColumnLineageDatasetFacet, fields)} if fields else {}


def _output_facets(table: TableLineage) -> "dict[str, facet_v2.OutputDatasetFacet]":
    from openlineage.client.facet_v2 import output_statistics_output_dataset as statistics

    made = statistics.OutputStatisticsOutputDatasetFacet
    return {} if table.rows is None else {"outputStatistics": _made(made, table.rows)}


def _input_facets(table: TableLineage) -> "dict[str, facet_v2.InputDatasetFacet]":
    from openlineage.client.facet_v2 import data_quality_assertions_dataset as quality
    from openlineage.client.facet_v2 import input_statistics_input_dataset as statistics

    facets: dict[str, Any] = {}
    if (table.rows, table.files) != (None, None):
        facets["inputStatistics"] = _made(
            statistics.InputStatisticsInputDatasetFacet, table.rows, fileCount=table.files
        )
    if table.checks:
        found = [
            quality.Assertion(
                each.name, each.passed, each.column, expected=each.allowed, actual=each.figure,
                content=each.offending, contentType=each.offending and "sql",
            )
            for each in table.checks
        ]  # fmt: skip
        facets["dataQualityAssertions"] = _made(quality.DataQualityAssertionsDatasetFacet, found)
    return facets
