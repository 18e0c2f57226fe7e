"""What an installation needs beyond its packages: `windrow setup` brings it, `windrow doctor` says what lacks.

Needs no library, so that a checkout's set-up can ask for it before anything is installed. Each part looks first and
does nothing when all is well.
"""

import os
import shlex
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from windrow.pipelines import compiled, config
from windrow.pipelines.airflow import server, settings
from windrow.pipelines.config import Config
from windrow.pipelines.engines.spark import archive, jars
from windrow.pipelines.location import Location, is_local, set_up, typed
from windrow.pipelines.logged import Show, silent
from windrow.processes import java
from windrow.schemas.errors import NotSetUp
from windrow.schemas.registry import streams
from windrow.schemas.stream import Stream

# Some room for tables.
FREE_BYTES_NEEDED = 1024**3
SHOWN = 3


class SetUpPart(NamedTuple):
    """What a set-up brings. wrong: what is wrong with it now, empty where all is well; fix: what to type then."""

    subject: str
    ensure: Callable[[], object]
    wrong: Callable[[], str]
    fix: str = set_up("windrow setup")
    optional: bool = False


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at. `wrong` is empty when all is well; `fix` is then empty too. What is optional is
    listed, but is nothing wrong."""

    subject: str
    wrong: str = ""
    fix: str = ""
    optional: bool = False

    @property
    def state(self) -> str:
        return "ok" if not self.wrong else "lacks" if self.optional else "wrong"

    @classmethod
    def of(cls, part: SetUpPart) -> "Finding":
        """What a part lacks."""
        wrong = part.wrong()
        return cls(part.subject, wrong, part.fix if wrong else "", part.optional)


def parts(home: Config, spark: bool, s3: bool, show: Show = silent) -> list[SetUpPart]:
    """Those of this machine: what Spark needs where the engine is Spark, S3's JARs where they are asked for."""
    kernels = SetUpPart(
        "compiled kernels",
        partial(compiled.ensure, show),
        lambda: "" if compiled.is_current() else "they were not compiled yet: the first stages are slow",
    )
    of_spark = [JAVA, _jars(jars.DELTA, home.jars, show), _archive(home.jars, show)]
    return [*(of_spark if spark else []), *([_jars(jars.S3, home.jars, show)] if s3 else []), kernels]


def _require_java() -> None:
    if java.find() is None:
        raise NotSetUp(f"there is no Java {java.OLDEST} or newer, which Spark needs", java.fix())


JAVA = SetUpPart(
    f"Java {java.OLDEST} or newer", _require_java, lambda: "" if java.find() else "Spark finds none", java.fix()
)


def _jars(wanted: jars.JarSet, folder: Path, show: Show) -> SetUpPart:
    def wrong() -> str:
        found = jars.problems(wanted, wanted.folder(folder))
        return "; ".join(found[:SHOWN]) + (f"; and {len(found) - SHOWN} more" if len(found) > SHOWN else "")

    ensure, is_optional = partial(jars.ensure, wanted, folder, show), wanted is jars.S3  # only a lake on S3 needs them
    return SetUpPart(f"{wanted.whose} JARs", ensure, wrong, wanted.fix, is_optional)


def _archive(folder: Path, show: Show) -> SetUpPart:
    wrong = "it is missing, or made with another Java or other JARs: Spark starts slowly"
    return SetUpPart(
        "class-data archive",
        partial(archive.ensure, folder, show),
        lambda: "" if archive.is_current(folder) else wrong,
    )


LACKS_SPARK = Finding(
    "Spark",
    "the engine is spark, and pyspark isn't installed",
    set_up('pip install "windrow[spark]"   # or engine = "local"'),
)


def findings(home: Config) -> list[Finding]:
    """Look at everything; the order is that in which things must be fixed."""
    has_spark = find_spec("pyspark") is not None
    spark = home.engine == "spark" and has_spark
    lacks = [] if spark or home.engine != "spark" else [LACKS_SPARK]
    found = lacks + [Finding.of(part) for part in parts(home, spark, s3=spark)]
    airflows = Finding("processes of Airflow", *server.condition(home.here))
    return [*_machine(home.here), *found, _airflow(), airflows, *_landing(home)]


def summary(found: list[Finding]) -> str:
    """One line on all of them."""
    states = [each.state for each in found]
    if wrong := states.count("wrong"):
        return f"{wrong} of {len(found)} are missing or wrong"
    return "nothing is missing or wrong" + (", but for what is optional" if "lacks" in states else "")


def _machine(home: Path) -> list[Finding]:
    system = "" if sys.platform == "linux" else f"this is {sys.platform}; processes are found through /proc"
    free = shutil.disk_usage(next(parent for parent in (home, *home.parents) if parent.exists())).free
    short = free < FREE_BYTES_NEEDED
    room = f"{free / 1e9:.1f} GB are free, {FREE_BYTES_NEEDED / 1e9:.1f} GB are needed" if short else ""
    return [
        _found("Linux", system, "run it on Linux, or in a Linux container"),
        _found(f"room under {home}", room, f"export {config.HOME}=/a/larger/disk"),
    ]


def _airflow() -> Finding:
    try:
        settings.airflow()
    except NotSetUp as lacks:
        wrong, _, fix = str(lacks).partition("; fix it with: ")
        return Finding("Airflow, for schedules", wrong, fix, optional=True)
    return Finding("Airflow, for schedules")


def _landing(home: Config) -> list[Finding]:
    landing = home.landing
    # The default folder is made by `windrow up`, or by the first user who puts a file there: it may be absent.
    absent = is_local(landing) and landing != home.home / "landing" and not landing.is_dir()
    names = config.LANDING if config.LANDING in os.environ else "the project, or this home's last `up`,"
    wrong = f"{names} names {landing}, which is not a folder" if absent else ""
    # What lies below a URI is the ingest's to list: a listing may take minutes.
    lacking = [name for name, stream in streams().items() if is_local(landing) and not _has_files(landing, stream)]
    none_of = f"there are none of {', '.join(lacking)} in {landing}: an ingest of these finds nothing"
    fix = set_up(f"{typed('up')} --landing FOLDER", f"{typed('up')} LANDING=FOLDER")
    return [
        _found("landing folder", wrong, f"mkdir -p {shlex.quote(str(landing))}"),
        _found("landing files of every stream", none_of if lacking else "", f"copy some there, or: {fix}", True),
    ]


def _has_files(landing: Location, stream: Stream) -> bool:
    return any(next(landing.glob(pattern), None) for layout in stream.layouts for pattern in layout.paths)


def _found(subject: str, wrong: str, fix: str, optional: bool = False) -> Finding:
    return Finding(subject, wrong, fix if wrong else "", optional)
