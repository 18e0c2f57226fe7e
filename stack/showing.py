"""What the demo prints: progress, failures, tables, verdicts, questions with answers (one for each stream and more), a
picture, where to look next."""

import os
import subprocess
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import NamedTuple

from pipelines import config
from pipelines.airflow import rest
from stack import settings
from stack.places import PYTHON, REPOSITORY, WINDROW, say


class DemoQuestion(NamedTuple):
    """sql: in the words of `windrow query`; reading: how to read the answer."""

    asks: str
    sql: str
    reading: str


OF_EVERY_DEMO = (
    DemoQuestion(
        "bikes: why were records refused?",
        """SELECT reason, sum(records) AS records FROM quarantine_bikes
GROUP BY ALL ORDER BY records DESC""",
        "Nothing is dropped: what is no event is kept with its line and its reason (docs/streams.md).",
    ),
    DemoQuestion(
        "bikes: what was known when, of the window that was corrected most often?",
        """SELECT window_start, revision, pane, emitted_at, trips, late_events FROM bikes_demand
WHERE (start_station_id, window_start) IN (
    SELECT (start_station_id, window_start) FROM bikes_demand ORDER BY revision DESC, 1 LIMIT 1)
ORDER BY revision LIMIT 6""",
        "Each row was the answer from emitted_at until the next: trips arrive when the bike is back.",
    ),
    DemoQuestion(
        "bikes: which trips came too late for a window, and by how many minutes?",
        """SELECT start_station_id, start, arrival, windows_missed, late_by // 60000000 AS late_by_minutes
FROM bikes_demand_late ORDER BY late_by DESC LIMIT 3""",
        "Their windows were final: bikes_demand takes no trip later than a day (allowed_lateness).",
    ),
    DemoQuestion(
        "cdr: which antennas were busiest, in which quarter of an hour?",
        """SELECT location_area, cell, window_start, window_end, sessions, longest_s
FROM cdr_active_final ORDER BY sessions DESC, location_area, cell, window_start LIMIT 5""",
        "Sessions under way: one that lasts is in every window that it meets.",
    ),
    DemoQuestion(
        "telemetry: where did late readings change most of what was known on time?",
        """SELECT source, metric, window_start, readings - late_events AS known_on_time, readings AS in_the_end
FROM telemetry_load_final ORDER BY late_events DESC, source, metric, window_start LIMIT 5""",
        "A dashboard at the end of the window would have shown known_on_time.",
    ),
)
CHANGE_OF_CLOCKS = DemoQuestion(
    "bikes: how long was the day on which New York's clocks went back?",
    """SELECT window_start, window_end, date_diff('hour', window_start, window_end) AS hours,
    count(*) AS stations, sum(trips) AS trips
FROM bikes_daily_final WHERE window_start >= '2018-11-01' GROUP BY ALL ORDER BY window_start""",
    "Days are New York's: 2018-11-04 began at 04:00 UTC and ended at 05:00, after 25 hours.",
)


def verdicts(days: Iterable[date]) -> DemoQuestion:
    """What the gate found; days: those that the demo asked for."""
    asked = ", ".join(f"DATE '{day}'" for day in sorted(set(days)))
    return DemoQuestion(
        "the gate: what was checked, and what passed?",
        f"""SELECT table_name, why, min(logical_date) AS first_day, max(logical_date) AS last_day,
    count(*) AS checks, count(*) FILTER (passed) AS passed
FROM (SELECT *, CASE
    WHEN logical_date IN ({asked}) THEN 'a day of this demo'
    WHEN logical_date IS NULL THEN 'files that an ingest took'
    WHEN table_name LIKE 'silver_%' THEN 'earlier events, read for windows that reach into a day'
    ELSE 'a day that the scheduler began by itself' END AS why FROM verdicts)
GROUP BY ALL ORDER BY table_name, first_day""",
        "Rows are published only where all checks pass. Days before yours are there since windows reach back to them.",
    )


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
    for question in (verdicts(days), *OF_EVERY_DEMO, *more):
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
