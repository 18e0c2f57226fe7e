"""`make demo`: landing files of three streams, a real Airflow, a day of each, a backfill, and what came out of them.

Each demo is made anew in a home of its own (var/demo, var/demo-real), alongside the user's tables. It says first what
it will do, prints progress and failures, and ends with ten lines, a picture (demo.sql) and two commands.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import IO

from stack import environments, setting_up
from stack.places import MADE, PYTHON, REPOSITORY, WINDROW
from windrow.pipelines import config, flow, logged
from windrow.pipelines.airflow import airflow_home, rest, running, server, settings
from windrow.pipelines.location import typed
from windrow.pipelines.logged import say
from windrow.schemas.errors import NotSetUp, WrongParameter

STREAMS = ("bikes", "cdr", "telemetry")
BACKFILLED = "bikes"
SEED = 1
# Of telemetry fewer: its pods and series have a fixed step.
GENERATED_DAYS = {"bikes": 5, "cdr": 3, "telemetry": 2}
RUNS_LIMIT_S = 3600.0
ENGINE, LOCAL = "WINDROW_ENGINE", "local"
SUMMARY = REPOSITORY / "stack" / "demo.sql"


@dataclass(frozen=True)
class Tour:
    """What a demo does. days: by DAG that of its first run, which is `by_hand` or else the scheduler's own; backfill:
    two days of BACKFILLED."""

    home: Path
    landing: Path
    days: Mapping[str, date]
    by_hand: bool
    backfill: tuple[date, date]
    why: str


def run(landing: Path | None) -> int:
    """The whole demo; 0 when every run succeeded. Whatever interrupts it, nothing stays running."""
    tour = _over_real_files(landing) if landing else _over_generated_files()
    os.environ.setdefault(ENGINE, LOCAL)
    say_what_comes(tour)
    began = time.monotonic()
    with _section("Set-up"):
        setting_up.run(setting_up.OF_THE_DEMO if os.environ[ENGINE] == LOCAL else setting_up.ALL)
    _refuse_running(tour.home)
    _start_afresh(tour)
    try:
        failed = _runs(tour)
    finally:
        with _section("Airflow ends"):
            say(f"{server.stop(tour.home)} processes ended")
    with _section("Report"):
        _windrow(tour.home, "report", "--no-data-docs")
    say("")
    with open(SUMMARY) as statements:
        _windrow(tour.home, "sql", stdin=statements)
    next_steps(tour.home)
    say(f"\nThe demo took {time.monotonic() - began:.0f} s.")
    return 1 if failed else 0


def say_what_comes(tour: Tour) -> None:
    """What the demo will do, and how long that takes."""
    is_set_up = environments.is_current(environments.AIRFLOW)
    generated = tour.landing.is_relative_to(tour.home)
    steps = (
        f"sets up Windrow and Airflow: {'nothing is left to do' if is_set_up else '1.5 GB on the disk; minutes, once'}",
        f"{'writes' if generated else 'takes your'} landing files of {', '.join(STREAMS)}",
        f"starts Airflow, runs a day of each and backfills two days of {BACKFILLED}: 90 seconds on two cores",
        "stops Airflow and shows what came out",
    )
    say("This demo\n" + "\n".join(f"  {number}  {step}" for number, step in enumerate(steps, start=1)))
    say(f"Its tables and pages are in {tour.home.relative_to(REPOSITORY)}/, nothing else is changed. Ctrl-C stops it.")


def _over_generated_files() -> Tour:
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    home = MADE / "demo"
    why = (
        f"The landing files are generated (seed {SEED}) and end yesterday, {yesterday}: the scheduler\n"
        "runs that day by itself as soon as a DAG is unpaused."
    )
    days = yesterday - timedelta(days=2), yesterday - timedelta(days=1)
    return Tour(home, home / "landing", dict.fromkeys(STREAMS, yesterday), False, days, why)


def _over_real_files(landing: Path) -> Tour:
    if not landing.is_dir():
        raise WrongParameter("LANDING", str(landing), "a folder that exists")
    why = (
        "The real files are of 2015 to 2022: a run that the scheduler starts today finds nothing. So one day of\n"
        "each stream is run by hand, of the trips 2018-11-05: by then the day before is known, of 25 hours, on\n"
        "which New York's clocks went back. Two dense days of 2017 are backfilled. Unpaused, each DAG also runs\n"
        "yesterday, without events."
    )
    by_hand = {"bikes": date(2018, 11, 5), "cdr": date(2015, 8, 9), "telemetry": date(2022, 8, 22)}
    days = date(2017, 6, 3), date(2017, 6, 4)
    return Tour(MADE / "demo-real", landing.resolve(), by_hand, True, days, why)


def _refuse_running(home: Path) -> None:
    if found := running(home):
        what = f"Airflow runs on the demo's tables, at {found.address}"
        raise NotSetUp(what, typed("down", str(home)))


def _start_afresh(tour: Tour) -> None:
    server.stop(tour.home)
    for made in ("airflow", "lake", "landing", "locks"):
        shutil.rmtree(tour.home / made, ignore_errors=True)
    with _section("Landing files"):
        say(tour.why)
        if tour.landing.is_relative_to(tour.home):
            for stream in tour.days:
                _generate(tour, stream)
        config.keep_landing(tour.home, tour.landing)


def _generate(tour: Tour, stream: str) -> None:
    days, last = GENERATED_DAYS[stream], tour.days[stream]
    words = {"--into": tour.landing, "--days": days, "--last-day": last, "--seed": SEED}
    command = [str(PYTHON), "-m", f"windrow.samples.{stream}", *(str(word) for pair in words.items() for word in pair)]
    name = f"landing files of {stream}"
    say(logged.run(name, command, "make setup", {"PYTHONPATH": str(REPOSITORY)}).rstrip())


def _runs(tour: Tour) -> list[dict]:
    """Start Airflow, let all runs go through; returns those that failed."""
    with _section("Airflow starts"):
        started = server.start(tour.home, tour.landing)
        client = started.client()
        for dag in (*tour.days, flow.REPORT_DAG):
            client.wait_for_dag(dag)
        # Its pages come once, at the end.
        client.pause(flow.REPORT_DAG)
        say(f"{started.address}   login: {settings.login(tour.home)}")
    done: list[dict] = []
    with _section(f"A {'manual' if tour.by_hand else 'scheduled'} run of a day of {', '.join(tour.days)}"):
        for dag, day in tour.days.items():
            _begin(client, tour, dag, day)
        for dag in tour.days:
            done += _wait(client, dag, "manual" if tour.by_hand else "scheduled", 1)
    with _section(f"A backfill of {BACKFILLED}, {tour.backfill[0]} and {tour.backfill[1]}"):
        client.backfill(BACKFILLED, *tour.backfill)
        done += _wait(client, BACKFILLED, "backfill", 2)
    failed = [run for run in done if run["state"] != "success"]
    failures(client, tour.home, failed)
    return failed


def _begin(client: rest.Client, tour: Tour, dag: str, day: date) -> None:
    """Unpausing starts yesterday's scheduled run, which of real files finds nothing, and must not be what is shown."""
    client.unpause(dag)
    if tour.by_hand:
        client.trigger(dag, day, f"by-hand-{day}")


