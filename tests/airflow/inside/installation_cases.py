"""What an installation of Airflow has of Windrow: its connections as settings, mail about failed tasks and late runs,
the note of a run, which is its day, and the pages of the report. test_operator.py starts pytest for it in Airflow's
environment."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from airflow.models.dagrun import DagRun
from airflow.sdk import DAG, Connection, DeadlineReference, Param
from airflow.sdk.exceptions import AirflowFailException
from fastapi import HTTPException
from fastapi.testclient import TestClient

from windrow.airflow import connections, installation, report_pages, run_day
from windrow.airflow.tasks import OF_ALL
from windrow.schemas.errors import WrongParameter
from windrow.schemas.query import Query, promise, tumbling

HOUR = timedelta(hours=1)


def spark(**fields):
    return Connection(conn_id="cluster", **{"conn_type": "spark", "host": "spark://head", "port": 7077} | fields)


def test_a_connection_of_spark_is_settings_of_windrow():
    extra = {"deploy-mode": "client", "queue": "night", "conf": {"spark.executor.memory": "4g"}}
    found = connections.of_spark(spark(extra=json.dumps(extra)))
    assert found["WINDROW_SPARK_MASTER"] == "spark://head:7077"
    assert json.loads(found["WINDROW_SPARK_CONF"]) == {"spark.yarn.queue": "night", "spark.executor.memory": "4g"}
    assert connections.of_spark(spark(host="yarn", port=None))["WINDROW_SPARK_MASTER"] == "yarn"


def test_a_connection_that_windrow_can_not_use_is_refused_by_its_name():
    with pytest.raises(AirflowFailException, match="'cluster', a connection of type 'http'; .* type 'spark'"):
        connections.of_spark(spark(conn_type="http"))
    with pytest.raises(AirflowFailException, match="'cluster' has deploy-mode 'cluster'; allowed: client"):
        connections.of_spark(spark(extra=json.dumps({"deploy-mode": "cluster"})))


def storage(**fields) -> Connection:
    return Connection(conn_id="lake", **{"conn_type": "aws", "login": "id", "password": "key", **fields})


def test_a_connection_of_aws_is_the_standard_variables():
    extra = {"region_name": "us-east-1", "endpoint_url": "http://s3:9000"}
    assert connections.of_storage(storage(extra=json.dumps(extra))) == {
        "AWS_ACCESS_KEY_ID": "id",
        "AWS_SECRET_ACCESS_KEY": "key",
        "AWS_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": "http://s3:9000",
    }
    assert connections.of_storage(storage(login=None, password=None)) == {}


def test_a_storage_connection_that_windrow_can_not_use_is_refused_by_its_name():
    with pytest.raises(AirflowFailException, match="'lake', a connection of type 'http'; .* type 'aws'"):
        connections.of_storage(storage(conn_type="http"))
    with pytest.raises(AirflowFailException, match="'lake' has role_arn; allowed: login and password"):
        connections.of_storage(storage(extra=json.dumps({"role_arn": "arn:aws:iam::1:role/reader"})))


def test_nobody_is_told_anything_unless_it_is_asked_for(monkeypatch):
    monkeypatch.setenv("WINDROW_ALERT_AFTER_SECONDS", "60")
    assert "on_failure_callback" not in installation.of_tasks(OF_ALL) and installation.of_runs(OF_ALL) == {}


def test_a_connection_and_an_address_are_enough_for_failures_and_a_time_makes_runs_late(monkeypatch):
    monkeypatch.setenv(installation.ALERT, "mail")
    with pytest.raises(WrongParameter, match=installation.ALERT_TO):
        installation.of_tasks(OF_ALL)
    monkeypatch.setenv(installation.ALERT_TO, "me@example.org")
    told = installation.of_tasks(OF_ALL)["on_failure_callback"]
    assert (told.smtp_conn_id, told.to, installation.of_runs(OF_ALL)) == ("mail", "me@example.org", {})
    monkeypatch.setenv("WINDROW_ALERT_AFTER_SECONDS", "60")
    [late] = installation.of_runs(OF_ALL)["deadline"]
    assert late.interval.total_seconds() == 60
    assert late.callback.path.endswith("SmtpNotifier") and late.callback.kwargs["smtp_conn_id"] == "mail"


def test_a_query_that_promises_to_be_fresh_makes_runs_late_that_have_not_ended_so_long_after_their_day(monkeypatch):
    asked = {"stream": "bikes", "key": (), "window": tumbling(HOUR), "aggregates": {}}
    asked |= {"lateness": HOUR, "allowed_lateness": HOUR}
    queries = [Query("fresh", **asked, promises=(promise(fresh_within=n * HOUR),)) for n in (5, 3)]
    assert installation.of_runs(OF_ALL, queries) == {}, "no user is told"
    monkeypatch.setenv(installation.ALERT, "mail")
    monkeypatch.setenv(installation.ALERT_TO, "me@example.org")
    [late] = installation.of_runs(OF_ALL, queries)["deadline"]
    assert (late.reference, late.interval) == (DeadlineReference.DAGRUN_LOGICAL_DATE, 27 * HOUR)
    monkeypatch.setenv("WINDROW_ALERT_AFTER_SECONDS", "60")
    assert [each.interval.total_seconds() for each in installation.of_runs(OF_ALL, queries)["deadline"]] == [60, 97_200]
    assert len(DAG("late", schedule=None, **installation.of_runs(OF_ALL, queries)).deadline) == 2


def test_a_mail_tells_of_a_broken_promise(monkeypatch):
    monkeypatch.setenv(installation.ALERT, "mail")
    monkeypatch.setenv(installation.ALERT_TO, "me@example.org")
    told = installation.of_tasks(OF_ALL)["on_broken_promise"]
    assert (told.smtp_conn_id, told.to) == ("mail", "me@example.org") and "breaks a promise" in told.subject


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


@pytest.fixture
def report(tmp_path, monkeypatch):
    """The folder of a home's pages, none of which is there."""
    monkeypatch.setenv("WINDROW_HOME", str(tmp_path))
    return tmp_path / "report"


def test_before_the_first_report_a_page_says_what_makes_it_and_later_what_is_missing(report):
    start = report_pages.page("index.html")
    assert start.status_code == 200 and b"windrow report" in start.body and b"/dags/bikes" in start.body
    report.mkdir()
    (report / "index.html").write_text("the report")
    assert report_pages.page("").path == report / "index.html"
    with pytest.raises(HTTPException, match="nothing.html is not in the report"):
        report_pages.page("nothing.html")


@pytest.mark.parametrize("path", ["/", "/index.html", "/of/bikes"])
def test_what_is_refused_is_a_page_and_no_json(report, path, monkeypatch):
    """Here since no user is logged in."""
    refused = TestClient(report_pages.app).get(path)
    assert refused.status_code in (401, 403) and refused.headers["content-type"].startswith("text/html")
    assert refused.text.startswith("<!doctype html>")
