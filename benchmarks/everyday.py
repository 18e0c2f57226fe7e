"""Where the seconds of an everyday run go: `make everyday LANDING=../shared/data`. It writes docs/everyday.md.

Three questions, the first two over a week of generated landing files of bikes, cdr and telemetry, for each engine:

1. A day's run of all three streams, with new files, by a real Airflow: from the moment its DAGs are switched on to the
   end of the last run. Each task is Airflow's own time, a Python that starts, and the steps of the ledger.
2. One task from within: the replay of a day with its gate, in a fresh process. The parts are timed where the code calls
   them; what is left is Python starting and importing.
3. New files: how quickly the lines of bronze become events of silver (bronze_to_silver.py), over real ones.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path

from benchmarks import bronze_to_silver
from benchmarks.pages import table
from tests.support.lakes import ingest
from windrow.pipelines import compiled
from windrow.pipelines.airflow import rest, server
from windrow.pipelines.config import ENGINES, REPOSITORY, Config
from windrow.pipelines.delta.lake import Lake
from windrow.pipelines.flow import scheduled_queries
from windrow.pipelines.ledger import run_table as ledger
from windrow.schemas import registry

STREAMS = ("bikes", "cdr", "telemetry")
YESTERDAY = datetime.now(UTC).date() - timedelta(days=1)
DAYS, EVENTS_PER_DAY, LIMIT_S = 7, 4_000, 600.0
QUERY = "cdr_active"
PAGE = REPOSITORY / "docs" / "everyday.md"
HEAD = """# Where the seconds of an everyday run go

<!-- Made by `make everyday`: run that again, don't edit this page. -->

Seconds differ from machine to machine and from hour to hour, so compare them only within this page. The machine has two
cores. The first tables use a week of generated landing files of bikes, cdr and telemetry, each with at least 4,000
events a day. All files but those of the last day were ingested before, so that each run has new files.
"""


def prepare(engine: str) -> Config:
    """A lake with a week of generated events, up to yesterday, whose files are new."""
    home = REPOSITORY / "var" / "everyday" / engine
    server.stop(home)
    shutil.rmtree(home, ignore_errors=True)
    config = Config(home, home / "landing", asked_engine="local")
    for name in STREAMS:
        sample = import_module(f"windrow.samples.{name}")
        sample.write(config.landing, DAYS - 1, YESTERDAY - timedelta(days=1), 1, EVENTS_PER_DAY)
        ingest(config, name)
        sample.write(config.landing, DAYS, YESTERDAY, 1, EVENTS_PER_DAY)
    compiled.ensure()
    return config


def scheduled_day(config: Config, engine: str) -> tuple[float, list[dict]]:
    """Seconds of wall time of yesterday's scheduled runs of all streams together, and a row for each of their tasks."""
    os.environ["WINDROW_ENGINE"] = engine
    try:
        client = server.start(config.home, config.landing).client()
        for name in STREAMS:
            client.wait_for_dag(name)
        began = time.monotonic()
        for name in STREAMS:
            client.unpause(name)
        runs = {name: client.wait_for_runs(name, "scheduled", 1, LIMIT_S) for name in STREAMS}
        wall_s = time.monotonic() - began
        return wall_s, [row for name in STREAMS for row in _tasks(config, client, name, runs[name][0])]
    finally:
        server.stop(config.home)


def _tasks(config: Config, client: rest.Client, stream: str, run: dict) -> list[dict]:
    if run["state"] != "success":
        raise SystemExit(f"the run of {stream} ended as {run['state']}")
    rows = [row for row in ledger.rows(Lake(config)) if row.stream == stream and row.state == "done"]
    steps_s: Counter[str] = Counter()
    for row in rows:
        steps_s["replay" if row.query else "ingest"] += row.seconds if row.run_id == run["dag_run_id"] else 0.0
    tasks = client.tasks(stream, run["dag_run_id"])
    return [_row(stream, task["task_id"], task["duration"], steps_s[task["task_id"]]) for task in tasks]


def _row(stream: str, task: str, whole_s: float, work_s: float) -> dict:
    return {"stream": stream, "task": task, "Airflow and Python's start, s": whole_s - work_s, "work, s": work_s}


def from_within(config: Config, engine: str) -> dict[str, float]:
    """Seconds of each part of a replay with its gate, in a fresh process."""
    settings = os.environ | {
        "WINDROW_HOME": str(config.home),
        "WINDROW_LANDING": str(config.landing),
        "WINDROW_ENGINE": engine,
        "PYTHONPATH": str(REPOSITORY),
    }
    began = time.monotonic()
    # Another day than the scheduled run's: a day's silver that was checked before is not checked again.
    words = [sys.executable, "-m", "benchmarks.everyday_parts", QUERY, str(YESTERDAY - timedelta(days=1))]
    ended = subprocess.run(words, env=settings, capture_output=True, text=True, check=True)
    spent = json.loads(ended.stdout.splitlines()[-1])
    whole_s = time.monotonic() - began
    return {**spent, "Python, imports and the rest": whole_s - sum(spent.values()), "**whole process**": whole_s}


def section(engine: str) -> tuple[str, dict[str, float]]:
    """A day on an engine as a section of the page, and the parts of one of its replays in a fresh process."""
    config = prepare(engine)
    wall_s, tasks = scheduled_day(config, engine)
    queries = sum(len(scheduled_queries(registry.stream(name))) for name in STREAMS)
    work_s = sum(row["work, s"] for row in tasks)
    start_s = sum(row["Airflow and Python's start, s"] for row in tasks)
    text = "\n\n".join([
        f"## A day's run of all three streams, by Airflow, on the {engine} engine",
        f"{len(STREAMS)} scheduled runs, {queries} queries, {len(tasks)} tasks, new files in each: **{wall_s:.0f} s** "
        f"from switching the DAGs on to the end of the last run. The tasks took {work_s + start_s:.0f} s, some at the "
        f"same time: {work_s:.0f} s of work, {start_s:.0f} s of Airflow and of Pythons that start.",
        table(tasks)])  # fmt: skip
    return text, from_within(config, engine)


def page(sections: dict[str, tuple[str, dict[str, float]]], new_files: str) -> str:
    """The page's text."""
    parts = dict.fromkeys(part for _, spent in sections.values() for part in spent)
    rows = [{"part": part} | {f"{engine}, s": spent.get(part, 0.0) for engine, (_, spent) in sections.items()}
            for part in parts]  # fmt: skip
    ordered = sorted(rows, key=lambda row: (row["part"].startswith("**"), -row["spark, s"]))
    return "\n\n".join([
        HEAD.rstrip(), *(text for text, _ in sections.values()),
        f"## One replay with its gate (`{QUERY}`), in a fresh process", "The rows are the same.", table(ordered),
        new_files]) + "\n"  # fmt: skip


def main(landing: Path) -> None:
    """Measure, print and write the page."""
    sections = {engine: section(engine) for engine in ENGINES}
    new_files = bronze_to_silver.section(REPOSITORY / "var" / "everyday" / "spans", landing)
    text = page(sections, new_files)
    PAGE.write_text(text)
    print(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
