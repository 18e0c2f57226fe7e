"""Engines: how rows move, and nothing else. Each engine makes the same tables, row for row.

`spark` is the engine of the DAGs, the demo and the commands, from a laptop to a cluster. `local` has no JVM and one
machine; it is asked for by name: for the tests of a query, notebooks, a desk, and tiny lakes.
"""

import resource
from typing import TYPE_CHECKING

from windrow.pipelines.config import Config

if TYPE_CHECKING:
    from windrow.pipelines.engines.engine import Engine

# Of days × buckets of one commit; some systems allow a billion, which programs that close all they may have go through.
MOST_OPEN_FILES = 1 << 16


def engine_of(config: Config) -> "Engine":
    """The engine that the configuration names. Starts nothing yet. This process may have more files open from now on,
    if its user may: a commit has one for each of its days and buckets, and 1,024 is what most systems give at first."""
    given, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if given < MOST_OPEN_FILES:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, MOST_OPEN_FILES), most))
    if config.engine == "local":  # each is imported where it is asked for: Spark takes a second
        from windrow.pipelines.engines.local import LocalEngine

        return LocalEngine(config)
    from windrow.pipelines.engines.spark.engine import SparkEngine

    return SparkEngine(config)
