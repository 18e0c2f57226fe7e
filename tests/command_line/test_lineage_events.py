"""What commands tell a backend of OpenLineage, by the settings of its client: events of OpenLineage's own schemas,
with the lake's rows, versions and verdicts; and that no backend keeps a run from what it does."""

import json
import os
import socket
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pyarrow.compute as pc
import pytest
from openlineage.client.naming import dataset

from tests.support import trips
from tests.support.command_line import typed
from tests.support.lakes import DAYS, PATIENT, spoil_noted
from tests.support.openlineage.backend import listening
from tests.support.openlineage.schema import require_event
from tests.support.processes import python
from tests.support.rules import blocks
from windrow.pipelines import location
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import lineage, openlineage, run_table
from windrow.pipelines.ledger.entry import Run

pytestmark = [PATIENT, pytest.mark.slow]
QUERY, DAY = "bikes_daily", DAYS[1]
REPLAY = ("replay", QUERY, "--day", str(DAY))
LABELS = f"start_station_id,asked_at,answer\n1,{DAY}T14:00:00Z,7\n-1,{DAY}T14:00:00Z,0\n"
KILLED = """
import os, sys
from datetime import date
from windrow.pipelines import config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table
from windrow.pipelines.ledger.entry import Run
run = Run("killed", "bikes", sys.argv[1], date.fromisoformat(sys.argv[2]))
with run_table.step(Lake(config.load()), run, "audit"):
    os._exit(9)
"""
GAVE_UP = "tells OpenLineage no more"


def environment(config, **more: str) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("OPENLINEAGE")}
    return inherited | {"WINDROW_HOME": str(config.home), "WINDROW_LANDING": str(config.landing)} | more


def into_a_file(folder: Path) -> dict[str, str]:
    """As the page shows it."""
    [block] = [each for each in blocks("docs/operations.md", "yaml") if each.startswith("transport:")]
    (folder / "openlineage.yml").write_text(block.replace("events.jsonl", f"{folder}/events.jsonl"))
    return {"OPENLINEAGE_CONFIG": str(folder / "openlineage.yml")}


def events_of(folder: Path) -> list[dict]:
    """Those of the file, each after it was found to be one of OpenLineage."""
    events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]
    for event in events:
        require_event(event)
    return events


def named(events: list[dict]) -> list[tuple[str, str]]:
    return [(event["job"]["name"], event["eventType"]) for event in events]


def by_table(event: dict, of: str) -> dict[str, dict]:
    return {each["name"].rpartition("/")[2]: each for each in event[of]}


def made_from(table: dict) -> dict[str, list[str]]:
    """By column."""
    return {
        column: [f"{each['name'].rpartition('/')[2]}.{each['field']}" for each in of["inputFields"]]
        for column, of in table["facets"]["columnLineage"]["fields"].items()
    }


