"""The parts of a checkout's set-up, which `make doctor` lists. Each looks first and does nothing when all is well."""

import fcntl
import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import IO

from stack import debian, environments
from stack.places import MADE, REPOSITORY, WINDROW, owner
from windrow.pipelines.location import typed
from windrow.pipelines.logged import clean_environment, say
from windrow.pipelines.setting_up import JAVA, SetUpPart
from windrow.schemas.errors import NotSetUp


def _environment(made: environments.Environment) -> SetUpPart:
    def wrong() -> str:
        if environments.is_current(made):
            return ""
        now = f"it was not made from {made.requirements.name} and pyproject.toml as they are now"
        return now if made.python.exists() else "it is missing"

    return SetUpPart(f"environment {made.folder.name}", partial(environments.ensure, made), wrong)


def _by_windrow(subject: str, *options: str) -> SetUpPart:
    """What the package itself brings (pipelines/setting_up.py), by the command of the environment."""

    def ensure() -> None:
        words = [str(WINDROW), "--end-with-parent", "setup", *options]
        if subprocess.run(words, stdout=subprocess.DEVNULL, env=clean_environment(), check=False).returncode:
            raise NotSetUp(f"{' '.join(words)} failed, and says above why", "make setup")

    return SetUpPart(subject, ensure, lambda: "")


JAVA_OF_DEBIAN = JAVA._replace(ensure=debian.ensure_java, fix=debian.java_fix())
REDIS = SetUpPart(
    "Redis server, for tests",
    debian.ensure_redis,
    lambda: "" if debian.find_redis() else "there is none on PATH: the tests of the networked store are skipped",
    debian.fix(debian.REDIS),
    optional=True,
)
SPARK, AIRFLOW = map(_environment, (environments.SPARK, environments.AIRFLOW))
DEMO = SetUpPart(f"environment {environments.DEMO.folder.name}", environments.ensure_demo, lambda: "")
OF_SPARK = _by_windrow("Delta's JARs, class-data archive, compiled kernels", "--engine", "spark")
KERNELS = _by_windrow("compiled kernels", "--engine", "local")
ALL = (JAVA_OF_DEBIAN, REDIS, SPARK, AIRFLOW, OF_SPARK)
OF_THE_DEMO = (DEMO, AIRFLOW, KERNELS)
# What only a lake on S3 or a cluster needs.
OF_A_CLUSTER = (_by_windrow("S3's JARs, for a lake on S3", "--engine", "spark", "--s3"),)
# What Spark's image holds, and what Airflow's has on top of that (docker/Dockerfile).
OF_SPARKS_IMAGE, OF_AIRFLOWS_IMAGE = (JAVA_OF_DEBIAN, SPARK, *OF_A_CLUSTER), (AIRFLOW,)


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
  {typed("up").ljust(24)}   start Airflow over your own files; LANDING=FOLDER says where these are
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
