"""The steps of the set-up in their order. Each looks first and does nothing when all is well."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO

from schemas.errors import NotSetUp
from stack import archive, compiled, debian, environments, jars
from stack.places import MADE, REPOSITORY, make, owner, say

Steps = tuple[tuple[str, Callable[[], object]], ...]
JAVA: Steps = (("a Java runtime", debian.ensure_java),)
SPARK: Steps = (("the environment of Spark and the kernels", lambda: environments.ensure(environments.SPARK)),)
AIRFLOW: Steps = (("the environment of Airflow", lambda: environments.ensure(environments.AIRFLOW)),)
PREPARED: Steps = (
    ("Delta's JARs", lambda: jars.ensure(jars.DELTA)),
    ("the class-data archive", archive.ensure),
    ("the compiled kernels", compiled.ensure),
)
# What only a lake on S3 or a cluster needs.
OF_A_CLUSTER: Steps = (("S3's JARs", lambda: jars.ensure(jars.S3)),)
STEPS: Steps = (*JAVA, ("a Redis server, for tests", debian.ensure_redis), *SPARK, *AIRFLOW, *PREPARED)
# What Spark's image holds, and what Airflow's has on top of that (docker/Dockerfile).
OF_SPARKS_IMAGE: Steps = (*JAVA, *SPARK, *PREPARED, *OF_A_CLUSTER)
OF_AIRFLOWS_IMAGE: Steps = AIRFLOW


def run(steps: Steps = STEPS) -> None:
    """Set everything up. Raises NotSetUp with the command that fixes what failed."""
    try:
        with _alone():
            for number, (name, step) in enumerate(steps, start=1):
                say(f"[{number}/{len(steps)}] {name}")
                step()
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