def test_a_day_s_work_is_told_with_columns_rows_versions_and_verdicts(published, tmp_path):
    trips.write(published, "late", [trips.trip(f"{DAY} 12:00:00", 600)])
    (tmp_path / "labels.csv").write_text(LABELS)
    features = ("features", "bikes_station", "--labels", str(tmp_path / "labels.csv"), "--into", "bikes_training")
    settings = environment(published, **into_a_file(tmp_path), OPENLINEAGE_PARENT_ID=f"ours/dag.task/{UUID(int=7)}")
    for words in (("ingest", "bikes"), REPLAY, features):
        ended = typed(*words, **settings)
        assert ended.code == 0, ended.error
    events, lake = events_of(tmp_path), Lake(published)
    begun, done = ("START", "COMPLETE")
    assert named(events) == [
        ("bikes.ingest", begun), ("bikes.ingest", done),
        (f"{QUERY}.audit", begun), (f"{QUERY}.publish", begun), (f"{QUERY}.audit", done), (f"{QUERY}.publish", done),
        ("bikes_station.features", begun), ("bikes_station.features", done),
    ]  # fmt: skip
    runs = {name: {each["run"]["runId"] for each in events if each["job"]["name"] == name} for name, _ in named(events)}
    assert [len(ids) for ids in runs.values()] == [1] * 4 and len(set().union(*runs.values())) == 4
    assert all(each["run"]["facets"]["parent"]["job"]["name"] == "dag.task" for each in events)
    ingest, audit, publish, features = (each for each in events if each["eventType"] == done)
    run_id = {each["key"]: each["value"] for each in publish["run"]["facets"]["tags"]["tags"]}["run_id"]
    assert run_table.latest(lake, QUERY, DAY, "publish").run_id == run_id
    assert publish["run"]["facets"]["nominalTime"]["nominalStartTime"] == f"{DAY}T00:00:00Z"
    landed, silver = by_table(ingest, "inputs")["bikes"], by_table(ingest, "outputs")["silver_bikes"]
    assert landed["name"] == str(published.landing / "bikes") and landed["namespace"] == "file"
    assert landed["inputFacets"]["inputStatistics"]["fileCount"] == 1
    assert silver["outputFacets"]["outputStatistics"]["rowCount"] == 1
    assert made_from(silver)["trip_duration_s"] == ["bronze_bikes.text"]
    require_tables(lake, publish)
    require_verdicts(lake, run_id, publish)
    read, written = by_table(audit, "inputs")["silver_bikes"], by_table(audit, "outputs")[f"{QUERY}_audit"]
    assert read["inputFacets"]["inputStatistics"]["rowCount"] > 0
    assert made_from(written)["mean_trip_duration_s"] == ["silver_bikes.trip_duration_s"]
    made = by_table(features, "outputs")["bikes_training"]
    assert made["outputFacets"]["outputStatistics"]["rowCount"] == 2
    assert made_from(made)["mean_trip_duration_s_1h"] == ["silver_bikes.trip_duration_s"]
    assert made_from(made)["demand_trips"] == ["bikes_demand.trips"] and "answer" not in made_from(made)
    assert {*by_table(features, "inputs")} == {"silver_bikes", "bikes_demand", "bikes_training"}


def require_tables(lake: Lake, publish: dict) -> None:
    """What was published is what the lake has."""
    for name, told in by_table(publish, "outputs").items():
        rows, schema = lake.read(name), lake.dataset(name).schema
        of_day = "arrival_date" if name.endswith("_late") else "emitted_date"
        assert told["name"] == str(lake.folder(name))
        assert told["outputFacets"]["outputStatistics"]["rowCount"] == rows.filter(pc.field(of_day) == DAY).num_rows
        assert told["facets"]["version"]["datasetVersion"] == str(lake.version(name))
        fields = told["facets"]["schema"]["fields"]
        assert [each["name"] for each in fields] == schema.names and all(each["description"] for each in fields)
        assert made_from(told) == {column: [f"{name}_audit.{column}"] for column in schema.names}


def require_verdicts(lake: Lake, run_id: str, publish: dict) -> None:
    """Each verdict that the ledger has of the rows is an assertion on their table."""
    for name, told in by_table(publish, "inputs").items():
        found = lake.read("verdicts", filters=[("run_id", "=", run_id), ("table_name", "=", name)]).to_pylist()
        assertions = told["inputFacets"]["dataQualityAssertions"]["assertions"]
        said = {(each["assertion"], each["success"], each["actual"], each["expected"]) for each in assertions}
        assert said == {(each["check_name"], each["passed"], each["figure"], each["allowed"]) for each in found}
    of_rows = by_table(publish, "inputs")[f"{QUERY}_audit"]["inputFacets"]["dataQualityAssertions"]["assertions"]
    assert {each["assertion"]: each.get("column") for each in of_rows}["pane is one of the words"] == "pane"


