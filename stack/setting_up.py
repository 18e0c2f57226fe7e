"""The parts of the set-up, which `make doctor` lists. Each looks first and does nothing when all is well."""

import fcntl
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import IO, NamedTuple

from stack import archive, compiled, debian, environments, jars
from stack.places import MADE, REPOSITORY, make, owner, say
from windrow.schemas.errors import NotSetUp


class SetUpPart(NamedTuple):
    """What the set-up brings. wrong: what is wrong with it now, empty where all is well; fix: what to type then."""

    subject: str
    ensure: Callable[[], object]
    wrong: Callable[[], str]
    fix: Callable[[], str] = lambda: "make setup"
    optional: bool = False


def _unless(is_right: Callable[[], object], lacks: str) -> Callable[[], str]:
    return lambda: "" if is_right() else lacks


def _environment(made: environments.Environment) -> SetUpPart:
    def wrong() -> str:
        if environments.is_current(made):
            return ""
        now = f"it was not made from {made.requirements.name} and pyproject.toml as they are now"
        return now if made.python.exists() else "it is missing"

    return SetUpPart(f"environment {made.folder.name}", partial(environments.ensure, made), wrong)


JAVA = SetUpPart(
    f"Java {debian.OLDEST_JAVA} or newer",
    debian.ensure_java,
    _unless(debian.find_java, "Spark finds none"),
    debian.java_fix,
)
REDIS = SetUpPart(
    "Redis server, for tests",
    debian.ensure_redis,
    _unless(debian.find_redis, "there is none on PATH: the tests of the networked store are skipped"),
    lambda: debian.fix(debian.REDIS),
    optional=True,
)
SPARK, AIRFLOW = map(_environment, (environments.SPARK, environments.AIRFLOW))
DELTA = SetUpPart("Delta's JARs", partial(jars.ensure, jars.DELTA), lambda: "; ".join(jars.problems(jars.DELTA)))
S3 = SetUpPart(
    "S3's JARs, for a lake on S3",
    partial(jars.ensure, jars.S3),
    _unless(lambda: not jars.problems(jars.S3), "Spark can't read or write a lake on S3 without them"),
    lambda: jars.S3.fix,
    optional=True,
)
ARCHIVE = SetUpPart(
    "class-data archive",
    archive.ensure,
    _unless(archive.is_current, "it is missing, or made with another Java or other JARs"),
)
KERNELS = SetUpPart(
    "compiled kernels",
    compiled.ensure,
    _unless(compiled.is_current, "these sources were not compiled yet: the first stages are slow"),
)
ALL = (JAVA, REDIS, SPARK, AIRFLOW, DELTA, ARCHIVE, KERNELS)
# What only a lake on S3 or a cluster needs.
OF_A_CLUSTER = (S3,)
# What Spark's image holds, and what Airflow's has on top of that (docker/Dockerfile).
OF_SPARKS_IMAGE, OF_AIRFLOWS_IMAGE = (JAVA, SPARK, DELTA, ARCHIVE, KERNELS, S3), (AIRFLOW,)


def run(parts: Sequence[SetUpPart] = ALL) -> None:
    """Set everything up. Raises NotSetUp with the command that fixes what failed."""
    try:
        with _alone():
            for number, part in enumerate(parts, start=1):
                say(f"[{number}/{len(parts)}] {part.subject}")
                part.ensure()
    except PermissionError as refused:
        who = owner(REPOSITORY)
        what = f"this checkout is user {who}'s and isn't all set up, and you can't write {refused.filename}"
        raise NotSetUp(what, f"make setup   # as {who}, or in a clone of your own") from refused


def say_next() -> None:
    """What to type after a set-up."""
    say(f"""
Everything is set up. Next:
  make demo                  a day of each stream through a real Airflow, over generated files, with answers: minutes
  {make("up").ljust(24)}   start Airflow over your own files; LANDING=FOLDER says where these are
  .venv/bin/windrow --help   the same without Airflow
  make doctor                what is missing or wrong; make alone prints every command""")


@contextmanager
def _alone() -> Iterator[None]:
    """One set-up at a time: two that install into one environment would break it. Who can't write there can't set up
    either, and finds everything done, or is refused by what isn't."""
    MADE.mkdir(parents=True, exist_ok=True)
    path = MADE / "setup.lock"
    if path.exists() and not os.access(path, os.W_OK):
        yield
        return
    with open(path, "w") as lock:
        _wait_for(lock)
        yield


def _wait_for(lock: IO[str]) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("another set-up of this checkout runs: waiting for its end")
        fcntl.flock(lock, fcntl.LOCK_EX)
