"""windrow repair [TABLE...]."""

from typing import Annotated

import typer

from pipelines.cli import _output
from pipelines.cli._options import AsJson


def repair(
    tables: Annotated[
        list[str] | None, typer.Argument(metavar="[TABLE]...", help="Tables of the lake; without any, all.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Take damaged files out of tables, and say which commands make their rows again. Nothing is deleted."""
    from pipelines import config
    from pipelines.runs.repair import repair as run

    done, looked_at = run(config.load(), tables or [])
    _output.show([vars(each) for each in done], as_json, ["table", "wrong", "moved_to", "rows_lost"])
    if not done:
        _output.note(f"nothing is damaged: all files of {looked_at} table(s) were read")
    for command in dict.fromkeys(command for each in done for command in each.commands):
        _output.note(f"then run: {command}")
