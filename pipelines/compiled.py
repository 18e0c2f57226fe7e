"""The kernels, compiled once into a folder that all processes share; half a minute on two cores.

Otherwise each worker of Spark compiles them for itself in the first stages, at the same time, and the first command of
a fresh installation compiles one after the other. Needs no library to say whether they are there.
"""

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

from windrow.kernels.monoids import COMMON
from windrow.kernels.runtime import cache
from windrow.pipelines import config, location, logged
from windrow.pipelines.logged import Show, silent
from windrow.processes import children
from windrow.schemas.errors import NotSetUp

# Parts of kernels/warm.py, a process for each group: those of a round side by side. What the second round compiles
# runs what the first one did, so that it finds it in the cache.
ROUNDS = ((["kernels"], ["states", "replay", "windows"]), (["rows"], ["in_time"]))
PARTS = [part for groups in ROUNDS for parts in groups for part in parts]
TITLE = "compiling the kernels, once for this version"


def is_current() -> bool:
    """True when these very sources were compiled to the end."""
    return any((parent / _stamp()).exists() for parent in cache.parents())


def ensure(show: Show = silent) -> None:
    """Compile the kernels if they have changed. Raises NotSetUp with the end of the compiler's output."""
    if is_current():
        return
    parent = cache.parents()[0]
    parent.mkdir(parents=True, exist_ok=True)
    with open(parent / "compiling.lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            show("another process compiles the kernels: waiting for its end", 0, None)
            fcntl.flock(lock, fcntl.LOCK_EX)
        if not is_current():
            _compile(parent, show)
            (parent / _stamp()).touch()


def _compile(parent: Path, show: Show) -> None:
    log = config.made() / "logs" / "kernels.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    show(TITLE, 0, len(PARTS))
    done = 0
    with open(log, "wb") as errors:
        for groups in ROUNDS:
            read, write = os.pipe()
            running = [_start(parts, write, errors.fileno(), str(parent)) for parts in groups]
            os.close(write)
            with open(read) as finished:  # a line for each part, until all processes have ended
                for _ in finished:
                    done += 1
                    show(TITLE, done, len(PARTS))
            codes = [process.wait() for process in running]
            if any(codes):
                again = f"rm -r {parent} && {location.set_up('windrow setup')}"
                raise NotSetUp(f"the kernels don't compile; the end of {log}:\n{logged.last_lines(log)}\n", again)


def _start(parts: list[str], output: int, errors: int, parent: str) -> subprocess.Popen:
    environment = os.environ | {"WINDROW_NUMBA": parent, "PYTHONPATH": str(config.IMPORTED_FROM)}
    command = [sys.executable, "-m", "windrow.pipelines.compiled", *parts]
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, env=environment)


def _stamp() -> str:
    """The name of a file that says so of these sources."""
    sources = cache.kernels_digest() + "".join(cache.digest_of(cache.AGGREGATES, each) for each in COMMON)
    return f"compiled-{hashlib.sha256(sources.encode()).hexdigest()[: cache.DIGITS]}"


def _compile_here(parts: list[str]) -> None:
    """Each part that is there gets a line."""
    from windrow.kernels import warm
    from windrow.kernels.runtime.kept import logger

    logger.setLevel("ERROR")  # the process that asked for this says that something is compiled
    of_both_rounds = warm.FIRST_ROUND | warm.SECOND_ROUND
    for part in parts:
        of_both_rounds[part]()
        print(part, flush=True)


if __name__ == "__main__":
    children.end_with_parent()
    _compile_here(sys.argv[1:])
