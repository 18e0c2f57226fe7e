"""Work on shares as Spark's tasks: a share per task, what it finds comes back as one small row.

Rows of tables do not pass through the JVM here: a task reads and writes Parquet files itself. Delta's own reader and
writer in Spark cost more than a small day's work (docs/decisions/0018-two-engines.md).
"""

import pickle
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from pipelines.config import Config
from pipelines.engines.engine import Found, Share
from pipelines.engines.spark import whole_executors
from pipelines.engines.spark.spark_session import end_reported, session
from processes import orphan_jvms
from schemas.raised_elsewhere import raised_elsewhere

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_REFUSED = re.compile(r"^schemas\.errors\.(\w+): (.+)$", re.MULTILINE)


def each(
    config: Config, work: Callable[[Share], Found], shares: Sequence[Share], cores: int | None = None
) -> list[Found]:
    """What the work finds on each share, in their order. cores: of an executor, which a task has all."""
    if not shares:
        return []
    tasks = len(shares) if cores is None else whole_executors.tasks(config, len(shares))
    numbers = session(config).range(0, len(shares), 1, tasks)
    profile = None if cores is None else whole_executors.profile(config, cores)
    return found_by(numbers.mapInArrow(partial(_work_on, work, tuple(shares)), "found BINARY", profile=profile))


def found_by(rows: "DataFrame") -> list:
    """What tasks pickled into the column `found`."""
    with reported():
        return [pickle.loads(row.found) for row in rows.collect()]


def as_rows(found: Iterable[object]) -> Iterator[pa.RecordBatch]:
    """For `found_by`."""
    pickled = [pickle.dumps(each) for each in found]
    yield pa.RecordBatch.from_arrays([pa.array(pickled, pa.binary())], names=["found"])


def _work_on(work: Callable, shares: Sequence, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield from as_rows(work(shares[number]) for number in batch["id"].to_pylist())


@contextmanager
def reported() -> Iterator[None]:
    """Errors of tasks in their own words, and SparkEnded where the JVM is gone. A signal ends it: it would go on, and
    Py4J waits for the answer before it takes another question."""
    with orphan_jvms.ended_if_stopped(), end_reported(), _errors_of_tasks():
        yield


@contextmanager
def _errors_of_tasks() -> Iterator[None]:
    """A worker's error comes back as the text of its traceback: it is raised again, with its own words only."""
    from pyspark.errors import PythonException

    try:
        yield
    except PythonException as error:
        found = _REFUSED.search(str(error))
        if found is None:
            raise
        raise raised_elsewhere(*found.groups()) from error
