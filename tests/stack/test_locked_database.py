"""Airflow's SQLite is locked on purpose, as a busy disk does it: no component ends, no try fails, a backfill is asked
for again."""

import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, date, datetime

import pytest

from tests.support.processes import wait_until
from windrow.pipelines.airflow import components, rest, server, settings
from windrow.schemas.errors import AirflowRefused

pytestmark = [pytest.mark.airflow, pytest.mark.nightly, pytest.mark.takes(70), pytest.mark.timeout(900)]
FIRST, LAST, LIMIT_S = date(2020, 1, 1), date(2020, 1, 2), 300.0
# More than SQLite's own limit of 5 s, after which it gives up.
LOCKED_S = 8.0
DAG = """
from datetime import datetime, timezone

from airflow.sdk import CronDataIntervalTimetable, dag, task


@dag(schedule=CronDataIntervalTimetable("0 0 * * *", timezone="UTC"), catchup=False,
     start_date=datetime(2020, 1, 1, tzinfo=timezone.utc), default_args={"retries": 2})
def two_tasks():
    @task
    def first(): ...

    @task
    def second(): ...

    first() >> second()


two_tasks()
"""


class Recording(rest.Client):
    """Keeps the status of each refusal."""

    def __init__(self, *login):
        super().__init__(*login)
        self.refusals: list[int] = []

    def call(self, method: str, path: str, body: dict | None = None) -> dict:
        try:
            return super().call(method, path, body)
        except AirflowRefused as refused:
            self.refusals.append(refused.status)
            raise


class Partly(rest.Client):
    """The server begins the first day alone and answers with its error, as it does where the second day finds the
    database locked. That is a matter of milliseconds, which no test can meet on purpose."""

    def __init__(self, *login):
        super().__init__(*login)
        self.begun: list[tuple[str, str]] = []

    def call(self, method: str, path: str, body: dict | None = None) -> dict:
        """Keeps the first and last day of what the server began: a busy one also refuses by itself."""
        if (method, path) != ("POST", "/backfills"):
            return super().call(method, path, body)
        in_part = not self.begun
        asked = body | {"to_date": body["from_date"]} if in_part else body
        answer = super().call(method, path, asked)
        self.begun.append((asked["from_date"][:10], asked["to_date"][:10]))
        if in_part:
            raise AirflowRefused(rest.LOCKED[0], path, "Database is locked")
        return answer


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Iterator:
    """The home of an Airflow with a DAG of two short tasks."""
    home, dags = tmp_path_factory.mktemp("locked") / "home", tmp_path_factory.mktemp("dags")
    (dags / "two_tasks.py").write_text(DAG)
    try:
        client = server.start(home, dags=dags).client()
        client.wait_for_dag("two_tasks")
        client.unpause("two_tasks")
        client.wait_for_runs("two_tasks", "scheduled", 1, LIMIT_S)
        client.backfill("two_tasks", FIRST, LAST)
        yield home
    finally:
        server.stop(home)


@pytest.fixture
def client(home) -> Recording:
    """A client while no backfill runs."""
    client = Recording(*login(home))
    client.wait_for_backfills("two_tasks", LIMIT_S)
    return client


def login(home) -> tuple[int, str, str]:
    return server.running(home).port, settings.USER, settings.password(home)


@contextmanager
def locked(home) -> Iterator[None]:
    """No other process can write."""
    path = settings.airflow_home(home) / settings.FILE
    holder = sqlite3.connect(path, timeout=120, isolation_level=None)
    try:
        holder.execute("BEGIN IMMEDIATE")
        yield
        holder.execute("ROLLBACK")
    finally:
        holder.close()


def tries(client: rest.Client) -> dict[tuple[str, str], int]:
    """How often each task of each day was tried; the last try of each succeeded."""
    runs = client.wait_for_runs("two_tasks", "backfill", 2, LIMIT_S)
    tasks = [(run, task) for run in runs for task in client.tasks("two_tasks", run["dag_run_id"])]
    assert all(task["state"] == "success" for _, task in tasks)
    return {(run["logical_date"], task["task_id"]): task["try_number"] for run, task in tasks}


def assert_once_more(client: rest.Client, before: dict[tuple[str, str], int], asked: datetime) -> None:
    """Each task began once since it was asked for. Where Airflow found the database locked in the midst of its own
    start it deleted the runs that it had begun, with their history: their tries count anew."""
    after = tries(client)
    assert len(after) == 4 and after.keys() == before.keys()
    assert all(after[task] in (before[task] + 1, 1) for task in after), (before, after)
    runs = client.runs("two_tasks", "backfill")
    begun = [task["start_date"] for run in runs for task in client.tasks("two_tasks", run["dag_run_id"])]
    assert all(datetime.fromisoformat(each) >= asked for each in begun), (asked, begun)


def test_no_component_ends_and_no_try_fails_while_others_lock_the_database(home, client):
    alive, before, asked = components.alive(home), tries(client), datetime.now(UTC)
    client.backfill("two_tasks", FIRST, LAST, reprocess="completed")
    for _ in range(3):
        with locked(home):
            time.sleep(LOCKED_S)
        time.sleep(1.0)
    client.wait_for_backfills("two_tasks", LIMIT_S)
    assert_once_more(client, before, asked)
    assert components.alive(home) == alive


def test_a_backfill_that_the_locked_database_refuses_is_asked_for_again_and_each_day_runs_once_more(home, client):
    """Locked until the server has answered. What waited as long may have ended, and the watcher starts it again."""
    before, asked = tries(client), datetime.now(UTC)
    with ThreadPoolExecutor() as pool:
        with locked(home):
            asking = pool.submit(client.backfill, "two_tasks", FIRST, LAST, reprocess="completed")
            wait_until(lambda: client.refusals or asking.done(), "it is refused with 503", LIMIT_S)
            assert client.refusals
        number = asking.result(timeout=LIMIT_S)
    assert client.refusals[0] in rest.LOCKED
    client.wait_for_backfills("two_tasks", LIMIT_S)
    assert_once_more(client, before, asked)
    found = client.call("GET", "/backfills?dag_id=two_tasks")["backfills"]
    assert max(backfill["id"] for backfill in found) == number


def test_a_backfill_that_has_begun_in_part_goes_on_and_only_the_other_days_are_asked_for_again(home, client):
    before, asked = tries(client), datetime.now(UTC)
    partly = Partly(*login(home))
    begun = partly.backfill("two_tasks", FIRST, LAST, reprocess="completed")
    client.wait_for_backfills("two_tasks", LIMIT_S)
    assert_once_more(client, before, asked)
    assert partly.begun == [(str(FIRST), str(FIRST)), (str(LAST), str(LAST))]
    newest = max(client.call("GET", "/backfills?dag_id=two_tasks")["backfills"], key=lambda each: each["id"])
    assert (newest["id"], newest["from_date"][:10]) == (begun, str(LAST))
