"""Where the seconds of an everyday run go: `make everyday LANDING=../shared/data`. It writes docs/everyday.md.

Three questions, the first two over a week of generated landing files of bikes, cdr and telemetry, ingested before:

1. A day's run of all three streams, no new files, by a real Airflow: from the moment its DAGs are switched on to the
   end of the last run. Each task is Airflow's own time, a Python that starts, and the steps of the ledger.
2. One task from within: the replay of a day with its gate, in a fresh process, through Spark and without it. The parts
   are timed where the code calls them; what is left is Python starting and importing.
3. New files: how quickly the lines of bronze become events of silver (bronze_to_silver.py), over real ones.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path

from benchmarks import bronze_to_silver
from benchmarks.markdown import table
from pipelines.config import REPOSITORY, Config
from pipelines.flow import scheduled_queries
from pipelines.lake.lake import Lake
from pipelines.ledger import runs as ledger
from schemas import registry
from stack import airflow, compiled, rest
from tests.support.lakes import ingest

STREAMS = ("bikes", "cdr", "telemetry")
YESTERDAY = datetime.now(UTC).date() - timedelta(days=1)
DAYS, EVENTS_PER_DAY, LIMIT_S = 7, 4_000, 600.0
QUERY = "cdr_active"
PAGE = REPOSITORY / "docs" / "everyday.md"
HEAD = """# Where the seconds of an everyday run go

<!-- Made by `make everyday`: run that again, don't edit this page. -->

Seconds differ from machine to machine and from hour to hour: compare them within this page only. Two cores. The first
two tables are of a week of generated landing files of bikes, cdr and telemetry, at least 4,000 events a day each,
ingested before.
"""
# What a fresh process times, by part: (module or module:class, function).
PARTS = {
    "Spark's session (its JVM)": ("pipelines.lake.spark", "session"),
    "kernel": ("pipelines.replay.replay_events", "replay_keys"),
    "Delta, by delta-rs": ("pipelines.lake.lake:Lake", "replace"),
    "Spark's jobs and Delta commits": ("pipelines.lake.lake:Lake", "replace_with_spark"),
    "Great Expectations": ("pipelines.gate.gate:_OpenDay", "expected"),
    "laws": ("pipelines.gate.checks", "verdicts"),
}
PROGRAM = """
import json, sys, time
from datetime import date
from importlib import import_module
began = time.monotonic()
spent, running = {}, []
def timed(name, function):
    def call(*given, **named):
        running.append(name)
        started = time.monotonic()
        try:
            return function(*given, **named)
        finally:
            running.pop()
            if not running:  # what one part calls of another is its own
                spent[name] = spent.get(name, 0) + time.monotonic() - started
    return call
for name, (module, function) in json.loads(sys.argv[3]).items():
    module, _, owner = module.partition(':')
    found = import_module(module)
    found = getattr(found, owner) if owner else found
    setattr(found, function, timed(name, getattr(found, function)))
from pipelines import config
from pipelines.runs.replay_day import replay_day
replay_day(config.load(), sys.argv[1], date.fromisoformat(sys.argv[2]))
print(json.dumps(spent))
"""


def prepare() -> Config:
    """A lake with a week of generated events, up to yesterday."""
    home = REPOSITORY / "var" / "everyday"
    airflow.stop(home)
    shutil.rmtree(home, ignore_errors=True)
    config = Config(home, home / "landing")
    for name in STREAMS:
        import_module(f"samples.{name}").write(config.landing, DAYS, YESTERDAY, 1, EVENTS_PER_DAY)
        ingest(config, name)
    compiled.ensure()
    return config


def scheduled_day(config: Config) -> tuple[float, list[dict]]:
    """Seconds of wall time of yesterday's scheduled runs of all streams together, and a row for each of their tasks."""
    try:
        client = airflow.start(config.home, config.landing).client()
        for name in STREAMS:
            client.wait_for_dag(name)
        began = time.monotonic()
        for name in STREAMS:
            client.unpause(name)
        runs = {name: client.wait_for_runs(name, "scheduled", 1, LIMIT_S) for name in STREAMS}
        wall_s = time.monotonic() - began
        return wall_s, [row for name in STREAMS for row in _tasks(config, client, name, runs[name][0])]
    finally:
        airflow.stop(config.home)


