"""What is missing or wrong, each with the command that fixes it. `windrow doctor` asks for the same, as JSON."""

import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from stack import airflow, environments, uv
from stack.places import make, say
from stack.setting_up import AIRFLOW, ARCHIVE, DELTA, JAVA, KERNELS, REDIS, S3, SPARK, SetUpPart
from windrow.pipelines import config
from windrow.pipelines.config import Config
from windrow.pipelines.location import Location, is_local
from windrow.schemas.errors import NotSetUp
from windrow.schemas.registry import streams
from windrow.schemas.stream import Stream

# Environments 2.5 GB, JARs and the archive 0.3 GB, and some room for tables.
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
    home = config.load()
    airflows = Finding("processes of Airflow", *airflow.condition(home.here))
    parts = JAVA, REDIS, SPARK, AIRFLOW, DELTA, S3, ARCHIVE, KERNELS
    return [*_machine(home.here), *map(_part, parts), airflows, *_landing(home)]


def run(as_json: bool = False) -> int:
    """Print every finding; 0 when nothing is missing or wrong, else the exit code of NotSetUp."""
    found = findings()
    wrong = sum(bool(finding.wrong) and not finding.optional for finding in found)
    summary = f"{wrong} of {len(found)} are missing or wrong" if wrong else "nothing is missing or wrong"
    if as_json:
        say(json.dumps({"findings": [vars(finding) for finding in found], "summary": summary}))
    else:
        for finding in found:
            say(f"{'ok   ' if not finding.wrong else 'lacks' if finding.optional else 'wrong'}  {finding.subject}")
            if finding.wrong:
                say(f"         {finding.wrong}\n         fix it with: {finding.fix}")
        say(summary)
    return NotSetUp.exit_code if wrong else 0


def _machine(home: Path) -> list[Finding]:
    system = "" if sys.platform == "linux" else f"this is {sys.platform}; processes are found through /proc"
    free = shutil.disk_usage(next(parent for parent in (home, *home.parents) if parent.exists())).free
    short = free < FREE_BYTES_NEEDED
    room = f"{free / 1e9:.1f} GB are free, {FREE_BYTES_NEEDED / 1e9:.1f} GB are needed" if short else ""
    # Only what makes environments needs it.
    has_uv = all(map(environments.is_current, environments.wanted())) or uv.find()
    return [
        _found("Linux", system, "run it on Linux, or in a Linux container"),
        _found(f"room under {home}", room, "export WINDROW_HOME=/a/larger/disk"),
        _found("uv", "" if has_uv else "it is neither on PATH nor in var/uv"),
    ]


def _part(part: SetUpPart) -> Finding:
    if part is AIRFLOW and environments.AIRFLOW not in environments.wanted():
        wrong = "this image has none, and runs without"
        return Finding(part.subject, wrong, "take the image windrow-airflow", optional=True)
    return _found(part.subject, part.wrong(), part.fix(), part.optional)


def _landing(home: Config) -> list[Finding]:
    landing = home.landing
    # The default folder is made by `make up`, or by the first user who puts a file there: it may be absent.
    absent = is_local(landing) and landing != home.home / "landing" and not landing.is_dir()
    names = config.LANDING if config.LANDING in os.environ else "the LANDING of this home's last make up"
    wrong = f"{names} names {landing}, which is not a folder" if absent else ""
    # What lies below a URI is the ingest's to list: a listing may take minutes.
    lacking = [name for name, stream in streams().items() if is_local(landing) and not _has_files(landing, stream)]
    none_of = f"there are none of {', '.join(lacking)} in {landing}: an ingest of these finds nothing"
    fix = f"copy some there, by the names that docs/streams.md has, or: {make('up')} LANDING=FOLDER"
    return [
        _found("landing folder", wrong, f"mkdir -p {landing}"),
        _found("landing files of every stream", none_of if lacking else "", fix, optional=True),
    ]


def _has_files(landing: Location, stream: Stream) -> bool:
    return any(next(landing.glob(pattern), None) for layout in stream.layouts for pattern in layout.paths)


def _found(subject: str, wrong: str, fix: str = "make setup", optional: bool = False) -> Finding:
    return Finding(subject, wrong, fix if wrong else "", optional)
