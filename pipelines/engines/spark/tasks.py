"""Work as Spark's tasks: what a task finds comes back as one small row.

Rows of tables do not pass through the JVM here: a task reads and writes Parquet files itself. Delta's own reader and
writer in Spark cost more than a small day's work (docs/decisions/0018-two-engines.md).

A farm has a thread for each core of an executor, so its tasks have one for themselves:

    a cluster     task cpus = executor cores, by a resource profile of the stage
    one machine   Spark refuses such profiles there: one task takes the shares one after the other, and where rows are
                  gathered by key, tasks wait for each other
"""

import fcntl
import pickle
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING

import pyarrow as pa

from windrow.pipelines.config import Config
from windrow.pipelines.engines.spark.settings import is_one_machine
from windrow.pipelines.engines.spark.spark_session import end_reported, session
from windrow.processes import orphan_jvms
from windrow.schemas.errors import raised_elsewhere

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.resource import ResourceProfile
    from pyspark.sql import DataFrame

Batches = Iterable[pa.RecordBatch]
# A short job is over before a user could read of it.
_EVERY_S = 2.0
_REFUSED = re.compile(r"^windrow\.schemas\.errors\.(\w+): (.+)$", re.MULTILINE)


def found_by(config: Config, rows: "DataFrame", work: Callable[[Batches], Iterable], cores: int | None = None) -> list:
    """All that the work finds in each task's batches. cores: of an executor, which a task has all."""
    profile, work = None, partial(_as_rows, work)
    if cores is not None and on_one_machine(config):
        config.spark.mkdir(parents=True, exist_ok=True)  # a session may have begun under another home
        work = partial(_in_turn, f"{config.spark}/farm.lock", work)
    elif cores is not None:
        profile = _profile(cores)
    with reported():
        found = rows.mapInArrow(work, "found BINARY", profile=profile).collect()
        return [pickle.loads(row.found) for row in found]


def _as_rows(work: Callable[[Batches], Iterable], batches: Batches) -> Iterator[pa.RecordBatch]:
    pickled = [pickle.dumps(each) for each in work(batches)]
    yield pa.RecordBatch.from_arrays([pa.array(pickled, pa.binary())], names=["found"])


def work_on(work: Callable, shares: Sequence, batches: Batches) -> Iterator:
    """What the work finds on the shares of these numbers."""
    return (work(shares[number]) for batch in batches for number in batch["id"].to_pylist())


def _in_turn(lock: str, work: Callable[[Batches], Iterable], batches: Batches) -> Iterator:
    """Wait until no other task of this machine is at work: also the rows come into memory then only."""
    with open(lock, "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield from work(batches)


@cache
def _profile(cores: int) -> "ResourceProfile":
    from pyspark.resource import ResourceProfileBuilder, TaskResourceRequests

    return ResourceProfileBuilder().require(TaskResourceRequests().cpus(cores)).build


def on_one_machine(config: Config) -> bool:
    """Whether driver and executors of the session are one process."""
    return is_one_machine(session(config).sparkContext.master or "")


@contextmanager
def reported() -> Iterator[None]:
    """Errors of tasks in their own words, and SparkEnded where the JVM is gone. A signal ends it: it would go on, and
    Py4J waits for the answer before it takes another question."""
    from pyspark.errors import PythonException

    try:
        with orphan_jvms.ended_if_stopped(), end_reported():
            yield
    except PythonException as error:  # a worker's, as the text of its traceback
        found = _REFUSED.search(str(error))
        if found is None:
            raise
        raise raised_elsewhere(*found.groups()) from error


@contextmanager
def progress_reported(show: Callable[[str], None]) -> Iterator[None]:
    """Report how far Spark's jobs are, again whenever they have gone on: a thread asks Spark, so that what waits for
    a job can go on waiting."""
    from pyspark import SparkContext

    over = threading.Event()
    asking = threading.Thread(target=_ask, args=(SparkContext, show, over), daemon=True)
    asking.start()
    try:
        yield
    finally:
        over.set()
        asking.join()


def _ask(contexts: "type[SparkContext]", show: Callable[[str], None], over: threading.Event) -> None:
    last = None
    while not over.wait(_EVERY_S):
        now = _running(contexts._active_spark_context)
        if now and now != last:
            show(now)
        last = now


def _running(context: "SparkContext | None") -> str | None:
    """Tasks that are done, of those of the stages that run; None where none does."""
    if context is None or getattr(context, "_jsc", None) is None:  # there is no session, or only half of one
        return None
    try:
        tracker = context.statusTracker()
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    except Exception:  # the JVM has ended: what waits for it says so
        return None
    known = [stage for stage in stages if stage is not None]
    done, tasks = sum(stage.numCompletedTasks for stage in known), sum(stage.numTasks for stage in known)
    return f"Spark has done {done} of {tasks} tasks" if tasks else None
