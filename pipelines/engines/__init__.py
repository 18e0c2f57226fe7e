"""Engines: how rows move, and nothing else. One folder = one engine, with the same tables, row for row.

`spark` is the engine of the DAGs, the demo and the commands, from a laptop to a cluster. `local` has no JVM and one
machine; it is asked for by name: for the tests of a query, notebooks, a desk, and tiny lakes.
"""

from importlib import import_module

from pipelines.config import Config
from pipelines.lake.engine import Engine


def engine_of(config: Config) -> Engine:
    """The engine that the configuration names. Starts nothing yet."""
    made: Engine = import_module(f"{__name__}.{config.engine}.engine").made(config)
    return made
