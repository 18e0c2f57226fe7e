"""The commands as one application."""

import sys
from importlib import metadata
from typing import Annotated

import typer

from windrow.pipelines.cli import (
    asking,
    explaining,
    ingesting,
    keeping,
    planning,
    probing,
    replaying,
    serving,
    setting_up,
    starting,
)
from windrow.pipelines.cli._errors import reported
from windrow.processes import children, modes, signals

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
        help="Replay event streams of a Delta lake as they arrived, and ask what was known when.",
        pretty_exceptions_enable=False,
    )
    made.callback()(_for_all)
    # In the order of a day's work.
    for module in (starting, setting_up, ingesting, replaying, planning, asking, explaining, probing, keeping, serving):
        for command in module.commands.registered_commands:
            command.help = _paragraphs(command.callback.__doc__ or "")
        made.add_typer(module.commands)
    return made


def _paragraphs(text: str) -> str:
    """Each on one line: Typer keeps the line breaks of all but the first."""
    return "\n\n".join(" ".join(each.split()) for each in text.split("\n\n"))


def _show_version(asked: bool) -> None:
    if asked:
        print(f"windrow {metadata.version('windrow')}")
        raise typer.Exit


def _for_all(
    end_with_parent: Annotated[bool, typer.Option("--end-with-parent", hidden=True)] = False,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_show_version, help="Print the version and exit.")
    ] = False,
) -> None:
    """Replay event streams of a Delta lake as they arrived, and ask what was known when."""
    if end_with_parent:
        children.end_with_parent()
