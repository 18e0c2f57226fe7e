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
TELL = """
def tell(context):
    run = context["dag_run"]
    if late := context.get("deadline"):
        line = f"{{run['dag_run_id']}},late,{{late['deadline_time']}}"
    else:
        line = f"{{run.run_id}},{{context['ti'].task_id}}"
    if isinstance(context.get("exception"), str):
        line += ",promise"
    with open({file!r}, "a") as told:
        told.write(f"{{line}}\\n")
"""


def project(home: Path) -> Path:
    """The folder of the project of a home's tasks."""
    return home / "definitions"


def definitions(home: Path, queries: tuple[str, ...], **promised: str) -> Path:
    """A project: the checkout's definitions, without other queries; promised: by query what it promises."""
    folder = project(home)
    copied(folder, "dags", *EXAMPLES)
    for kind in ("queries", "models"):
        for file in (folder / "examples" / kind).glob("[a-z]*.py"):
            if file.stem not in queries:
                file.unlink()
    for query, what in promised.items():
        file = folder / "examples" / "queries" / f"{query}.py"
        code = file.read_text().replace("import Query, agg", "import Query, agg, promise").rstrip().removesuffix(")")
        file.write_text(f"{code}    promises=({what},),\n)\n")
    return folder


def tell(dags: Path, stream: str, file: Path, late_after_s: int) -> None:
    """Have a file that the DAGs of a stream write a line to, for each task that failed and each deadline that a run
    missed."""
    (dags / "told.py").write_text(TELL.format(file=str(file)))
    with (dags.parent / "windrow.toml").open("a") as settings:
        settings.write(f'[streams.{stream}]\nnotifier = "told:tell"\nalert_after_seconds = {late_after_s}\n')


def windrow(home: Path, on_spark: str, failing: str) -> Path:
    """The command of the tasks. Its two runs: one on Spark, and one in which a query's gate fails."""
    path = home / "windrow"
    one_gate_fails = Path(__file__).with_name("one_gate_fails.py")
    named = {"python": PYTHON, "one_gate_fails": one_gate_fails, "windrow": WINDROW}
    path.write_text(COMMAND.format(on_spark=on_spark, failing=failing, **named))
    path.chmod(0o755)
    return path
