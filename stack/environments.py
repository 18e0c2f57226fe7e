"""`.venv` (Spark, kernels, tests) and `.venv-airflow`, made from the hashed requirement files.

A stamp inside each environment holds the digest of what it was made from: the second set-up costs nothing.
"""

import hashlib
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from stack import commands, uv
from stack.places import AIRFLOW_ENVIRONMENT, REPOSITORY, REQUIREMENTS, SPARK_ENVIRONMENT, say, site_packages

STAMP = "windrow.stamp"
# numba and the pins of Spark have no wheels for newer Pythons (requires-python in pyproject.toml).
PYTHONS = ">=3.11,<3.13"

# Runs as sh and as Python, since a shebang can hold neither a blank nor a long path.
# -P: a folder named `schemas` where the user stands must not be imported instead of ours.
LAUNCHER = """#!/bin/sh
'''exec' "$(dirname -- "$(realpath -- "$0")")/python" -P "$0" "$@"
' '''
import sys

from pipelines.__main__ import main

sys.exit(main())
"""


@dataclass(frozen=True)
class Environment:
    """One virtual environment: where it is, what it is made from, whether it gets the `windrow` command."""

    folder: Path
    requirements: Path
    launcher: bool

    @property
    def stamp(self) -> Path:
        return self.folder / STAMP

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"


SPARK = Environment(SPARK_ENVIRONMENT, REQUIREMENTS / "spark.txt", launcher=True)
AIRFLOW = Environment(AIRFLOW_ENVIRONMENT, REQUIREMENTS / "airflow.txt", launcher=False)


def digest(environment: Environment) -> str:
    """What the stamp must hold: the requirements' digest, and the folder: a moved environment is broken."""
    return f"{hashlib.sha256(environment.requirements.read_bytes()).hexdigest()} {environment.folder}\n"


def is_current(environment: Environment) -> bool:
    """True when it was made here, from the requirement file as it is now, and its links are in place."""
    made = environment.python.exists() and environment.stamp.exists()
    return made and environment.stamp.read_text() == digest(environment) and not _links_missing(environment)


def ensure(environment: Environment) -> None:
    """Make the environment, or bring it up to date. Raises NotSetUp."""
    if is_current(environment):
        return
    say(f"  making {environment.folder.name} from {environment.requirements.name}")
    if not environment.python.exists() or _was_moved(environment):
        _create(environment)
    _install(environment)
    _link(environment)
    environment.stamp.write_text(digest(environment))


def _was_moved(environment: Environment) -> bool:
    """The stamp names another folder, whose Python its scripts start. Without a stamp: made here, by hand."""
    stamp = environment.stamp
    return stamp.exists() and not stamp.read_text().endswith(f" {environment.folder}\n")


def _create(environment: Environment) -> None:
    shutil.rmtree(environment.folder, ignore_errors=True)
    own = (3, 11) <= sys.version_info[:2] < (3, 13)
    python = sys.executable if own else PYTHONS
    command = [uv.ensure(), "venv", "--no-project", "--python", python, str(environment.folder)]
    commands.run(f"create {environment.folder.name}", command, "make setup")


def _install(environment: Environment) -> None:
    command = [uv.ensure(), "pip", "sync", "--require-hashes", "--python", str(environment.python)]
    commands.run(
        f"install {environment.folder.name}", [*command, str(environment.requirements)],
        f"rm -r {environment.folder} && make setup", {"UV_COMPILE_BYTECODE": "1"},
    )


def _links(environment: Environment) -> dict[Path, str]:
    wanted = {site_packages(environment.folder) / "windrow.pth": f"{REPOSITORY}\n"}
    if environment.launcher:
        wanted[environment.folder / "bin" / "windrow"] = LAUNCHER
    return wanted


def _links_missing(environment: Environment) -> bool:
    return any(not path.exists() or path.read_text() != text for path, text in _links(environment).items())


def _link(environment: Environment) -> None:
    for path, text in _links(environment).items():
        path.write_text(text)
    if environment.launcher:
        (environment.folder / "bin" / "windrow").chmod(0o755)