def test_a_backend_gets_the_same_and_why_steps_did_not_end_well(ingested):
    with listening() as backend:
        settings = environment(ingested, **backend.settings, OPENLINEAGE_NAMESPACE="ours")
        assert python("-c", KILLED, QUERY, str(DAY), env=settings).returncode == 9
        assert typed(*REPLAY, **settings).code == 0
        refused = typed("replay", QUERY, "--day", "1999-01-01", **settings)
        spoil_noted(Lake(ingested), DAY)
        failed = typed("ingest", "bikes", "--day", str(DAY), **settings)
    for event in backend.events:
        require_event(event)
    assert backend.refused == 0 and {each["job"]["namespace"] for each in backend.events} == {"ours"}
    assert named(backend.events) == [
        *((f"{QUERY}.{step}", "START") for step in ("audit", "audit", "publish")), (f"{QUERY}.audit", "ABORT"),
        *((f"{QUERY}.{step}", "COMPLETE") for step in ("audit", "publish")),
        *((of, event) for of in (f"{QUERY}.audit", "bikes.ingest") for event in ("START", "FAIL")),
    ]  # fmt: skip
    killed, _, _, aborted, _, _, _, of_no_day, _, of_silver = backend.events
    assert killed["run"]["runId"] == aborted["run"]["runId"]
    for ended, event in ((refused, of_no_day), (failed, of_silver)):
        why = event["run"]["facets"]["errorMessage"]["message"]
        assert ended.code != 0 and ended.error.partition("error: ")[2].splitlines()[0] in why
    assertions = by_table(of_silver, "inputs")["silver_bikes"]["inputFacets"]["dataQualityAssertions"]["assertions"]
    [broken] = [each for each in assertions if not each["success"]]
    assert broken["contentType"] == "sql" and broken["assertion"] in failed.error and not by_table(of_no_day, "inputs")


def test_a_backend_that_refuses_hangs_or_is_not_there_costs_a_run_one_message(ingested):
    with listening() as backend, socket.create_server(("127.0.0.1", 0)) as hanging:
        settings = (
            {"OPENLINEAGE_URL": backend.url.replace("//", "//user:secret@")},
            {"OPENLINEAGE_URL": f"http://127.0.0.1:{hanging.getsockname()[1]}"},
            {"OPENLINEAGE__TRANSPORT__TYPE": "no.such.Transport"},
        )
        for each in settings:
            ended = typed(*REPLAY, **environment(ingested, **each))
            assert ended.code == 0 and ended.error.count(GAVE_UP) == 1, ended.error
            assert "secret" not in ended.error
        assert backend.refused == 1 and not backend.events
    ended = typed(*REPLAY, **environment(ingested, **backend.settings, OPENLINEAGE_PARENT_ID="ours/dag.task"))
    assert ended.code == 0 and "OPENLINEAGE_PARENT_ID is 'ours/dag.task'; allowed: NAMESPACE/JOB/RUN" in ended.error


def test_without_settings_the_client_is_not_even_imported(ingested):
    program = "import sys; from windrow.pipelines.cli import _app; print(_app.run(sys.argv[1:]), *sys.modules)"
    ended = python("-c", program, *REPLAY, env=environment(ingested), check=True)
    code, *imported = ended.stdout.splitlines()[-1].split()
    assert code == "0" and not [name for name in imported if name.startswith("openlineage")]


def test_for_an_operator_steps_go_into_its_file_and_to_no_backend_but_those_of_a_trial(ingested, tmp_path, monkeypatch):
    file = tmp_path / "steps"
    with listening() as backend:
        asked = backend.settings | {openlineage.FILE: str(file)}
        assert typed(*REPLAY, **environment(ingested, **asked)).code == 0
    assert not backend.events
    steps = [*map(openlineage.StepLineage.of_json, file.read_text().splitlines())]
    assert [each.as_json for each in steps] == file.read_text().splitlines()
    assert [(each.step, each.state) for each in steps] == [("audit", "done"), ("publish", "done")]
    monkeypatch.setenv(openlineage.FILE, str(tmp_path / "none"))
    with run_table.step(Lake(replace(ingested, is_trial=True)), Run("tried", "bikes", QUERY, DAY), "audit"):
        pass
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("address", "naming"),
    [
        ("/data/lake/bikes", dataset.LocalFileSystem("/data/lake/bikes")),
        ("s3://bucket/lake/bikes", dataset.S3("bucket", "lake/bikes")),
        ("hdfs://head:8020/lake/bikes", dataset.HDFS("head", "8020", "/lake/bikes")),
    ],
)
def test_a_table_has_the_name_that_openlineage_gives_its_place(address, naming):
    assert lineage.place(location.at(address)) == (naming.get_namespace(), naming.get_name())
