"""What Airflow's own provider of OpenLineage gets from an operator, and sends."""

import json
from types import SimpleNamespace
from uuid import UUID

import pytest
from airflow.providers.openlineage.extractors.manager import ExtractorManager
from airflow.providers.openlineage.plugins.adapter import OpenLineageAdapter
from airflow.sdk import DAG
from airflow.sdk.exceptions import AirflowFailException
from airflow.utils.state import TaskInstanceState
from openlineage.client import OpenLineageClient

from tests.support.airflow.operators import RUN, program
from tests.support.openlineage.schema import require_event
from windrow.airflow import installation, lineage, tasks
from windrow.pipelines import flow
from windrow.pipelines.ledger.openlineage import FILE, Check, ColumnLineage, StepLineage, TableLineage
from windrow.schemas import registry
from windrow.schemas.errors import GateFailed

SILVER, AUDIT, RESULTS = (("file", f"/lake/{name}") for name in ("silver_bikes", "bikes_daily_audit", "bikes_daily"))
TRIPS = (ColumnLineage("trips", "long", "how many", ((*SILVER, "start"),)),)


def step(name, inputs, outputs, day="2018-10-01", state="done"):
    times = ("2018-10-02T00:00:00+00:00", "2018-10-02T00:00:01+00:00")
    return StepLineage("/home", "manual__1", name, "bikes_daily", day, state, None, *times, {}, inputs, outputs)


def checked(passed, version):
    return TableLineage(AUDIT, "", version, None, None, TRIPS, (Check("law_2", None, passed, "0", "0", None),))


@pytest.fixture
def extracted(monkeypatch, tmp_path):
    """What the provider extracts once a task's command has written these steps, and ended with this code."""

    def of(steps, exit_code=0):
        lines = "".join(f"{each.as_json}\n" for each in steps)
        text = f"import os, sys\nopen(os.environ[{FILE!r}], 'a').write({lines!r})\nsys.exit({exit_code})"
        monkeypatch.setenv(installation.COMMAND, str(program(tmp_path, text)))
        with DAG("bikes", schedule=None):
            task = tasks.operator(flow.replay_task([registry.query("bikes_daily")]), outlets=[])
        task.publishes, state = False, TaskInstanceState.SUCCESS
        if exit_code:
            state = TaskInstanceState.FAILED
            with pytest.raises(AirflowFailException):
                task.execute(RUN)
        else:
            task.execute(RUN)
        run = SimpleNamespace(run_id="manual__1")
        begun = ExtractorManager().extract_metadata(run, task, TaskInstanceState.RUNNING, SimpleNamespace())
        assert not begun.inputs and not begun.outputs
        return ExtractorManager().extract_metadata(run, task, state, SimpleNamespace(task=task))

    return of


def test_the_provider_sends_what_the_command_read_and_wrote_each_table_once(extracted, tmp_path):
    silver, audit = TableLineage(SILVER, "events", 4, 10, None, TRIPS), TableLineage(AUDIT, "", 7, 3, None, TRIPS)
    steps = [step("audit", (silver,), (audit,), day) for day in ("2018-10-01", "2018-10-02")]
    results = [TableLineage(RESULTS, "daily", version, 3, None, TRIPS) for version in (1, 2)]
    steps += [step("publish", (checked(True, 7),), (each,)) for each in results]
    found = extracted(steps)
    settings = {"type": "file", "log_file_path": str(tmp_path / "events"), "append": True}
    adapter = OpenLineageAdapter(OpenLineageClient(config={"transport": settings}))
    adapter.complete_task(str(UUID(int=7)), "bikes.replay", "2018-10-02T00:00:02+00:00", found, *[None] * 5)
    event = json.loads((tmp_path / "events").read_text())
    require_event(event, only="windrow")
    inputs, outputs = ({each["name"]: each for each in event[of]} for of in ("inputs", "outputs"))
    assert [*inputs] == [SILVER[1], AUDIT[1]] and [*outputs] == [AUDIT[1], RESULTS[1]]
    assert inputs[SILVER[1]]["inputFacets"]["inputStatistics"]["rowCount"] == 20
    assert len(inputs[AUDIT[1]]["inputFacets"]["dataQualityAssertions"]["assertions"]) == 2
    made = outputs[RESULTS[1]]
    assert made["outputFacets"]["outputStatistics"]["rowCount"] == 6
    assert made["facets"]["version"]["datasetVersion"] == "2"
    [source] = made["facets"]["columnLineage"]["fields"]["trips"]["inputFields"]
    assert (source["namespace"], source["name"], source["field"]) == (*SILVER, "start")


def test_a_task_that_fails_says_which_checks_did(extracted):
    found = extracted([step("publish", (checked(False, 7),), (), state="failed")], GateFailed.exit_code)
    [audit] = found.inputs
    [assertion] = audit.inputFacets["dataQualityAssertions"].assertions
    assert (assertion.assertion, assertion.success) == ("law_2", False) and not found.outputs


def test_a_command_without_steps_has_no_tables(extracted):
    found = extracted([])
    assert not found.inputs and not found.outputs


def test_without_the_provider_a_command_goes_by_its_own_settings(monkeypatch, tmp_path):
    assert lineage.asked(tmp_path)
    monkeypatch.setattr(lineage, "find_spec", lambda _: None)
    assert lineage.asked(tmp_path) == {} and lineage.read(tmp_path) == []
