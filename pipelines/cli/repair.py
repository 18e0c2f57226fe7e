from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli import _output
from pipelines.cli._options import AsJson

if TYPE_CHECKING:
    from pipelines.upkeep.repair import Repair

EXAMPLES = ("windrow repair bikes_demand",)


def repair(
    tables: Annotated[
        list[str] | None, typer.Argument(metavar="[TABLE]...", help="Tables of the lake; without any, all.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Take damaged files out of tables, and say which commands make their rows again. Nothing is deleted."""
    from pipelines import config
    from pipelines.upkeep.repair import repair as run

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
