"""A lake on which something is tried out: copies of some tables of another, in a folder that goes when the trial ends.

What is tried out is done by the code that does it in earnest, and nothing of it is seen by readers of the lake.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace

from windrow.pipelines import storage
from windrow.pipelines.config import Config
from windrow.pipelines.delta import locks
from windrow.pipelines.delta.lake import Lake


@contextmanager
def trial(config: Config, name: str) -> Iterator[Config]:
    """The configuration of an empty lake, as long as the context lasts; one trial of that name at a time, waits for
    another. What a trial that was killed left is removed first."""
    with locks.locked(config, f"trial_{name}"):
        home = config.trials / name
        storage.remove_folder(home)
        storage.make_folder(home)
        try:
            # A process has one session, which outlives the trial that needed it first.
            yield replace(config, home=home, asked_spark=config.spark, is_trial=True)
        finally:
            storage.remove_folder(home)


def copy(lake: Lake, tables: Collection[str], into: Config) -> None:
    """Copy those of the tables that are there, each as a commit left it. O(files)."""
    for name in tables:
        with lake.locked(name):
            if lake.version(name) is not None:
                storage.copy_table(lake.folder(name), into.lake / name)
