"""Commands that keep the lake, its definitions and this installation right."""

from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from windrow.pipelines import config
from windrow.pipelines.cli import _output
from windrow.pipelines.cli._options import AsJson, examples
from windrow.pipelines.cli._progress import progress
from windrow.schemas.errors import BrokenDefinition, WrongParameter
from windrow.schemas.project import root

if TYPE_CHECKING:
    from windrow.pipelines.upkeep.repair import Repair

commands = typer.Typer()


@commands.command(epilog=examples("windrow maintain --dry-run"))
def maintain(
    keep_days: Annotated[
        int,
        typer.Option(min=0, max=36_500, help="How many days to keep replaced versions and validation results."),
    ] = 7,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say which files would be removed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Compact small files of every table, remove files that no reader and no run needs, and shorten the logs."""
    from windrow.pipelines.gate.validation_results import remove_replaced
    from windrow.pipelines.upkeep.maintain import maintain as run

    settings, keep = config.load(), timedelta(days=keep_days)
    with progress() as show:
        done = run(settings, keep, dry_run, show)
    results = remove_replaced(settings, keep, dry_run)
    _output.show([each._asdict() for each in done], as_json)
    if results:
        _output.note(f"replaced validation results: {results:,} {'would be removed' if dry_run else 'removed'}")
    if not done:
        _output.note("there are no tables yet; begin with: windrow ingest STREAM")


@commands.command(epilog=examples("windrow repair bikes_demand"))
def repair(
    tables: Annotated[
        list[str] | None, typer.Argument(metavar="[TABLE]...", help="Tables of the lake. Default: all.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Move damaged files out of tables, and print the commands that make their rows again.

    Nothing is deleted."""
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
        typer.Argument(metavar="[NAME]...", help="Streams, queries, aggregates, functions. Default: all."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Check definitions: columns, types, windows, keys, conditions, functions.

    A broken definition does not stop the others. Without a NAME the command also checks
    what windrow.toml says of DAGs."""
    from windrow.pipelines.runs import definitions

    found = definitions.check(names or [])
    _output.show([vars(each) for each in found], as_json)
    broken = sum(each.problem is not None for each in found)
    _output.note(f"{len(found) - broken} of {len(found)} definitions are valid")
    return BrokenDefinition.exit_code if broken else 0


@commands.command(epilog=examples("windrow docs", "windrow docs --into ~/for-anna"))
def docs(
    into: Annotated[
        Path | None, typer.Option("--into", metavar="FOLDER", help="Their folder; else docs/ of the project.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write pages on the project's streams and tables, every column with its unit and meaning, as Markdown."""
    from windrow.pipelines.docs.markdown import MADE
    from windrow.pipelines.docs.pages import pages

    folder = into or (root() or Path()) / "docs"
    if folder.exists() and not folder.is_dir():
        raise WrongParameter("--into", str(folder), "a folder; this is a file")
    made = {folder / name: text for name, text in pages().items()}
    if others := [path for path in made if path.exists() and MADE not in path.read_text(errors="replace")]:
        raise WrongParameter("--into", str(folder), f"another folder: {others[0]} was not made by windrow docs")
    for path, text in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    _output.show([{"wrote": str(path)} for path in made], as_json)
