"""Rules that every DAG keeps. Airflow's own Python parses dags/ once; the rules look at what it saw."""

import json
import os
import subprocess
from datetime import datetime
from pathlib import Path

import pytest

from tests.schemas.test_broken_definitions import edit
from tests.support.checkout import copied
from windrow.pipelines import flow
from windrow.pipelines.config import Config
from windrow.schemas import ledger_tables, tables
from windrow.schemas.registry import queries_of, stream, streams

pytestmark = pytest.mark.airflow
REPOSITORY = Path(__file__).resolve().parents[2]
AIRFLOW_PYTHON = REPOSITORY / ".venv-airflow" / "bin" / "python"
OF_THE_LAKE = {"maintenance", flow.REPORT_DAG}
HEAVY = ("pyspark", "pyarrow", "pandas", "numba", "duckdb", "deltalake", "great_expectations")


def facts_of(tree: Path, home: Path) -> dict:
    """What Airflow's Python sees in a tree's DAG files."""
    facts, places = home / "facts.json", {"AIRFLOW_HOME": str(home), "PYTHONPATH": str(tree)}
    of_core = {"AIRFLOW__CORE__LOAD_EXAMPLES": "False", "AIRFLOW__CORE__DAGS_FOLDER": str(tree / "dags")}
    words = [AIRFLOW_PYTHON, REPOSITORY / "tests/support/airflow/dag_facts.py", tree / "dags", facts]
    subprocess.run(words, env=os.environ | places | of_core, check=True, capture_output=True, timeout=120)
    return json.loads(facts.read_text())


@pytest.fixture(scope="module")
def parsed(tmp_path_factory):
    return facts_of(REPOSITORY, tmp_path_factory.mktemp("airflow"))


@pytest.fixture(scope="module")
def every_dag(parsed):
    return {dag["id"]: dag for dag in parsed["dags"]}


@pytest.fixture(scope="module")
def dags(every_dag):
    """Those of the streams."""
    return {name: dag for name, dag in every_dag.items() if name in streams()}


def names_of(asked) -> set[str]:
    """Of the DAGs of some streams."""
    found = {*asked}
    for name in asked:
        found |= {name + flow.IN_ORDER} if flow.queries_in_order(stream(name)) else set()
        found |= {name + flow.BACKFILL, name + flow.STALE} if queries_of(name) else set()
    return found


def tasks_of(dag):
    return {task["id"]: task for task in dag["tasks"]}


def test_broken_definitions_are_an_import_error_and_all_other_dags_stand(tmp_path):
    copied(tmp_path / "tree", "dags", "pipelines", "processes", "schemas")
    line = edit(tmp_path / "tree", "examples/queries/bikes_daily.py", 'stream="bikes"', 'stream="bike"')
    edit(tmp_path / "tree", "examples/streams/cdr.py", "STREAM = Stream(", "STREAM = Stream((")
    found = facts_of(tmp_path / "tree", tmp_path)
    dags = {dag["id"]: dag for dag in found["dags"]}
    others = set(streams()) - {"cdr"}
    assert set(dags) == {*names_of(others), *OF_THE_LAKE}
    scheduled = [query.name for query in flow.scheduled_queries(stream("bikes"))]
    scheduled.remove("bikes_daily")
    assert tasks_of(dags["bikes"])["replay"]["arguments"] == ["replay", *scheduled]
    [(file, text)] = found["errors"].items()
    assert Path(file).name == "windrow_broken.py"
    assert f"examples/queries/bikes_daily.py:{line}: no stream is named 'bike'. Did you mean 'bikes'? Known: " in text
    assert "Did you mean 'bikes'?" in text and "examples/streams/cdr.py:" in text


def test_every_stream_has_its_dags_the_lake_has_one_and_there_is_no_other(parsed, every_dag):
    """No date is outside of one: Airflow would run no task and say success."""
    assert parsed["errors"] == {} and set(every_dag) == {*names_of(streams()), *OF_THE_LAKE}
    for dag in every_dag.values():
        assert dag["end"] is None
        assert datetime.fromisoformat(dag["start"]).date() < min(each.first_day for each in streams().values())


def test_parsing_loads_none_of_the_heavy_packages(parsed):
    loaded = {module.split(".")[0] for module in parsed["modules"]}
    assert "airflow" in loaded
    assert loaded.isdisjoint(HEAVY)
    assert not [module for module in parsed["modules"] if module.endswith("report_pages")]


def test_days_are_utc_days_by_data_interval_without_catching_up_or_the_day_that_a_run_is_given(dags):
    for dag in dags.values():
        assert (dag["timetable"], dag["cron"], dag["zone"]) == ("CronDataIntervalTimetable", "0 0 * * *", "UTC")
        assert (dag["catchup"], dag["params"]) == (False, {"day": None})


def test_the_ingest_is_the_only_first_one_of_a_stream_at_once_and_an_event_of_what_it_changed(dags):
    """It refuses foreign days. Backfills do not share max_active_runs."""
    for name, dag in dags.items():
        after = {name for task in dag["tasks"] for name in task["downstream"]}
        assert [task["id"] for task in dag["tasks"] if task["id"] not in after] == ["ingest"]
        ingest = tasks_of(dag)["ingest"]
        assert (ingest["arguments"], ingest["at_once"]) == (["ingest", name], 1)
        assert ingest["outlets"] == ingest["aliases"] == [f"bronze_{name}", f"silver_{name}"]


