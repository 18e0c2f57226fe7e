"""An Airflow over few queries, whose tasks run on the local engine, but for those of one run."""

import shutil
from pathlib import Path

from stack.places import REPOSITORY, WINDROW

COMMAND = """#!/bin/sh
case "$*" in *"--run-id {run} "*) export WINDROW_ENGINE=spark ;; esac
exec {windrow} "$@"
"""


def definitions(home: Path, queries: tuple[str, ...]) -> Path:
    """A folder that stands for the checkout: the DAGs, and a copy of schemas/ without other queries."""
    folder = home / "definitions"
    shutil.copytree(REPOSITORY / "schemas", folder / "schemas", ignore=shutil.ignore_patterns("__pycache__"))
    for kind in ("queries", "models"):
        for file in (folder / "schemas" / kind).glob("[a-z]*.py"):
            if file.stem not in queries:
                file.unlink()
    (folder / "dags").symlink_to(REPOSITORY / "dags")
    return folder


def windrow(home: Path, run_on_spark: str) -> Path:
    """The command of the tasks."""
    path = home / "windrow"
    path.write_text(COMMAND.format(run=run_on_spark, windrow=WINDROW))
    path.chmod(0o755)
    return path
