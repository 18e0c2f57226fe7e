"""The kernels, compiled into Numba's disk cache once; about half a minute.

Otherwise each of Spark's Python workers compiles them for itself in the first stages, at the same time: six
workers on two cores.
"""

from pathlib import Path

from pipelines.compiled_kernels import folder
from stack import commands
from stack.places import PYTHON, REPOSITORY, say


def is_current() -> bool:
    """True when these very sources were compiled to the end."""
    return _stamp().exists()


def ensure() -> None:
    """Compile the kernels if they have changed. Raises NotSetUp."""
    if is_current():
        return
    say("  compiling the kernels (about half a minute, once)")
    command = [str(PYTHON), "-m", "kernels.warm"]
    commands.run("kernels", command, f"rm -r {folder()} && make setup", {
        "NUMBA_CACHE_DIR": str(folder()), "PYTHONPATH": str(REPOSITORY)})
    _stamp().touch()


def _stamp() -> Path:
    return folder() / "compiled"
