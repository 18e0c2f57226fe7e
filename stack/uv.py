"""uv: the one on PATH, else one in var/uv.

A bare Debian refuses `pip install` into its own Python (PEP 668) and may lack pip, ensurepip or both. Three
ways: a virtual environment (needs ensurepip), `pip install --target` (needs pip; PEP 668 doesn't bar it), and
`apt-get install python3-venv` followed by the first (needs root). requirements/uv.txt says which uv.
"""

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

from stack import debian
from stack.places import REQUIREMENTS, UV
from windrow.pipelines import logged
from windrow.schemas.errors import NotSetUp

VENV = "python3-venv"
RETRY = "make setup"


def find() -> str | None:
    """Path of a uv that starts, or None: a version manager's stub may be there and not start."""
    for candidate in (shutil.which("uv"), UV / "bin" / "uv"):
        if candidate and _starts(candidate):
            return str(candidate)
    return None


def ensure() -> str:
    """Path of a usable uv, installed if there is none. Raises NotSetUp with the one command to type."""
    return find() or _install()


def _install() -> str:
    by_pip = ["-m", "pip", "install", "--quiet", "--require-hashes", "--requirement", str(REQUIREMENTS / "uv.txt")]
    if _has("ensurepip") or not _has("pip") and _apt_gave_ensurepip():
        logged.run("uv environment", [sys.executable, "-m", "venv", "--clear", str(UV)], RETRY)
        logged.run("uv", [str(UV / "bin" / "python"), *by_pip], RETRY)
    elif _has("pip"):
        logged.run("uv", [sys.executable, *by_pip, "--upgrade", "--target", str(UV)], RETRY)
    else:
        raise NotSetUp("uv is missing, and this Python has neither pip nor ensurepip", debian.fix(VENV))
    if found := find():
        return found
    raise NotSetUp(f"uv was installed into {UV}, but does not start", f"rm -r {UV} && {RETRY}")


def _apt_gave_ensurepip() -> bool:
    if not debian.may_install():
        return False
    debian.install("python3-venv", VENV)
    importlib.invalidate_caches()
    return _has("ensurepip")


def _has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _starts(path: str | Path) -> bool:
    try:
        return subprocess.run([path, "--version"], capture_output=True, check=False).returncode == 0
    except OSError:
        return False
