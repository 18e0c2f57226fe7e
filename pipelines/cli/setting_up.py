"""Commands that bring what an installation needs beyond its packages, and say what lacks."""

from enum import StrEnum
from importlib.util import find_spec
from typing import Annotated

import typer

from windrow.pipelines import config
from windrow.pipelines.cli import _output
from windrow.pipelines.cli._options import AsJson, examples
from windrow.pipelines.cli._progress import progress
from windrow.pipelines.config import ENGINES
from windrow.pipelines.location import set_up
from windrow.pipelines.setting_up import findings, parts, summary
from windrow.schemas.errors import NotSetUp

commands = typer.Typer()
Engine = StrEnum("Engine", {name: name for name in ENGINES})  # type: ignore[misc]


@commands.command(epilog=examples("windrow setup", "windrow setup --engine spark"))
def setup(
    engine: Annotated[Engine | None, typer.Option(help="Whose; else the engine of the project.")] = None,
    s3: Annotated[bool, typer.Option("--s3", help="Also fetch what Spark needs for tables on S3: 13 MB.")] = False,
    as_json: AsJson = False,
) -> None:
    """Compile the kernels; for Spark also fetch Delta's JARs and make the archive that lets Spark start quickly."""
    home, has_spark = config.load(), find_spec("pyspark") is not None
    if engine == "spark" and not has_spark:
        raise NotSetUp("the library pyspark isn't installed", set_up('pip install "windrow[spark]"'))
    with progress() as show:
        done = parts(home, has_spark and (engine or home.engine) == "spark", s3, show)
        for part in done:
            part.ensure()
    _output.show([{"ready": part.subject} for part in done], as_json)


@commands.command(epilog=examples("windrow doctor"))
def doctor(as_json: AsJson = False) -> int:
    """Say what is missing or wrong, each with the command that fixes it."""
    found = findings(config.load())
    shown = [vars(each) if as_json else {"state": each.state, **vars(each)} for each in found]
    _output.show(shown, as_json, ["state", "subject", "wrong", "fix"])
    _output.note(summary(found))
    return NotSetUp.exit_code if any(each.state == "wrong" for each in found) else 0
