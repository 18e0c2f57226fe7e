"""Where Numba keeps the compiled kernels: one folder for all homes, named by a hash of the kernels' sources.

Compiling takes half a minute, loading less than a second; and Numba doesn't notice an edit in another file by itself.
"""

import hashlib
import os
import sys
from functools import cache
from pathlib import Path

from pipelines.config import REPOSITORY


@cache
def folder() -> Path:
    """The folder for the sources as they are now; WINDROW_NUMBA moves its parent."""
    digest = hashlib.sha256()
    for path in sorted((REPOSITORY / "kernels").rglob("*.py")):
        digest.update(str(path.relative_to(REPOSITORY)).encode() + b"\0" + path.read_bytes() + b"\0")
    return Path(os.environ.get("WINDROW_NUMBA") or REPOSITORY / "var" / "numba") / digest.hexdigest()[:16]


def use() -> None:
    """Let Numba keep kernels there, in this process and its children, unless NUMBA_CACHE_DIR already says where."""
    if "NUMBA_CACHE_DIR" not in os.environ:
        os.environ["NUMBA_CACHE_DIR"] = str(folder())
        if "numba" in sys.modules:  # it reads the variable once, when it is imported
            sys.modules["numba"].config.CACHE_DIR = str(folder())
