"""`make demo`: landing files of three streams, a real Airflow, a day of each, a backfill, and what came out of them.

Each demo is made anew in a home of its own (var/demo, var/demo-real), alongside the user's tables. It prints progress,
failures, tables, verdicts, questions with answers (one for each stream and more), and where to look next: in the pages
of the report too.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from stack import airflow, commands, setting_up, settings
from stack.places import MADE, PYTHON, REPOSITORY, WINDROW, make, say
from windrow.pipelines import config
from windrow.pipelines.airflow import rest, running
from windrow.schemas.errors import NotSetUp, WrongParameter

STREAMS = ("bikes", "cdr", "telemetry")
BACKFILLED = "bikes"
SEED = 1
# Of telemetry fewer: its pods and series have a fixed step.
GENERATED_DAYS = {"bikes": 5, "cdr": 3, "telemetry": 2}
RUNS_LIMIT_S = 3600.0


class DemoQuestion(NamedTuple):
    """One of demo_questions.sql. sql: in the words of `windrow query`; reading: how to read the answer."""

    asks: str
    sql: str
    reading: str


def _questions() -> Iterator[DemoQuestion]:
    for block in (REPOSITORY / "stack" / "demo_questions.sql").read_text().strip().split("\n\n"):
        asks, *sql, reading = block.splitlines()
        yield DemoQuestion(asks.removeprefix("-- "), "\n".join(sql), reading.removeprefix("-- "))


# The last is of the real files alone.
_VERDICTS, *OF_EVERY_DEMO, CHANGE_OF_CLOCKS = _questions()


def verdicts(days: Iterable[date]) -> DemoQuestion:
    """What the gate found; days: those that the demo asked for."""
    asked = ", ".join(f"DATE '{day}'" for day in sorted(set(days)))
    return _VERDICTS._replace(sql=_VERDICTS.sql.format(days=asked))


@dataclass(frozen=True)
class Tour:
    """What a demo does. days: by DAG that of its first run, which is `by_hand` or else the scheduler's own; backfill:
    two days of BACKFILLED; more: questions of this demo alone."""

    home: Path
    landing: Path
    days: Mapping[str, date]
    by_hand: bool
    backfill: tuple[date, date]
    why: str
    more: tuple[DemoQuestion, ...] = ()


def run(landing: Path | None) -> int:
    """The whole demo; 0 when every run succeeded. Whatever interrupts it, nothing stays running."""
    tour = _over_real_files(landing) if landing else _over_generated_files()
    began = time.monotonic()
    with _section("Set-up"):
        setting_up.run()
    _refuse_running(tour.home)
    _start_afresh(tour)
    try:
        failed = _runs(tour)
    finally:
        with _section("Airflow ends"):
            say(f"{airflow.stop(tour.home)} processes ended")
    results(tour.home, [*tour.days.values(), *tour.backfill], tour.more)
    next_steps(tour.home)
    say(f"\nThe demo took {time.monotonic() - began:.0f} s.")
    return 1 if failed else 0


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
    more = (CHANGE_OF_CLOCKS,)
    return Tour(MADE / "demo-real", landing.resolve(), by_hand, True, days, why, more)


def _refuse_running(home: Path) -> None:
    if found := running(home):
        what = f"Airflow runs on the demo's tables, at {found.address}"
        raise NotSetUp(what, make("down", str(home)))


def _start_afresh(tour: Tour) -> None:
    airflow.stop(tour.home)
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
    say(commands.run(name, command, "make setup", {"PYTHONPATH": str(REPOSITORY)}).rstrip())


def _runs(tour: Tour) -> list[dict]:
    """Start Airflow, let all runs go through; returns those that failed."""
    with _section("Airflow starts"):
        started = airflow.start(tour.home, tour.landing)
        client = started.client()
        for dag in tour.days:
            client.wait_for_dag(dag)
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
        logs = settings.airflow_home(home) / "logs" / f"dag_id={dag}" / f"run_id={run['dag_run_id']}"
        say(f"FAILED: {dag}, {run['dag_run_id']}, in {', '.join(failed) or 'no task'}; logs in {logs}")


def results(home: Path, days: Iterable[date], more: Iterable[DemoQuestion] = ()) -> None:
    """The report, rows per table, verdicts, and questions with answers, all by the `windrow` command that a user would
    type. The report since Airflow may have ended before its own of the last run."""
    say("\n== Report")
    _windrow(home, "report", "--no-data-docs")
    say("\n== Tables")
    _windrow(home, "tables")
    for question in (verdicts(days), *OF_EVERY_DEMO, *more):
        say(f"\n== {question.asks}")
        say("\n".join(f"   {line}" for line in question.sql.splitlines()))
        _windrow(home, "query", question.sql)
        say(f"   {question.reading}")


def next_steps(home: Path) -> None:
    """Commands to type next."""
    shown = home.relative_to(REPOSITORY)
    say("\n== Where to look next")
    if (home / "report" / "index.html").exists():
        say(f"   {shown}/report/index.html      figures of each query: what was known when, and what came late")
    say(f"""\
   WINDROW_HOME={shown} .venv/bin/windrow query "SELECT * FROM bikes_last_hour LIMIT 5"
   WINDROW_HOME={shown} .venv/bin/windrow runs
   make up WINDROW_HOME={shown}      Airflow with the demo's runs, until: make down WINDROW_HOME={shown}
   docs/                                what each table and column means
   examples/queries/bikes_demand.py      a query; windrow new query NAME writes another""")


def _windrow(home: Path, *words: str) -> None:
    # Its exit code is not ours: after a failed run a table may not exist, and windrow reports so itself.
    subprocess.run([WINDROW, *words], env=_environment(home), check=False)


def _environment(home: Path) -> dict[str, str]:
    """As of a user who types these commands later: with the home, and the landing folder that is kept for it."""
    return {name: value for name, value in os.environ.items() if name != config.LANDING} | {config.HOME: str(home)}
