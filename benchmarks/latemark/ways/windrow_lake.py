"""Windrow over a lake, without a JVM: `windrow ingest` of the files, and `windrow backfill` of all arrival days."""

import os
import shutil
import subprocess
import sys
from datetime import UTC, date, datetime
from pathlib import Path

import pyarrow.parquet as pq

from benchmarks.latemark.arrivals import SECOND_US
from benchmarks.latemark.generator import BEGIN_US, AskedMoments
from benchmarks.latemark.questions import EVERY
from windrow.pipelines.config import REPOSITORY, Config
from windrow.pipelines.delta.lake import Lake

TITLE = "Windrow, a lake, engine `local`"
NO_ANSWER: dict[str, str] = {}
WINDROW = (sys.executable, "-m", "windrow.pipelines")
STREAM = """from datetime import date
from benchmarks.latemark.bids_stream import stream_until

STREAM = stream_until({}, {})
"""
QUERY = """from benchmarks.latemark.questions import EVERY

QUERY = EVERY[{!r}].query
"""


def answer(question: str, folder: Path, into: Path, engine: str = "local") -> None:
    """The rows of the published table."""
    asked, (first, last) = EVERY[question], _days(folder)
    project = into.absolute().with_suffix(".project")
    config = Config(project / "home", folder.absolute() / "landing", asked_engine=engine)
    _make(project, question, first, last)
    _run(config, project, "ingest", "bids")
    _run(config, project, "backfill", asked.query.name, "--from", str(first), "--to", str(last))
    rows = Lake(config).read(asked.query.name)
    rows = rows.append_column("known_at", rows["emitted_at"]) if asked.known else rows
    pq.write_table(rows.select(asked.columns), into, compression="none")
    shutil.rmtree(project)


def _days(folder: Path) -> tuple[date, date]:
    """First and last of the arrivals."""
    times_us = BEGIN_US, AskedMoments.of(folder).last_arrivals_us[-1]
    first, last = (datetime.fromtimestamp(each // SECOND_US, UTC).date() for each in times_us)
    return first, last


def _make(project: Path, question: str, *days: date) -> None:
    shutil.rmtree(project, ignore_errors=True)
    name = EVERY[question].query.name
    until = [f"date({day.year}, {day.month}, {day.day})" for day in days]
    files = {"windrow.toml": "", "streams/bids.py": STREAM.format(*until), f"queries/{name}.py": QUERY.format(question)}
    for path, text in files.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text)


def _run(config: Config, project: Path, *words: str) -> None:
    kept = {"WINDROW_JARS": REPOSITORY / "var" / "jars", "WINDROW_NUMBA": REPOSITORY / "var" / "numba"}
    places = {"WINDROW_HOME": config.home, "WINDROW_LANDING": config.landing, "WINDROW_PROJECT": project, **kept}
    environment = os.environ | {name: str(place) for name, place in places.items()}
    engine = {"WINDROW_ENGINE": config.asked_engine}
    done = subprocess.run([*WINDROW, *words], env=environment | engine, cwd=REPOSITORY, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{words} ended with {done.returncode}: {done.stdout}{done.stderr}")
