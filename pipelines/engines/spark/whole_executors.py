"""Tasks that have an executor for themselves: a farm has a thread for each of its cores.

a cluster     task cpus = executor cores, by a resource profile of the stage
one machine   Spark refuses such profiles there: one task takes the shares one after the other, or where rows are
              gathered by key, tasks wait for each other
"""

import fcntl
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.config import Config
from pipelines.engines.engine import Executors
from pipelines.engines.spark.settings import is_one_machine
from pipelines.engines.spark.spark_session import session

if TYPE_CHECKING:
    from pyspark.resource import ResourceProfile

DRIVER = "driver"


def found(config: Config) -> Executors:
    """Those of the session, with the cores of the smallest. Spark's default parallelism says neither: it is 2 at least,
    or what the user has set."""
    context = session(config).sparkContext
    listed = context._jsc.sc().statusStore().executorList(True)
    every = [listed.apply(place) for place in range(listed.size())]
    if _on_one_machine(config):
        return Executors(1, every[0].totalCores() or context.defaultParallelism)
    cores = [each.totalCores() for each in every if each.id() != DRIVER]
    return Executors(max(1, len(cores)), max(1, min(cores, default=1)))


def tasks(config: Config, shares: int) -> int:
    """How many tasks take so many shares."""
    return 1 if _on_one_machine(config) else shares


def profile(config: Config, cores: int) -> "ResourceProfile | None":
    """Of a stage whose tasks take so many cores; None where Spark takes none."""
    return None if _on_one_machine(config) else _profile(cores)


def turn(config: Config) -> Path | None:
    """The file whose lock a task must have to be at work; None where each has its own executor."""
    return Path(str(config.spark)) / "farm.lock" if _on_one_machine(config) else None


@contextmanager
def in_turn(lock: Path | None) -> Iterator[None]:
    """Wait until no other task of this machine is at work."""
    if lock is None:
        yield
        return
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def one_by_one(lock: Path | None, work: Callable[[Iterable], Iterator], batches: Iterable) -> Iterator:
    """The same of a task that maps batches: also its rows come into memory in its turn only."""
    with in_turn(lock):
        yield from work(batches)


@cache
def _profile(cores: int) -> "ResourceProfile":
    from pyspark.resource import ResourceProfileBuilder, TaskResourceRequests

    return ResourceProfileBuilder().require(TaskResourceRequests().cpus(cores)).build


def _on_one_machine(config: Config) -> bool:
    return is_one_machine(session(config).sparkContext.master or "")
