"""End to end through a real Airflow: its scheduler, its backfill, its REST API, its logs, and how it fails.

One Airflow over three queries; the run by hand is on Spark, the scheduled one isn't. Landing files are generated and
end on the day that the scheduler will run next; the oracle reads the same files without the pipeline.
"""

import json
from collections import Counter
from dataclasses import replace
from datetime import date, datetime, timedelta

import pytest

from tests.support.airflow import few_queries, generated
from tests.support.airflow.running import RunningAirflow, asked, next_day
from tests.support.models import expected_rows
from tests.support.replay.reading import assert_equal, assert_oracles, events_of_silver, rows
from windrow.pipelines import compiled, flow
from windrow.pipelines.airflow import server, settings
from windrow.pipelines.config import Config
from windrow.pipelines.delta.day_files import by_day
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.ledger import run_table as ledger
from windrow.processes import marked
from windrow.schemas import registry
from windrow.schemas.errors import GateFailed, OutsideStream

pytestmark = [pytest.mark.airflow, pytest.mark.timeout(3_600)]

DAG, QUERIES, IN_ORDER = "bikes", ["bikes_daily", "bikes_demand"], "bikes_refill"
TASKS = {"ingest": "success", "replay": "success", "replay_failed": "skipped"}
BACKFILL_TASKS = {"backfill": "success", "backfill_failed": "skipped"}
DAYS, TRIPS_PER_DAY = 2, 40
NOT_OF_THE_STREAM = date(1999, 12, 31)
LIMIT_S, TOLD, LATE_AFTER_S = 1_800.0, "told", 5
NOTHING_STALE = "nothing is stale"
PROMISED = "promise(rows_between=(1, 2)), promise(fresh_within='1 s')"


@pytest.fixture(scope="module")
def stack(tmp_path_factory):
    """Airflow with an empty lake and generated landing files; stopped at the end, whatever happens."""
    home = tmp_path_factory.mktemp("home")
    config = Config(home, home / "landing")
    compiled.ensure()  # or each worker of the first tasks would compile the kernels for itself
    try:
        with pytest.MonkeyPatch.context() as outside:
            outside.setenv("WINDROW_COMMAND", str(few_queries.windrow(home, "by_hand", "one_fails")))
            dags = few_queries.definitions(home, (*QUERIES, IN_ORDER), bikes_demand=PROMISED) / "dags"
            few_queries.tell(dags, DAG, home / TOLD, LATE_AFTER_S)
            client = server.start(home, config.landing, dags).client()
        client.wait_for_dag(DAG)
        last = next_day(client, DAG)
        generated.land(config.landing, DAYS, last, TRIPS_PER_DAY)
        yield RunningAirflow(config, client, DAG, [last - timedelta(days=back) for back in reversed(range(DAYS))])
    finally:
        server.stop(home)


@pytest.fixture(scope="module")
def runs(stack):
    """The newest day by the scheduler, the one before by hand; and one by hand that must fail in its first task; all
    at once."""
    stack.client.unpause(DAG)
    stack.trigger("foreign_day", NOT_OF_THE_STREAM)
    stack.trigger("by_hand", stack.days[0])
    found = [stack.client.wait_for_runs(DAG, kind, count, LIMIT_S) for kind, count in (("scheduled", 1), ("manual", 2))]
    stack.wait_for_report(LIMIT_S)
    return {run["dag_run_id"]: run for runs in found for run in runs}


@pytest.fixture(scope="module")
def done(runs):
    return [run for name, run in runs.items() if name != "foreign_day"]


def states(stack, dag: str, run: dict) -> dict[str, str]:
    return {task["task_id"]: task["state"] for task in stack.client.tasks(dag, run["dag_run_id"])}


def test_a_day_outside_the_stream_fails_instead_of_being_a_success_without_tasks(stack, runs):
    ingest = stack.task("foreign_day", "ingest")
    assert (ingest["state"], ingest["try_number"]) == ("failed", 1)
    log = stack.log("foreign_day", "ingest")
    assert f"exited with {OutsideStream.exit_code}" in log
    assert f"{NOT_OF_THE_STREAM} is not a day of stream 'bikes'" in log
    assert runs["foreign_day"]["state"] == "failed"