def test_all_queries_of_a_day_are_one_task_after_the_ingest_so_a_scheduled_day_is_two_processes(dags):
    """At most as many at once as the DAG has runs, also those of a backfill from Airflow's form, which has its own
    limit."""
    for dag in dags.values():
        tasks, queries = tasks_of(dag), flow.scheduled_queries(stream(dag["id"]))
        last = "replay" if queries else "ingest"
        assert tasks.keys() == {"ingest", last, f"{last}_failed"}
        if queries:
            assert (tasks["ingest"]["downstream"], tasks["replay"]["downstream"]) == (["replay"], ["replay_failed"])
            assert tasks["replay"]["arguments"] == ["replay", *(query.name for query in queries)]
            assert tasks["replay"]["publishes"] is True
            assert tasks["replay"]["at_once"] == dag["runs_at_once"] == 2


def test_what_a_dag_publishes_are_events_by_alias_of_its_task_or_else_of_the_one_behind_it(every_dag):
    """An alias: of an asset itself Airflow makes an event whenever the task succeeds."""
    of_dags = {name: flow.scheduled_queries(stream(name)) for name in streams()}
    of_dags |= {name + flow.IN_ORDER: flow.queries_in_order(stream(name)) for name in streams()}
    of_dags |= {name + more: queries_of(name) for name in streams() for more in (flow.BACKFILL, flow.STALE)}
    for name, queries in of_dags.items():
        tables = [table for query in queries for table in flow.published_tables(query)]
        if tables:
            tasks = tasks_of(every_dag[name])
            of_task = tasks["replay" if "replay" in tasks else "backfill"]
            assert of_task["outlets"] == of_task["aliases"] == tables
            assert tasks[f"{of_task['id']}_failed"]["outlets"] == ["runs", *tables]
            assert {*tables} <= {*every_dag[flow.REPORT_DAG]["after"]}  # by which their assets are known


def test_queries_whose_days_depend_on_each_other_have_a_dag_with_one_run_at_a_time_each_after_the_one_before(every_dag):
    found = {name: flow.queries_in_order(stream(name)) for name in streams()}
    assert sum(map(len, found.values())) == 7
    for name, queries in ((name, queries) for name, queries in found.items() if queries):
        dag = every_dag[name + flow.IN_ORDER]
        tasks = tasks_of(dag)
        assert (dag["runs_at_once"], dag["catchup"], dag["cron"], dag["zone"]) == (1, False, "0 0 * * *", "UTC")
        assert tasks.keys() == {"ingest", "replay", "replay_failed"} and tasks["replay"]["at_once"] == 1
        assert tasks["ingest"]["arguments"] == ["ingest", name] and tasks["ingest"]["downstream"] == ["replay"]
        assert (tasks["ingest"]["past"], tasks["ingest"]["at_once"], tasks["replay"]["past"]) == (False, 1, True)
        assert tasks["replay"]["arguments"] == ["replay", *(query.name for query in queries)]
        assert "--run-backwards" in dag["text"] and all(query.name in dag["text"] for query in queries)


def test_many_days_are_made_by_a_dag_that_runs_when_it_is_asked_to_and_at_once(every_dag):
    for name in (name for name in streams() if queries_of(name)):
        dag, names = every_dag[name + flow.BACKFILL], [query.name for query in queries_of(name)]
        assert (dag["timetable"], dag["paused"], dag["runs_at_once"]) == ("NullTimetable", False, 1)
        switches = dict.fromkeys(("backwards", "again", "stale"), False)
        assert dag["params"] == {"from": None, "to": None, "queries": names, **switches}
        [backfill, _] = dag["tasks"]
        assert (backfill["id"], backfill["arguments"], backfill["of_a_day"]) == ("backfill", ["backfill"], False)
        assert (backfill["operator"], backfill["publishes"]) == ("BackfillOperator", True)


def test_stale_days_are_redone_after_silver_changed_once_somebody_unpaused_it(every_dag):
    for name in (name for name in streams() if queries_of(name)):
        dag = every_dag[name + flow.STALE]
        assert (dag["after"], dag["paused"], dag["runs_at_once"]) == ([f"silver_{name}"], True, 1)
        [backfill, _] = dag["tasks"]
        assert backfill["arguments"] == ["backfill", "--stream", name, "--stale"]
        assert (backfill["of_a_day"], backfill["publishes"]) == (False, True)


def test_the_lake_is_maintained_every_night_once_at_a_time(every_dag):
    dag = every_dag["maintenance"]
    assert (dag["timetable"], dag["cron"], dag["zone"]) == ("CronTriggerTimetable", "30 3 * * *", "UTC")
    assert (dag["catchup"], dag["runs_at_once"], dag["after"]) == (False, 1, [])
    [task, _] = dag["tasks"]
    assert (task["id"], task["arguments"], task["of_a_day"]) == ("maintain", ["maintain"], False)
    assert task["outlets"] == ["runs"]


