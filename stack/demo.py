"""`make demo`: landing files, a real Airflow, a run, a backfill, and what came out of them.

Each demo is made anew in a home of its own (var/demo, var/demo-real), alongside the user's tables.
"""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from schemas.errors import NotSetUp, WrongParameter
from stack import airflow, commands, rest, setting_up, settings, showing
from stack.places import MADE, PYTHON, REPOSITORY, say

DAG = "bikes"
SEED = 1
GENERATED_DAYS = 5
RUNS_LIMIT_S = 3600.0


@dataclass(frozen=True)
class Tour:
    """What a demo does. `by_hand` is the day of a manual run; None: the scheduler's own run is awaited."""

    home: Path
    landing: Path
    by_hand: date | None
    backfill: tuple[date, date]
    why: str


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
    showing.results(tour.home, tour.landing)
    showing.next_steps(tour.home)
    say(f"\nThe demo took {time.monotonic() - began:.0f} s.")
    return 1 if failed else 0


def _over_generated_files() -> Tour:
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    home = MADE / "demo"
    why = (
        f"The landing files are generated (seed {SEED}) and end yesterday, {yesterday}: the scheduler\n"
        "runs that day by itself as soon as the DAG is unpaused."
    )
    days = yesterday - timedelta(days=2), yesterday - timedelta(days=1)
    return Tour(home, home / "landing", None, days, why)


def _over_real_files(landing: Path) -> Tour:
    if not landing.is_dir():
        raise WrongParameter("LANDING", str(landing), "a folder that exists")
    why = (
        "The real trips are of 2017 and 2018: a run that the scheduler starts today finds none. So one\n"
        "day is run by hand, 2018-11-04 when New York's clocks went back, and two dense days of 2017 are\n"
        "backfilled."
    )
    days = date(2017, 6, 3), date(2017, 6, 4)
    return Tour(MADE / "demo-real", landing, date(2018, 11, 4), days, why)


def _refuse_running(home: Path) -> None:
    if found := airflow.running(home):
        what = f"Airflow runs on the demo's tables, at {found.address}"
        raise NotSetUp(what, f"make down WINDROW_HOME={home}")


def _start_afresh(tour: Tour) -> None:
    airflow.stop(tour.home)
    for made in ("airflow", "lake", "landing", "locks"):
        shutil.rmtree(tour.home / made, ignore_errors=True)
    with _section("Landing files"):
        say(tour.why)
        if tour.landing.is_relative_to(tour.home):
            _generate(tour)


def _generate(tour: Tour) -> None:
    last = tour.backfill[1] + timedelta(days=1)
    words = {"--into": tour.landing, "--days": GENERATED_DAYS, "--last-day": last, "--seed": SEED}
    command = [str(PYTHON), "-m", "samples.bikes", *(str(word) for pair in words.items() for word in pair)]
    say(commands.run("landing files", command, "make setup", {"PYTHONPATH": str(REPOSITORY)}).rstrip())


def _runs(tour: Tour) -> list[dict]:
    """Start Airflow, let all runs go through; returns those that failed."""
    with _section("Airflow starts"):
        running = airflow.start(tour.home, tour.landing)
        client = running.client()
        client.wait_for_dag(DAG)
        say(f"{running.address}   login: {settings.USER} / {settings.password(tour.home)}")
    with _section("A manual run" if tour.by_hand else "A scheduled run"):
        done = _first_run(client, tour)
    with _section(f"A backfill of {tour.backfill[0]} and {tour.backfill[1]}"):
        client.backfill(DAG, *tour.backfill)
        done += _wait(client, "backfill", 2)
    failed = [run for run in done if run["state"] != "success"]
    showing.failures(client, tour.home, DAG, failed)
    return failed


def _first_run(client: rest.Client, tour: Tour) -> list[dict]:
    if tour.by_hand is None:
        client.unpause(DAG)
        return _wait(client, "scheduled", 1)
    # Unpausing starts today's scheduled run too. It finds no trips, and must not be what is shown.
    client.unpause(DAG)
    client.trigger(DAG, tour.by_hand, f"by-hand-{tour.by_hand}")
    return _wait(client, "manual", 1)


def _wait(client: rest.Client, kind: str, count: int) -> list[dict]:
    progress = showing.Progress(client, DAG)
    return client.wait_for_runs(DAG, kind, count, RUNS_LIMIT_S, progress.show)


@contextmanager
def _section(title: str) -> Iterator[None]:
    say(f"\n== {title}")
    began = time.monotonic()
    yield
    say(f"   ({time.monotonic() - began:.0f} s)")
