"""What the demo prints: progress, failures, tables, verdicts, questions with answers, a picture, where to look next."""

import os
import subprocess
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from pipelines import config
from stack import questions, rest, settings
from stack.places import PYTHON, REPOSITORY, WINDROW, say
from stack.questions import DemoQuestion


class Progress:
    """Prints a line whenever a run or the number of its finished tasks has changed."""

    def __init__(self, client: rest.Client, dag: str):
        self.client, self.dag, self.shown = client, dag, set()

    def show(self, runs: list[dict]) -> None:
        """One line per run that looks other than at the last call."""
        for run in runs:
            tasks = self.client.tasks(self.dag, run["dag_run_id"])
            done = sum(task["state"] in ("success", "skipped") for task in tasks)
            day = (run["logical_date"] or "no logical date")[:10]
            kind = f"{self.dag}: {run['run_type']} run of {day}"
            line = f"   {kind}: {run['state']}, {done} of {len(tasks)} tasks done"
            if line not in self.shown:
                self.shown.add(line)
                say(line)


def failures(client: rest.Client, home: Path, runs: list[dict]) -> None:
    """The failed tasks of each run, with the folder of their logs."""
    for run in runs:
        dag = run["dag_id"]
        tasks = client.tasks(dag, run["dag_run_id"])
        failed = [task["task_id"] for task in tasks if task["state"] == "failed"]
        logs = settings.airflow_home(home) / "logs" / f"dag_id={dag}" / f"run_id={run['dag_run_id']}"
        say(f"FAILED: {dag}, {run['dag_run_id']}, in {', '.join(failed) or 'no task'}; logs in {logs}")


def results(home: Path, days: Iterable[date], more: Iterable[DemoQuestion] = ()) -> None:
    """Rows per table, verdicts, and questions with answers, all by the `windrow` command that a user would type."""
    say("\n== Tables")
    _windrow(home, "tables")
    for question in (questions.verdicts(days), *questions.OF_EVERY_DEMO, *more):
        say(f"\n== {question.asks}")
        say("\n".join(f"   {line}" for line in question.sql.splitlines()))
        _windrow(home, "query", question.sql)
        say(f"   {question.reading}")


def picture(home: Path) -> None:
    """Draw it, and say where it is."""
    path = home / "known-and-true.png"
    path.unlink(missing_ok=True)
    environment = _environment(home) | {"PYTHONPATH": str(REPOSITORY)}
    subprocess.run([PYTHON, "-m", "stack.picture", path], env=environment, check=False)
    what = "what was known on time and what came late, of a query of each stream, for the key that it changed most"
    say(f"   {path}: {what}" if path.exists() else "   there is nothing to draw: no day was published")


def next_steps(home: Path) -> None:
    """Commands to type next."""
    shown = home.relative_to(REPOSITORY)
    say(f"""
== Where to look next
   WINDROW_HOME={shown} .venv/bin/windrow query "SELECT * FROM bikes_last_hour LIMIT 5"
   WINDROW_HOME={shown} .venv/bin/windrow runs
   make up WINDROW_HOME={shown}      Airflow with the demo's runs, until: make down WINDROW_HOME={shown}
   docs/                                what each table and column means
   schemas/queries/bikes_demand.py      a query; make new-query NAME=... writes another""")


def _windrow(home: Path, *words: str) -> None:
    # Its exit code is not ours: after a failed run a table may not exist, and windrow reports so itself.
    subprocess.run([WINDROW, *words], env=_environment(home), check=False)


def _environment(home: Path) -> dict[str, str]:
    """As of whoever types these commands later: with the home, and the landing folder that is kept for it."""
    return {name: value for name, value in os.environ.items() if name != config.LANDING} | {config.HOME: str(home)}