def test_a_notifier_is_told_of_the_task_that_failed_of_each_missed_deadline_and_of_each_broken_promise(stack, done):
    told = [line.split(",") for line in (stack.config.home / TOLD).read_text().splitlines()]
    assert ["foreign_day", "ingest"] in told
    for run in done:
        of_run = [what for name, *what in told if name == run["dag_run_id"]]
        assert of_run.count(["replay", "promise"]) == 1
        queued, day = (datetime.fromisoformat(run[when]) for when in ("queued_at", "logical_date"))
        late = {datetime.fromisoformat(what[1]) for what in of_run if what[0] == "late"}
        assert late == {queued + timedelta(seconds=LATE_AFTER_S), day + timedelta(days=1, seconds=1)}


def test_scheduled_and_manual_runs_succeed_each_with_two_tasks(stack, done):
    assert [run["run_type"] for run in done] == ["scheduled", "manual"]
    for run in done:
        assert states(stack, DAG, run) == TASKS, run["dag_run_id"]
    assert stack.other_tries(done, asked=1) == {}


def test_a_report_follows_runs_also_one_that_failed_and_its_link_is_in_its_log_and_on_its_asset(stack, done):
    """No more reports than runs: those that end together share one."""
    assert stack.task("foreign_day", "replay_failed")["state"] == "success"  # the run itself failed
    reports = stack.client.runs(flow.REPORT_DAG, "asset_triggered")
    assert {run["state"] for run in reports} == {"success"} and len(reports) <= len(done) + 1
    link, address = (stack.config.report / "index.html").as_uri(), f"{stack.client.address}/windrow/index.html"
    events = stack.events()
    made = [event["extra"] for event in events if event["name"] == "report"]
    assert {(extra["link"], extra["address"]) for extra in made} == {(link, address)}
    log = replace(stack, dag=flow.REPORT_DAG).log(reports[0]["dag_run_id"], "report")
    assert link in log and address in log


def test_airflow_shows_the_report_to_who_is_logged_in_and_no_other_file(stack, done):
    root, login = f"{stack.client.address}/windrow", {"Authorization": f"Bearer {stack.client.token}"}
    page = (stack.config.report / "stream-bikes.html").read_text()
    assert asked(f"{root}/stream-bikes.html", **login) == (200, f"{root}/stream-bikes.html", page)
    assert asked(f"{root}/of/bikes", **login) == (200, f"{root}/stream-bikes.html", page)
    assert asked(f"{root}/of/maintenance", **login)[:2] == (200, f"{root}/index.html")
    assert asked(f"{root}/stream-bikes.html")[0] == 401
    assert asked(f"{root}/nothing.html", **login)[0] == 404
    assert asked(f"{root}/..%2fairflow%2fairflow.db", **login)[0] == 404
    described = stack.client.call("GET", f"/dags/{DAG}/details")["doc_md"]
    assert f"[stream-bikes.html]({root}/stream-bikes.html)" in described
    shown = {view["name"]: view for view in stack.client.call("GET", "/plugins")["plugins"]}["windrow_report"]
    assert [view["destination"] for view in shown["external_views"]] == ["nav", "dag"]


def assert_rows_are_those_of_landing(config: Config, name: str) -> None:
    """Next to an oracle that reads landing files; `reading.assert_oracles` takes silver's events."""
    expected = expected_rows(generated.trips(config.landing), registry.query(name))
    assert len(expected) > TRIPS_PER_DAY / 2
    assert_equal(rows(config, name), sorted(expected, key=lambda row: tuple(row.values())[:4]))


@pytest.mark.parametrize("name", QUERIES)
def test_published_rows_are_the_oracles_on_the_same_landing_files(stack, done, name):
    assert_rows_are_those_of_landing(stack.config, name)


def test_each_kind_of_run_does_the_day_that_it_is_for(stack, done):
    audited = ledger.rows(Lake(stack.config), [("step", "=", "audit"), ("state", "=", "done")])
    assert {row.logical_date for row in audited} == set(stack.days)


def test_the_note_of_a_run_is_its_day_which_its_name_is_not(stack, done):
    for run in done:
        assert run["note"] == f"day {run['logical_date'][:10]}"
    assert str(stack.days[-1]) not in done[0]["dag_run_id"]


