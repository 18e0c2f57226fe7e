"""docs/commands.md: every command with its arguments and options, as `--help` has them, and every exit code."""

import inspect

import typer
from typer.core import TyperCommand

from pipelines.cli import _app as command_line
from schemas.errors import kinds
from tools.docs.markdown import MADE, grid, page


def commands_page() -> str:
    """Every command of `windrow`."""
    application = typer.main.get_command(command_line.app())
    parts = [_command(name, application.commands[name]) for name in command_line.command_names()]
    codes = [["exit code", "error", "meaning"], ["1", "", "a defect of Windrow"], *_exit_codes(), ["130", "", "Ctrl-C"]]
    return page(
        [
            "# Commands",
            MADE,
            "Each command says the same with `--help`. Commands of a checkout are in `.venv/bin`. "
            "[Running it](operations.md) says which to type when.",
            *parts,
            "## Exit codes",
            "0 is success. Each error says the value, the limit and the next step.",
            grid(codes),
        ]
    )


def _command(name: str, command: TyperCommand) -> str:
    context = command.context_class(command, info_name=f"windrow {name}")
    usage = " ".join(command.collect_usage_pieces(context))
    found = (parameter.get_help_record(context) for parameter in command.get_params(context))
    rows = [[f"`{spelling}`", " ".join(meaning.split())] for spelling, meaning in filter(None, found)]
    parts = [f"## windrow {name}", inspect.cleandoc(command.help or ""), f"```text\nwindrow {name} {usage}\n```"]
    return "\n\n".join([*parts, grid([["argument or option", "meaning"], *rows])])


def _exit_codes() -> list[list[str]]:
    found = sorted(kinds()[1:], key=lambda kind: kind.exit_code)
    return [[str(kind.exit_code), f"`{kind.__name__}`", " ".join((kind.__doc__ or "").split())] for kind in found]
