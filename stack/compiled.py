"""The kernels, compiled once into a folder that all processes share; half a minute on two cores.

Otherwise each of Spark's Python workers compiles them for itself in the first stages, at the same time: six
workers on two cores.
"""

import hashlib
import subprocess
import sys

from stack import commands
from stack.places import PYTHON, REPOSITORY, say
from windrow.kernels.monoids import COMMON
from windrow.kernels.runtime import cache

# Parts of kernels/warm.py, a process for each group: those of a round side by side. What the second round compiles
# runs what the first one did, so that it finds it in the cache.
ROUNDS = ((["kernels"], ["states", "replay", "windows"]), (["rows"], ["in_time"]))


def is_current() -> bool:
    """True when these very sources were compiled to the end."""
    return any((parent / _stamp()).exists() for parent in cache.parents())


def ensure() -> None:
    """Compile the kernels if they have changed. Raises NotSetUp."""
    if is_current():
        return
    say("  compiling the kernels (half a minute, once)")
    command, parent = [str(PYTHON), "-m", "stack.compiled"], cache.parents()[0]
    commands.run(
        "kernels",
        command,
        f"rm -r {parent} && make setup",
        {"WINDROW_NUMBA": str(parent), "PYTHONPATH": str(REPOSITORY)},
        shown=True,
    )
    (parent / _stamp()).touch()


def compile_rounds() -> int:
    """Compile every part, and print which; the first exit code that isn't 0, or 0."""
    for number, groups in enumerate(ROUNDS, start=1):
        say(f"round {number} of {len(ROUNDS)}: {', '.join(part for parts in groups for part in parts)}")
        running = [subprocess.Popen([sys.executable, "-m", "windrow.kernels.warm", *parts]) for parts in groups]
        if failed := [process.returncode for process in running if process.wait() != 0]:
            return failed[0]
    return 0


def _stamp() -> str:
    """The name of a file that says so of these sources."""
    sources = cache.kernels_digest() + "".join(cache.digest_of(cache.AGGREGATES, each) for each in COMMON)
    return f"compiled-{hashlib.sha256(sources.encode()).hexdigest()[: cache.DIGITS]}"


if __name__ == "__main__":
    sys.exit(compile_rounds())