def test_a_task_s_xcom_is_what_it_published(stack, done):
    path = f"/dags/{DAG}/dagRuns/by_hand/taskInstances/replay/xcomEntries/return_value"
    value = stack.client.call("GET", path)["value"]
    published = value if isinstance(value, dict) else json.loads(value)
    # No window of a day is over on the first one.
    assert published.keys() == {"bikes_demand", "bikes_demand_late"}
    assert published["bikes_demand"].keys() == {"day", "rows", "revisions", "checks", "verdict", "version", "promises"}
    assert published["bikes_demand"]["checks"] > 10


def test_each_stage_has_its_own_section_of_the_log(stack, done):
    log = stack.log("by_hand", "replay")
    assert log.index("::group::gate") < log.index("::group::publish") < log.rindex("::endgroup::")


def test_publishing_updates_airflow_s_assets(stack, done):
    names = {asset["name"] for asset in stack.client.call("GET", "/assets?limit=100")["assets"]}
    known = {name for name in names if DAG in name or name in ("report", "runs")}
    published = {name for query in QUERIES for name in (query, f"{query}_late")}
    assert known == published | {IN_ORDER, f"{IN_ORDER}_late", "silver_bikes", "bronze_bikes", "report", "runs"}
    events = stack.events()
    counted = Counter(event["name"] for event in events if event["name"] != "report")
    assert counted.pop("runs") == 1  # of the run that failed
    once = {"bikes_daily": 1, "bikes_daily_late": 1}  # its first day has no rows
    assert counted == dict.fromkeys(published, DAYS) | once | {"bronze_bikes": 1, "silver_bikes": 1}
    promised = [event["extra"]["promises"][0] for event in events if event["name"] == "bikes_demand"]
    assert [(each["verdict"], each["allowed"]) for each in promised] == [("warn", "1 to 2 rows")] * DAYS
    for name in published:
        extras = [event["extra"] for event in events if event["name"] == name]
        held = {str(day): statistics.rows for day, statistics in by_day(Lake(stack.config), name).items()}
        days = map(str, stack.days[-counted[name] :])
        assert {extra["day"]: extra["rows"] for extra in extras} == dict.fromkeys(days, 0) | held
        assert {extra["verdict"] for extra in extras} == {"passed"}
        newest, now = max(extra["version"] for extra in extras), Lake(stack.config).version(name)
        assert newest == now or (name in once and newest < now)


@pytest.mark.nightly
@pytest.mark.takes(25)
def test_a_run_without_a_logical_date_fails_and_says_what_to_do(stack, done):
    stack.trigger("dateless", None)
    stack.client.wait_for_runs(DAG, "manual", 1, LIMIT_S)
    assert stack.task("dateless", "ingest")["state"] == "failed"
    assert "no logical date" in stack.log("dateless", "ingest")


@pytest.mark.nightly
@pytest.mark.takes(155)
def test_a_backfill_newest_first_runs_a_new_day_and_those_that_are_done_again(stack, done):
    new = stack.days[0] - timedelta(days=1)
    generated.land(stack.config.landing, 1, new, TRIPS_PER_DAY)
    stack.client.backfill(DAG, new, stack.days[-1], backwards=True, reprocess="completed")
    stack.client.wait_for_backfills(DAG, LIMIT_S)
    runs = stack.client.wait_for_runs(DAG, "backfill", DAYS + 1, LIMIT_S)
    assert [states(stack, DAG, run) for run in runs] == [TASKS] * (DAYS + 1)
    # Where its database is locked, Airflow deletes the runs that it was to do again; asked once more, it makes them.
    made = [run for run in runs if run["dag_run_id"].startswith("backfill__")]
    assert f"day {new}" in {run["note"] for run in made} and stack.other_tries(made, asked=1) == {}
    assert stack.other_tries([run for run in runs if run not in made], asked=2) == {}
    for query in QUERIES:
        assert_rows_are_those_of_landing(stack.config, query)


