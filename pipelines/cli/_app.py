"""The commands as one application. A file of this folder whose name has no underscore in front is a command."""

import sys
from importlib import import_module, metadata
from pathlib import Path
from typing import Annotated

import typer

from pipelines.cli._errors import reported
from processes import children, modes, signals

COMMANDS = Path(__file__).parent
# As a day's work goes; new commands follow by name.
ORDER = (
    *("ingest", "forget", "profile", "replay", "backfill", "plan", "rebuild", "verify", "whatif"),
    *("query", "tables", "runs", "report", "maintain", "repair", "check", "doctor"),
)
# Exit codes from here on say that a signal ended the command.
STOPPED = 128


def main() -> int:
    """Run one command, then end all that it started; a signal ends it too. Returns the exit code."""
    modes.keep_others_out()
    children.adopt_grandchildren()
    signals.raise_on_signals()
    code = run(sys.argv[1:])
    children.end_children(children.HASTY_GRACE_S if code >= STOPPED else children.GRACE_S)
    return code


def run(arguments: list[str]) -> int:
    """Run one command; returns its exit code (schemas/errors.py; 1: a defect, 130: Ctrl-C)."""
    words = arguments or ["--help"]
    return reported(
        lambda: app()(args=words, prog_name="windrow", standalone_mode=False), as_json="--json" in arguments
    )


def app() -> typer.Typer:
    made = typer.Typer(
        help="Replays event streams of a Delta lake the way they arrived.",
        pretty_exceptions_enable=False,
    )
    made.callback()(_for_all)
    for name in command_names():
        module = import_module(f"pipelines.cli.{name}")
        # Typer joins lines that have no empty one between them.
        made.command(name, epilog="\n\n".join(("Examples:", *module.EXAMPLES)))(getattr(module, name))
    return made


def command_names() -> list[str]:
    """Names of the commands: the files, in the order of a day's work."""
    names = [path.stem for path in COMMANDS.glob("*.py") if not path.stem.startswith("_")]
    return sorted(names, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))


def _show_version(asked: bool) -> None:
    if asked:
        print(f"windrow {metadata.version('windrow')}")
        raise typer.Exit


def _for_all(
    end_with_parent: Annotated[bool, typer.Option("--end-with-parent", hidden=True)] = False,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Print the version and end.")
    ] = False,
) -> None:
    """Replays event streams of a Delta lake the way they arrived, and answers what was known when."""
    if end_with_parent:
        children.end_with_parent()
