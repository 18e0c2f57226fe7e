"""The note of a run: its day, for DAGs whose runs are for one. By Airflow's own models, without a database."""

from datetime import UTC, datetime

import pytest
from airflow.models.dagrun import DagRun
from airflow.sdk import DAG, Param

from dags.plugins import run_day

OF_A_DAY = DAG("bikes", schedule=None, params={"day": Param(None, type=["null", "string"])})
OF_NO_DAY = DAG("maintenance", schedule=None)


def begun(dag, **run):
    """A run as the scheduler has it when it lets it begin."""
    made = DagRun(dag.dag_id, run_id="scheduled__2018-10-02T00:00:00+00:00", **run)
    made.dag = dag
    run_day.on_dag_run_running(made, "started")
    return made


@pytest.mark.parametrize(
    ("conf", "note"), [(None, "day 2018-10-01"), ({}, "day 2018-10-01"), ({"day": "2017-06-03"}, "day 2017-06-03")]
)
def test_the_note_is_the_day_that_the_tasks_do_not_the_end_of_the_interval(conf, note):
    run = begun(OF_A_DAY, logical_date=datetime(2018, 10, 1, tzinfo=UTC), conf=conf)
    assert run.note == note


def test_a_run_without_a_day_has_none():
    assert begun(OF_A_DAY).note is None
    assert begun(OF_NO_DAY, logical_date=datetime(2018, 10, 1, tzinfo=UTC)).note is None


def test_what_somebody_noted_stays():
    run = begun(OF_A_DAY, logical_date=datetime(2018, 10, 1, tzinfo=UTC), note="by hand, for the audit")
    assert run.note == "by hand, for the audit"


def test_airflow_takes_the_listener_from_the_plugin():
    [listener] = run_day.RunDayPlugin.listeners
    assert listener.on_dag_run_running is run_day.on_dag_run_running
