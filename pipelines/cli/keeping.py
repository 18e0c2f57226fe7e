"""Commands that keep the lake, its definitions and this installation right."""

import json
import os
import subprocess
import sys
from datetime import timedelta
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.pipelines import config
from windrow.pipelines.cli import _output
from windrow.pipelines.cli._options import AsJson, examples
from windrow.pipelines.cli._progress import progress
from windrow.schemas.errors import BrokenDefinition, NotSetUp

if TYPE_CHECKING:
    from windrow.pipelines.upkeep.repair import Repair

commands = typer.Typer()
# A process of its own: what it looks at is the set-up of the checkout, which is above this package.
DOCTOR = (sys.executable, "-P", "-m", "stack", "doctor", "--json")


@commands.command(epilog=examples("windrow maintain --dry-run"))
def maintain(
    keep_days: Annotated[
        int,
        typer.Option(min=0, max=36_500, help="How long versions and validation results that were replaced are kept."),
    ] = 7,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say which files would go.")] = False,
    as_json: AsJson = False,
) -> None:
    """Compact small files of every table, remove what no reader and no run needs, shorten the tables' logs."""
    from windrow.pipelines.gate.validation_results import remove_replaced
    from windrow.pipelines.upkeep.maintain import maintain as run

    settings, keep = config.load(), timedelta(days=keep_days)
    with progress() as show:
        done = run(settings, keep, dry_run, show)
    results = remove_replaced(settings, keep, dry_run)
    _output.show([each._asdict() for each in done], as_json)
    if results:
        _output.note(f"validation results that newer ones replaced: {results:,} {'would go' if dry_run else 'removed'}")
    if not done:
        _output.note("there is no table yet; begin with: windrow ingest STREAM")


@commands.command(epilog=examples("windrow repair bikes_demand"))
def repair(
    tables: Annotated[
        list[str] | None, typer.Argument(metavar="[TABLE]...", help="Tables of the lake; without any, all.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Take damaged files out of tables, and say which commands make their rows again. Nothing is deleted."""
    from windrow.pipelines.upkeep.repair import repair as run

    shown: set[str] = set()

    def report(found: "Repair") -> None:
        for command in found.commands:
            if command not in shown:
                _output.note(f"then run: {command}")
        shown.update(found.commands)

    done, looked_at = run(config.load(), tables or [], report)
    _output.show([vars(each) for each in done], as_json, ["table", "wrong", "moved_to", "rows_lost"])
    if not done:
        _output.note(f"nothing is damaged: all files of {looked_at} table(s) were read")


@commands.command(epilog=examples("windrow check", "windrow check bikes_demand"))
def check(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Streams, queries, aggregates, functions; all if none is named."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Check definitions: columns, types, windows, keys, conditions, functions. A broken one harms itself only.

    Without a NAME also what windrow.toml says of DAGs.
    """
    from windrow.pipelines.runs import definitions

    found = definitions.check(names or [])
    _output.show([vars(each) for each in found], as_json)
    broken = sum(each.problem is not None for each in found)
    _output.note(f"{len(found) - broken} of {len(found)} definitions are right")
    return BrokenDefinition.exit_code if broken else 0


@commands.command(epilog=examples("windrow doctor"))
def doctor(as_json: AsJson = False) -> int:
    """Say what is missing or wrong, each with the command that fixes it."""
    if find_spec("stack") is None:  # the wheel leaves it out
        wheel = "this windrow was installed as a wheel, and what doctor looks at is the set-up of a checkout"
        raise NotSetUp(wheel, "pip check   # its libraries; windrow check   # its definitions")
    # Of the checkout that runs, whichever is installed.
    paths = os.pathsep.join(filter(None, (str(config.IMPORTED_FROM), os.environ.get("PYTHONPATH"))))
    environment = os.environ | {"PYTHONPATH": paths}
    examined = subprocess.run(DOCTOR, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if examined.stdout:
        found = json.loads(examined.stdout)
        _output.show(found["findings"], as_json)
        _output.note(found["summary"])
    return examined.returncode