def _tasks(config: Config, client: rest.Client, stream: str, run: dict) -> list[dict]:
    if run["state"] != "success":
        raise SystemExit(f"the run of {stream} ended as {run['state']}")
    rows = [row for row in ledger.rows(Lake(config)) if row.stream == stream and row.state == "done"]
    steps_s = {_task_of(row): row.seconds for row in rows if row.run_id == run["dag_run_id"]}
    return [{"stream": stream, "task": task["task_id"], "Airflow and Python's start, s": task["duration"] - steps_s.get(
        task["task_id"], 0.0), "work, s": steps_s.get(task["task_id"], 0.0)} for task in
        client.tasks(stream, run["dag_run_id"])]  # fmt: skip


def _task_of(row: ledger.StepRow) -> str:
    return "ingest" if row.query is None else f"{row.query}.{'replay' if row.step == 'audit' else 'publish'}"


def from_within(config: Config, spark_from_mib: int) -> dict[str, float]:
    """Seconds of each part of a replay with its gate, in a fresh process."""
    settings = os.environ | {
        "WINDROW_HOME": str(config.home),
        "WINDROW_LANDING": str(config.landing),
        "WINDROW_SPARK_FROM_MIB": str(spark_from_mib),
        "PYTHONPATH": str(REPOSITORY),
    }
    began = time.monotonic()
    # Another day than the scheduled run's: a day's silver that was checked before is not checked again.
    words = [
        sys.executable,
        "-c",
        PROGRAM,
        QUERY,
        str(YESTERDAY - timedelta(days=1 + bool(spark_from_mib))),
        json.dumps(PARTS),
    ]
    ended = subprocess.run(words, env=settings, capture_output=True, text=True, check=True)
    spent = json.loads(ended.stdout.splitlines()[-1])
    whole_s = time.monotonic() - began
    return {**spent, "Python, imports and the rest": whole_s - sum(spent.values()), "**whole process**": whole_s}


def page(
    wall_s: float, tasks: list[dict], through_spark: dict[str, float], here: dict[str, float], new_files: str
) -> str:
    """The page's text."""
    queries = sum(len(scheduled_queries(registry.stream(name))) for name in STREAMS)
    work_s = sum(row["work, s"] for row in tasks)
    start_s = sum(row["Airflow and Python's start, s"] for row in tasks)
    parts = [{"part": part, "without Spark, s": here.get(part, 0.0), "through Spark, s": through_spark.get(part, 0.0)}
             for part in dict.fromkeys((*here, *through_spark))]  # fmt: skip
    ordered = sorted(parts, key=lambda row: (row["part"].startswith("**"), -row["through Spark, s"]))
    return "\n\n".join([
        HEAD.rstrip(), "## A day's run of all three streams, by Airflow",
        f"{len(STREAMS)} scheduled runs with {queries} queries, {len(tasks)} tasks, no new files: **{wall_s:.0f} s** "
        f"from switching the DAGs on to the end of the last run. The tasks took {work_s + start_s:.0f} s, some at the "
        f"same time: {work_s:.0f} s of work, {start_s:.0f} s of Airflow and of Pythons that start.",
        table(tasks), f"## One replay with its gate (`{QUERY}`), in a fresh process",
        "A day of so little silver is replayed without Spark (`WINDROW_SPARK_FROM_MIB`, 8 by default); the rows are "
        "the same.", table(ordered), new_files]) + "\n"  # fmt: skip


def main(landing: Path) -> None:
    """Measure, print and write the page."""
    config = prepare()
    new_files = bronze_to_silver.section(config.home / "spans", landing)
    wall_s, tasks = scheduled_day(config)
    text = page(wall_s, tasks, from_within(config, 0), from_within(config, 8), new_files)
    PAGE.write_text(text)
    print(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
