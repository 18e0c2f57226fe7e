"""The options by which a command limits what its replays may cost."""

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any

import typer

from pipelines.config import Limits

MostRows = Annotated[
    str | None,
    typer.Option(
        "--most-rows",
        metavar="N",
        help="The most rows that each task of the replay may make; else WINDROW_MOST_ROWS, else what memory holds.",
    ),
]
MostSeconds = Annotated[
    str | None,
    typer.Option(
        "--most-seconds",
        metavar="S",
        help="How long each task of the replay may take; else WINDROW_MOST_SECONDS, else any time.",
    ),
]
OPTIONS = {"most_rows": MostRows, "most_seconds": MostSeconds}


def with_limits(command: Callable[..., None]) -> Callable[..., None]:
    """The command with two options in the place of its parameter `limits`: Typer makes one option of each parameter."""

    @wraps(command)
    def limited(most_rows: str | None, most_seconds: str | None, **others: Any) -> None:
        command(limits=Limits.read(("--most-rows", most_rows), ("--most-seconds", most_seconds)), **others)

    options = [
        Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation=OPTIONS[name]) for name in OPTIONS
    ]
    given = signature(command)
    parameters = [each for name, one in given.parameters.items() for each in (options if name == "limits" else [one])]
    limited.__signature__ = given.replace(parameters=parameters)  # type: ignore[attr-defined]
    limited.__annotations__ = {each.name: each.annotation for each in parameters}
    return limited