@pytest.mark.nightly
@pytest.mark.takes(60)
def test_a_backfill_of_queries_whose_days_go_on_from_each_other_makes_them_oldest_first(stack, done):
    dag, known = f"{DAG}{flow.IN_ORDER}", Lake(stack.config).partition_dates(f"silver_{DAG}")
    arrived = sorted(day for day in known if day <= stack.days[-1])
    stack.client.backfill(dag, arrived[0], arrived[-1], reprocess="completed")
    stack.client.unpause(dag)  # after it: the newest day has a run, and gets no scheduled one
    runs = stack.client.wait_for_runs(dag, "backfill", len(arrived), LIMIT_S)
    assert [states(stack, dag, run) for run in runs] == [TASKS] * len(arrived)
    ended = sorted(runs, key=lambda run: run["logical_date"])
    assert [run["end_date"] for run in ended] == sorted(run["end_date"] for run in ended)
    assert_oracles(stack.config, registry.query(IN_ORDER), events_of_silver(stack.config, DAG), arrived)


@pytest.mark.nightly
@pytest.mark.takes(30)
def test_many_days_are_made_by_one_run_with_params(stack, done):
    dag, (first, last) = f"{DAG}{flow.BACKFILL}", (stack.days[0], stack.days[-1])
    asked = {"from": str(first), "to": str(last), "queries": QUERIES, "backwards": True, "again": True}
    run = {"dag_run_id": stack.client.trigger(dag, None, "many", **asked)}
    stack.client.wait_for_runs(dag, "manual", 1, LIMIT_S)
    assert states(stack, dag, run) == BACKFILL_TASKS
    days = [[each["day"] for each in event["extra"]["days"]] for event in stack.events_of(dag, "bikes_demand")]
    assert [sorted(found) for found in days] == [[str(first), str(last)]]


@pytest.mark.nightly
@pytest.mark.takes(75)
def test_a_late_file_makes_a_run_that_redoes_the_days_that_it_made_stale(stack, done):
    """A run for the newest day ingests it; no user asks for the older ones."""
    dag = f"{DAG}{flow.STALE}"
    stack.client.unpause(dag)
    generated.land_late(stack.config.landing, stack.days[0])
    stack.trigger("late", None, day=str(stack.days[-1]))
    [run] = stack.client.wait_for_runs(dag, "asset_triggered", 1, LIMIT_S)
    assert states(stack, dag, run) == BACKFILL_TASKS
    stack.client.wait_for_runs(DAG, "manual", 1, LIMIT_S)
    assert NOTHING_STALE in stack.windrow("plan")
    events = [event for query in QUERIES for event in stack.events_of(dag, query)]
    assert str(stack.days[0]) in {each["day"] for event in events for each in event["extra"]["days"]}


@pytest.mark.nightly
@pytest.mark.takes(55)
def test_a_plan_is_carried_out_by_the_airflow_of_its_home(stack, done):
    generated.land_late(stack.config.landing, stack.days[1])
    stack.windrow("ingest", DAG)  # by no task: it starts no run by itself
    assert NOTHING_STALE not in stack.windrow("plan")
    said = stack.windrow("plan", "--airflow")
    runs = stack.client.wait_for_runs(f"{DAG}{flow.BACKFILL}", "manual", 1, LIMIT_S)
    assert [run["state"] for run in runs if run["dag_run_id"] in said] == ["success"]
    assert NOTHING_STALE in stack.windrow("plan")


@pytest.mark.nightly
@pytest.mark.takes(40)
def test_a_query_whose_gate_fails_is_named_and_the_others_are_published_with_their_events(stack, done):
    before, day = rows(stack.config, QUERIES[0]), stack.days[-1]
    stack.trigger("one_fails", None, day=str(day))
    stack.client.wait_for_runs(DAG, "manual", 1, LIMIT_S)
    replay = stack.task("one_fails", "replay")
    assert (replay["state"], replay["try_number"]) == ("failed", 1)
    log = stack.log("one_fails", "replay")
    assert f"exited with {GateFailed.exit_code}: {QUERIES[0]} of {day} was not published: check " in log
    assert "limit:" in log and "windrow query" in log
    assert rows(stack.config, QUERIES[0]) == before
    [event] = [it for table in QUERIES for it in stack.events_of(DAG, table) if it["source_run_id"] == "one_fails"]
    assert (event["name"], event["source_task_id"]) == (QUERIES[1], "replay_failed")
    assert event["extra"]["version"] == Lake(stack.config).version(QUERIES[1])


def test_nothing_is_left_running_after_the_stop(stack):
    assert marked.marked(settings.mark(stack.config.home))
    server.stop(stack.config.home)
    assert marked.marked(settings.mark(stack.config.home)) == []
