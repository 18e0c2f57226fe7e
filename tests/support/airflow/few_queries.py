"""An Airflow over few queries, whose tasks run on the local engine, but for those of one run."""

from pathlib import Path

from stack.places import PYTHON, WINDROW
from tests.support.checkout import EXAMPLES, copied

COMMAND = """#!/bin/sh
case "$*" in
*"--run-id {on_spark} "*) export WINDROW_ENGINE=spark ;;
*"replay "*"--run-id {failing} "*) exec {python} {one_gate_fails} "$@" ;;
esac
exec {windrow} "$@"
"""


def definitions(home: Path, queries: tuple[str, ...]) -> Path:
    """A project: the checkout's definitions, without other queries."""
    folder = home / "definitions"
    copied(folder, "dags", *EXAMPLES)
    for kind in ("queries", "models"):
        for file in (folder / "examples" / kind).glob("[a-z]*.py"):
            if file.stem not in queries:
                file.unlink()
    return folder


def windrow(home: Path, on_spark: str, failing: str) -> Path:
    """The command of the tasks. Its two runs: one on Spark, and one in which a query's gate fails."""
    path = home / "windrow"
    one_gate_fails = Path(__file__).with_name("one_gate_fails.py")
    named = {"python": PYTHON, "one_gate_fails": one_gate_fails, "windrow": WINDROW}
    path.write_text(COMMAND.format(on_spark=on_spark, failing=failing, **named))
    path.chmod(0o755)
    return path
