"""What is missing or wrong, each with the command that fixes it. `windrow doctor` prints the same."""

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pipelines import config
from pipelines.location import is_local
from schemas.errors import NotSetUp
from schemas.registry import streams
from schemas.stream import Stream
from stack import archive, compiled, condition, environments, jars, java, redis, uv
from stack.places import make, say

SETUP = "make setup"
# Environments 2.5 GB, JARs, Ivy's cache and the archive 0.5 GB, and some room for tables.
FREE_BYTES_NEEDED = 4 * 1024**3


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. `wrong` is empty when all is well; `fix` is then empty too. What is optional is
    listed, but is nothing wrong."""

    subject: str
    wrong: str = ""
    fix: str = ""
    optional: bool = False


def findings() -> list[Finding]:
    """Look at everything; the order is that in which things must be fixed."""
    return [check() for check in CHECKS]


def run() -> int:
    """Print every finding; 0 when nothing is missing or wrong, else the exit code of NotSetUp."""
    found = findings()
    for finding in found:
        say(f"{_verdict(finding)}  {finding.subject}")
        if finding.wrong:
            say(f"         {finding.wrong}\n         fix it with: {finding.fix}")
    summary, code = ending(found)
    say(summary)
    return code


def ending(found: list[Finding]) -> tuple[str, int]:
    """The last line of `make doctor` and of `windrow doctor`, and their exit code. What is optional is not counted."""
    wrong = sum(bool(finding.wrong) and not finding.optional for finding in found)
    if not wrong:
        return "nothing is missing or wrong", 0
    return f"{wrong} of {len(found)} are missing or wrong", NotSetUp.exit_code


def _verdict(finding: Finding) -> str:
    if not finding.wrong:
        return "ok   "
    return "lacks" if finding.optional else "wrong"


def _system() -> Finding:
    linux = sys.platform == "linux"
    return Finding(
        "Linux",
        "" if linux else f"this is {sys.platform}; processes are found through /proc",
        "" if linux else "run it on Linux, or in a Linux container",
    )


def _disk() -> Finding:
    home = config.load().here
    free = shutil.disk_usage(_existing(home)).free
    short = free < FREE_BYTES_NEEDED
    wrong = f"{free / 1e9:.1f} GB are free, {FREE_BYTES_NEEDED / 1e9:.1f} GB are needed" if short else ""
    return Finding(f"room under {home}", wrong, "export WINDROW_HOME=/a/larger/disk" if short else "")


def _uv() -> Finding:
    made = all(environments.is_current(each) for each in environments.wanted())
    # Only what makes environments needs it.
    return Finding("uv") if made else _present("uv", uv.find(), "it is neither on PATH nor in var/uv", SETUP)


def _java() -> Finding:
    return _present(f"Java {java.OLDEST} or newer", java.find(), "Spark finds none", java.fix())


def _redis() -> Finding:
    wrong = "" if redis.find() else "there is none on PATH: the tests of the networked store are skipped"
    return Finding("Redis server, for tests", wrong, redis.fix() if wrong else "", optional=True)


def _environment(environment: environments.Environment) -> Finding:
    subject, wrong = f"environment {environment.folder.name}", ""
    if environment not in environments.wanted():
        return Finding(
            subject, "this image has none, and runs without", "take the image windrow-airflow", optional=True
        )
    if not environment.python.exists():
        wrong = "it is missing"
    elif not environments.is_current(environment):
        wrong = f"it was not made from {environment.requirements.name} and pyproject.toml as they are now"
    return Finding(subject, wrong, SETUP if wrong else "")


def _jars() -> Finding:
    wrong = "; ".join(jars.problems(jars.DELTA))
    return Finding("Delta's JARs", wrong, SETUP if wrong else "")


def _jars_of_s3() -> Finding:
    wrong = "" if not jars.problems(jars.S3) else "Spark can't read or write a lake on S3 without them"
    return Finding("S3's JARs, for a lake on S3", wrong, jars.S3.fix if wrong else "", optional=True)


def _archive() -> Finding:
    wrong = "" if archive.is_current() else "it is missing, or made with another Java or other JARs"
    return Finding("class-data archive", wrong, SETUP if wrong else "")


def _compiled() -> Finding:
    wrong = "" if compiled.is_current() else "these sources were not compiled yet: the first stages are slow"
    return Finding("compiled kernels", wrong, SETUP if wrong else "")


def _airflow() -> Finding:
    return Finding("processes of Airflow", *condition.of(config.load().here))


def _landing() -> Finding:
    folders = config.load()
    # The default folder is made by `make up`, or by whoever first puts a file there: it may be absent.
    absent = is_local(folders.landing) and folders.landing != folders.home / "landing" and not folders.landing.is_dir()
    names = config.LANDING if config.LANDING in os.environ else "the LANDING of this home's last make up"
    wrong = f"{names} names {folders.landing}, which is not a folder" if absent else ""
    return Finding("landing folder", wrong, f"mkdir -p {folders.landing}" if wrong else "")


def _landed() -> Finding:
    landing = config.load().landing
    # What lies below a URI is the ingest's to list: a listing may take minutes.
    lacking = [name for name, stream in streams().items() if is_local(landing) and not _has_files(landing, stream)]
    wrong = f"there are none of {', '.join(lacking)} in {landing}: an ingest of these finds nothing" if lacking else ""
    fix = f"copy some there, by the names that docs/streams.md has, or: {make('up')} LANDING=FOLDER" if wrong else ""
    return Finding("landing files of every stream", wrong, fix, optional=True)


def _has_files(landing: Path, stream: Stream) -> bool:
    return any(next(landing.glob(pattern), None) for layout in stream.layouts for pattern in layout.paths)


CHECKS: tuple[Callable[[], Finding], ...] = (
    _system,
    _disk,
    _uv,
    _java,
    _redis,
    lambda: _environment(environments.SPARK),
    lambda: _environment(environments.AIRFLOW),
    _jars,
    _jars_of_s3,
    _archive,
    _compiled,
    _airflow,
    _landing,
    _landed,
)


def _present(subject: str, found: str | None, wrong: str, fix: str) -> Finding:
    return Finding(subject) if found else Finding(subject, wrong, fix)


def _existing(folder: Path) -> Path:
    return next(parent for parent in (folder, *folder.parents) if parent.exists())
