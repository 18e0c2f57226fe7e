"""`.venv` (Spark, kernels, tests) and `.venv-airflow`, made from the hashed requirement files.

Windrow itself is installed into both as a link to the checkout (an editable install), which also makes the command
`windrow`. A stamp inside each holds the digest of what it was made from: the second set-up costs nothing.
"""

import hashlib
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from stack import uv
from stack.places import AIRFLOW_ENVIRONMENT, REPOSITORY, REQUIREMENTS, SPARK_ENVIRONMENT, site_packages
from windrow.pipelines import logged
from windrow.pipelines.logged import say

STAMP = "windrow.stamp"
PROJECT = REPOSITORY / "pyproject.toml"
# The link that the build backend makes of an editable install.
LINK = "_windrow.pth"
# numba and the pins of Spark have no wheels for newer Pythons (requires-python in pyproject.toml).
PYTHONS = ">=3.11,<3.13"


@dataclass(frozen=True)
class Environment:
    """One virtual environment: where it is, and what it is made from."""

    folder: Path
    requirements: Path

    @property
    def stamp(self) -> Path:
        return self.folder / STAMP

    @property
    def python(self) -> Path:
        return self.folder / "bin" / "python"


SPARK = Environment(SPARK_ENVIRONMENT, REQUIREMENTS / "spark.txt")
# The engine without a JVM and the report: Spark, and what develops and tests, are added by `make setup`.
DEMO = Environment(SPARK_ENVIRONMENT, REQUIREMENTS / "demo.txt")
AIRFLOW = Environment(AIRFLOW_ENVIRONMENT, REQUIREMENTS / "airflow.txt")
# Which image of docker/Dockerfile this is, where it is one.
IMAGE = "WINDROW_IMAGE"


def wanted() -> tuple[Environment, ...]:
    """Both, but in Spark's image, which has no Airflow."""
    return (SPARK,) if os.environ.get(IMAGE) == "spark" else (SPARK, AIRFLOW)


def digest(environment: Environment) -> str:
    """What the stamp must hold: a digest of requirements and project, and the folder: a moved environment is broken."""
    made_from = environment.requirements.read_bytes() + PROJECT.read_bytes()
    return f"{hashlib.sha256(made_from).hexdigest()} {environment.folder}\n"


def is_current(environment: Environment) -> bool:
    """True when it was made here, from what it is made from as that is now, and Windrow is installed."""
    parts = environment.python, environment.stamp, environment.folder / "bin" / "windrow"
    made = all(path.exists() for path in (*parts, site_packages(environment.folder) / LINK))
    return made and environment.stamp.read_text() == digest(environment)


def ensure(environment: Environment) -> None:
    """Make the environment, or bring it up to date. Raises NotSetUp."""
    if is_current(environment):
        return
    say(f"  making {environment.folder.name} from {environment.requirements.name}")
    if not environment.python.exists() or _was_moved(environment):
        _create(environment)
    _install(environment)
    _install_windrow(environment)
    environment.stamp.write_text(digest(environment))


def ensure_demo() -> None:
    """Make what the demo needs, where there is not more of it already. Raises NotSetUp."""
    if not is_current(SPARK):
        ensure(DEMO)


def _was_moved(environment: Environment) -> bool:
    """The stamp names another folder, whose Python its scripts start. Without a stamp: made here, by hand."""
    stamp = environment.stamp
    return stamp.exists() and not stamp.read_text().endswith(f" {environment.folder}\n")


def _create(environment: Environment) -> None:
    shutil.rmtree(environment.folder, ignore_errors=True)
    own = (3, 11) <= sys.version_info[:2] < (3, 13)
    python = sys.executable if own else PYTHONS
    command = [uv.ensure(), "venv", "--no-project", "--python", python, str(environment.folder)]
    logged.run(f"create {environment.folder.name}", command, "make setup")


def _install(environment: Environment) -> None:
    command = [uv.ensure(), "pip", "sync", "--require-hashes", "--python", str(environment.python)]
    logged.run(
        f"install {environment.folder.name}",
        [*command, str(environment.requirements)],
        f"rm -r {environment.folder} && make setup",
        {"UV_COMPILE_BYTECODE": "1"},
    )


def _install_windrow(environment: Environment) -> None:
    options = ["--quiet", "--offline", "--no-deps", "--no-build-isolation", "--reinstall", "--python"]
    logged.run(
        f"install windrow into {environment.folder.name}",
        [uv.ensure(), "pip", "install", *options, str(environment.python), "--editable", str(REPOSITORY)],
        f"rm -r {environment.folder} && make setup",
        # The build backend is a package of .venv, also when the environment is another.
        {"PYTHONPATH": str(site_packages(SPARK_ENVIRONMENT))},
    )
