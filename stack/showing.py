"""What the demo prints: progress, failures, tables, verdicts, queries with answers, where to look next."""

import os
import subprocess
from pathlib import Path

from stack import rest, settings
from stack.places import REPOSITORY, WINDROW, say

VERDICTS = """SELECT table_name, logical_date, count(*) AS checks, count(*) FILTER (passed) AS passed
FROM verdicts GROUP BY ALL ORDER BY ALL"""

QUERIES = {
    "Why were records refused?": """SELECT reason, count(*) AS records FROM quarantine_bikes
GROUP BY ALL ORDER BY records DESC""",
    "Which stations were busiest, on which day in New York?": """SELECT
start_station_id, window_start, window_end, trips, longest_trip_duration_s
FROM bikes_daily_final ORDER BY trips DESC, start_station_id LIMIT 5""",
    "What was known when, of the window that was corrected most often?": """SELECT
window_start, revision, pane, emitted_at, trips, late_events FROM bikes_demand
WHERE (start_station_id, window_start) IN (
    SELECT (start_station_id, window_start) FROM bikes_demand ORDER BY revision DESC, 1 LIMIT 1)
ORDER BY revision LIMIT 6""",
    "Which trips came too late for a window, and by how many minutes?": """SELECT
start_station_id, start, arrival, windows_missed, late_by // 60000000 AS late_by_minutes
FROM bikes_demand_late ORDER BY late_by DESC LIMIT 3""",
}


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
            line = f"   {run['run_type']} run of {day}: {run['state']}, {done} of {len(tasks)} tasks done"
            if line not in self.shown:
                self.shown.add(line)
                say(line)


def failures(client: rest.Client, home: Path, dag: str, runs: list[dict]) -> None:
    """The failed tasks of each run, with the folder of their logs."""
    for run in runs:
        tasks = client.tasks(dag, run["dag_run_id"])
        failed = [task["task_id"] for task in tasks if task["state"] == "failed"]
        logs = settings.airflow_home(home) / "logs" / f"dag_id={dag}" / f"run_id={run['dag_run_id']}"
        say(f"FAILED: {run['dag_run_id']}, in {', '.join(failed) or 'no task'}; logs in {logs}")


def results(home: Path, landing: Path) -> None:
    """Rows per table, verdicts, and example queries, all by the `windrow` command that a user would type."""
    _windrow(home, landing, "Tables", "tables")
    _windrow(home, landing, "The gate's verdicts", "query", VERDICTS)
    for question, sql in QUERIES.items():
        _windrow(home, landing, question, "query", sql)


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


def _windrow(home: Path, landing: Path, title: str, *words: str) -> None:
    say(f"\n== {title}")
    if words[0] == "query":
        say("\n".join(f"   {line}" for line in words[1].splitlines()))
    environment = os.environ | {"WINDROW_HOME": str(home), "WINDROW_LANDING": str(landing)}
    # Its exit code is not ours: after a failed run a table may not exist, and windrow says so itself.
    subprocess.run([WINDROW, *words], env=environment, check=False)
