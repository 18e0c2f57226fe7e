"""An Airflow that runs: what its runs logged, and the day that it will run next."""

import json
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from datetime import date

from tests.support.airflow import few_queries
from tests.support.processes import PATIENCE_S, environment, python
from windrow.pipelines import flow
from windrow.pipelines.airflow import components, rest, settings
from windrow.pipelines.config import Config
from windrow.schemas.errors import AirflowRefused
from windrow.schemas.project import VARIABLE


def next_day(client: rest.Client, dag: str) -> date:
    """The day that the scheduler runs once the DAG is unpaused. What a test says of yesterday is wrong at midnight."""
    return date.fromisoformat(client.call("GET", f"/dags/{dag}/details")["next_dagrun_logical_date"][:10])


def asked(address: str, **headers: str) -> tuple[int, str, str]:
    """Status, address in the end, and text."""
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as answer:
            return answer.status, answer.url, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.url, refused.read().decode()


@dataclass(frozen=True)
class RunningAirflow:
    """One DAG of it, the installation that its tasks work on, and the days that have landing files."""

    config: Config
    client: rest.Client
    dag: str
    days: list[date]

    def wait_for_report(self, limit_s: float) -> list[dict]:
        """Wait until no event waits for a report, and none is being made; the runs that made them."""
        deadline, dag = time.monotonic() + limit_s, flow.REPORT_DAG
        while time.monotonic() < deadline:
            runs = self.client.wait_for_runs(dag, "asset_triggered", 1, limit_s)
            waits = self.client.call("GET", f"/dags/{dag}/assets/queuedEvents")["total_entries"]
            if not waits and len(self.client.runs(dag, "asset_triggered")) == len(runs):
                return runs
            time.sleep(1)
        raise AssertionError(f"events still wait for a report after {limit_s:.0f} s")

    def events(self) -> list[dict]:
        """Events of all assets. Airflow answers 500 while a run that one of them made is queued (its issue 71360)."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                return self.client.call("GET", "/assets/events?limit=500")["asset_events"]
            except AirflowRefused as refused:
                if refused.status != 500 or time.monotonic() > deadline:
                    raise
            time.sleep(1)

    def events_of(self, dag: str, table: str) -> list[dict]:
        """Events of a table's asset that a DAG has made."""
        return [event for event in self.events() if (event["source_dag_id"], event["name"]) == (dag, table)]

    def windrow(self, *words: str) -> str:
        """What a command prints, run as a user of the tasks' project would."""
        project = {VARIABLE: str(few_queries.project(self.config.home))}
        ended = python("-m", "windrow.pipelines", *words, env=environment(self.config) | project)
        assert ended.returncode == 0, ended.stderr
        return ended.stdout + ended.stderr

    def log(self, run: str, task: str, attempt: int = 1) -> str:
        """What a task's attempt logged: one JSON object per line."""
        logs = settings.airflow_home(self.config.home) / "logs"
        log = logs / f"dag_id={self.dag}" / f"run_id={run}" / f"task_id={task}" / f"attempt={attempt}.log"
        lines = log.read_text().splitlines()
        events = [json.loads(line) for line in lines if line.startswith("{")]
        return "\n".join(f"{event.get('event')} {event.get('error_detail', '')}" for event in events)

    def other_tries(self, runs: list[dict], asked: int) -> dict[str, str]:
        """By task what its tries logged, and the scheduler of them, where these are more or fewer than asked for."""
        tasks = ((run["dag_run_id"], task) for run in runs for task in self.client.tasks(self.dag, run["dag_run_id"]))
        return {
            f"{run} {task['task_id']}: {task['try_number']} tries": self._all_logged(run, task)
            for run, task in tasks
            if task["try_number"] != asked and task["state"] != "skipped"
        }

    def _all_logged(self, run: str, task: dict) -> str:
        numbers = range(1, task["try_number"] + 1)
        tries = [f"-- try {number}\n{self._log_or_none(run, task['task_id'], number)}" for number in numbers]
        scheduler = components.log(self.config.home, "scheduler").read_text(errors="replace").splitlines()
        about = [line for line in scheduler if run in line and task["task_id"] in line or "rror" in line]
        return "\n".join([*tries, "-- scheduler", *about[-200:]])

    def _log_or_none(self, run: str, task: str, attempt: int) -> str:
        try:
            return self.log(run, task, attempt)
        except FileNotFoundError:
            return "it wrote no log: its process was never started, or ended before"

    def trigger(self, run: str, logical_day: date | None, /, **params: object) -> None:
        """A manual run for a day, or without a logical date."""
        self.client.trigger(self.dag, logical_day, run, **params)

    def task(self, run: str, task: str) -> dict:
        return next(found for found in self.client.tasks(self.dag, run) if found["task_id"] == task)
