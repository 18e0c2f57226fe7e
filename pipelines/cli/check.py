from typing import Annotated

import typer

from pipelines.cli import _output
from pipelines.cli._options import AsJson

EXAMPLES = ("windrow check", "windrow check bikes_demand")


def check(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Streams, queries, aggregates, functions; all if none is named."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Check definitions: columns, types, windows, keys, conditions, functions. A broken one harms itself only."""
    from pipelines.runs import definitions
    from schemas.errors import BrokenDefinition

    found = definitions.check(names or [])
    _output.show([vars(each) for each in found], as_json)
    broken = sum(each.problem is not None for each in found)
    _output.note(f"{len(found) - broken} of {len(found)} definitions are right")
    return BrokenDefinition.exit_code if broken else 0
