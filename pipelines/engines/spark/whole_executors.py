"""Tasks that have an executor for themselves: a farm has a thread for each of its cores.

a cluster     task cpus = executor cores, by a resource profile of the stage
one machine   Spark refuses such profiles there, so that one task takes the shares one after the other
"""

from functools import cache
from typing import TYPE_CHECKING

from pipelines.config import Config
from pipelines.engines.spark.session import session
from pipelines.engines.spark.settings import is_one_machine
from pipelines.lake.engine import Executors

if TYPE_CHECKING:
    from pyspark.resource import ResourceProfile


def found(config: Config) -> Executors:
    """Those of the session."""
    context = session(config).sparkContext
    if _on_one_machine(config):
        return Executors(1, context.defaultParallelism)
    # The driver is among them.
    others = len(context._jsc.sc().statusTracker().getExecutorInfos()) - 1
    processes = max(1, others)
    return Executors(processes, max(1, context.defaultParallelism // processes))


def tasks(config: Config, shares: int) -> int:
    """How many tasks take so many shares."""
    return 1 if _on_one_machine(config) else shares


def profile(config: Config) -> "ResourceProfile | None":
    """Of a stage whose tasks take all cores of an executor; None where Spark takes none."""
    return None if _on_one_machine(config) else _profile(found(config).cores)


@cache
def _profile(cores: int) -> "ResourceProfile":
    from pyspark.resource import ResourceProfileBuilder, TaskResourceRequests

    return ResourceProfileBuilder().require(TaskResourceRequests().cpus(cores)).build


def _on_one_machine(config: Config) -> bool:
    return is_one_machine(session(config).sparkContext.master or "")