def _wait(client: rest.Client, dag: str, kind: str, count: int) -> list[dict]:
    progress = Progress(client, dag)
    return client.wait_for_runs(dag, kind, count, RUNS_LIMIT_S, progress.show)


@contextmanager
def _section(title: str) -> Iterator[None]:
    say(f"\n== {title}")
    began = time.monotonic()
    yield
    say(f"   ({time.monotonic() - began:.0f} s)")


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
        logs = airflow_home(home) / "logs" / f"dag_id={dag}" / f"run_id={run['dag_run_id']}"
        say(f"FAILED: {dag}, {run['dag_run_id']}, in {', '.join(failed) or 'no task'}; logs in {logs}")


def next_steps(home: Path) -> None:
    """Two commands to type next."""
    shown = home.relative_to(REPOSITORY)
    pages, shell = f"xdg-open {shown}/report/index.html", f"WINDROW_HOME={shown} .venv/bin/windrow sql"
    say(f"\nNext:\n  {pages:46} pages with figures: what was known when, what came late")
    say(f"  {shell:46} your own questions to these tables; Tab completes")


def _windrow(home: Path, *words: str, stdin: IO | None = None) -> None:
    """As a user can repeat it. A table that a failed run has not made is reported in words."""
    environment = {name: value for name, value in os.environ.items() if name != config.LANDING}
    subprocess.run([WINDROW, *words], stdin=stdin, env=environment | {config.HOME: str(home)}, check=False)