def test_one_task_makes_the_report_after_whatever_updates_a_table_or_fails_and_runs_once_at_a_time(every_dag):
    """Airflow makes no further run of a DAG that has as many as it may: events that come meanwhile share the next."""
    [report] = every_dag[flow.REPORT_DAG]["tasks"]
    assert (report["operator"], report["arguments"]) == ("ReportOperator", ["report", "--no-data-docs"])
    tasks = [task for dag in every_dag.values() for task in dag["tasks"]]
    assert [task for task in tasks if "report" in task["outlets"]] == [report]
    dag = every_dag[flow.REPORT_DAG]
    assert (dag["runs_at_once"], dag["paused"]) == (1, False)
    updated = {name for task in tasks for name in task["outlets"]} - {"report"}
    with_queries = [name for name in streams() if queries_of(name)]
    ingested = {f"bronze_{name}" for name in streams()} | {f"silver_{name}" for name in with_queries}
    assert {*dag["after"]} == updated - ingested


def test_behind_each_last_task_is_one_that_runs_where_it_failed_and_decides_nothing_about_its_run(every_dag):
    for dag in (dag for name, dag in every_dag.items() if name != flow.REPORT_DAG):
        last = [task for task in dag["tasks"] if not task["downstream"]]
        assert [task["operator"] for task in last] == ["AfterFailureOperator"]
        assert {(task["teardown"], task["fails_run"], task["trigger_rule"]) for task in last} == {
            (True, False, "one_failed")
        }


def test_every_task_is_the_one_operator_is_retried_and_waits_for_no_hand_made_pool(every_dag):
    """None runs for ever, and a lock is given up before the task is."""
    kinds = {"report": "ReportOperator"}
    for name, task in ((name, task) for name, dag in every_dag.items() for task in dag["tasks"]):
        if not task["teardown"] and task["operator"] != "BackfillOperator":
            assert task["operator"] == kinds.get(task["id"], "WindrowOperator")
        assert task["retries"] >= 1 and task["pool"] == "default_pool"
        assert (task["trigger_rule"] == "all_success") is not task["teardown"]
        assert task["past"] is (name.endswith(flow.IN_ORDER) and task["id"] == "replay")
        assert Config(Path(), Path()).most_wait_s < task["timeout_s"] == 6 * 3600


def test_the_text_of_a_dag_names_its_columns_and_queries_or_says_what_it_does(dags, every_dag):
    for name, dag in dags.items():
        of_stream = [*stream(name).columns, *flow.scheduled_queries(stream(name))]
        assert all(word in dag["text"] for word in (stream(name).title, *(each.name for each in of_stream)))
        assert all(task["text"] for task in dag["tasks"])
    maintain = every_dag["maintenance"]["tasks"][0]["text"]
    assert flow.MAINTAIN.does in maintain and "windrow maintain" in maintain
    for name in (name for name in streams() if queries_of(name)):
        [backfill, _] = every_dag[name + flow.STALE]["tasks"]
        assert "windrow runs --stale" in every_dag[name + flow.STALE]["text"]
        assert f"`windrow backfill --stream {name} --stale`" in backfill["text"]
        assert "in one pass" in every_dag[name + flow.BACKFILL]["text"]


def test_the_map_names_every_table_and_no_other():
    for definition in streams().values():
        written = {table for stage in flow.STAGES for table in flow.table_names(stage, definition)[1]}
        made = {table.name for table in tables.ingest_tables(definition)} | {ledger_tables.VERDICTS.name}
        asked = [query.name for query in queries_of(definition.name)]
        made |= {f"{name}{late}{audit}" for name in asked for late in ("", "_late") for audit in ("", "_audit")}
        made |= {f"state_{query.name}" for query in flow.queries_in_order(definition)}
        made |= {ledger_tables.PROMISES.name for query in queries_of(definition.name) if query.promises}
        assert written == made


def test_what_a_stage_reads_has_landed_or_was_written_by_an_earlier_stage_or_by_itself_before():
    for definition in streams().values():
        # An ingest begins with a look at what the one before left; the gate looks at what earlier days published.
        left = {table.name for table in tables.ingest_tables(definition)}
        there = {"landing/"}
        for stage in flow.STAGES:
            reads, writes = map(set, flow.table_names(stage, definition))
            going_on = (
                *flow.queries_in_order(definition),
                *(each for each in queries_of(definition.name) if each.promises),
            )
            published = {query.name for query in going_on}
            earlier = left if stage is flow.LAND else published if stage is flow.GATE else set()
            assert reads - writes - earlier <= there, stage.name
            there |= writes


def test_every_stage_belongs_to_a_task_which_runs_its_stages_in_the_order_of_the_map():
    queries = queries_of("bikes")
    of_tasks = (flow.ingest_task(stream("bikes")), flow.replay_task(queries), flow.backfill_task(queries))
    assert {stage for task in of_tasks for stage in task.stages} == set(flow.STAGES)
    for task in of_tasks:
        assert sorted(task.stages, key=flow.STAGES.index) == list(task.stages)
