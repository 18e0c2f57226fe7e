"""Commands that begin a project and its definitions."""

import os
import shlex
import shutil
import subprocess
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from windrow.pipelines.cli import _output, _writing
from windrow.pipelines.cli._options import AsJson, examples
from windrow.pipelines.config import REPOSITORY
from windrow.schemas import project
from windrow.schemas.errors import NotSetUp, WrongParameter

commands = typer.Typer()
EXAMPLE, DAGS = REPOSITORY / "examples", REPOSITORY / "dags"
EXAMPLES = sorted(
    file.stem for file in (REPOSITORY / "samples").glob("*.py") if file.stem not in ("__init__", "writing")
)
LAST_DAY = "2018-11-05"
FOLDERS = ("streams", "queries", "models", "features", "aggregates", "functions", "policies", "tests", "landing")
SETTINGS = Path(__file__).with_name("new_project.toml")
Kind = StrEnum("Kind", {name: name for name in _writing.KINDS})  # type: ignore[misc]


@commands.command(epilog=examples("windrow init trips --example bikes"))
def init(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The new project's folder.")],
    example: Annotated[
        str | None, typer.Option("--example", metavar="NAME", help=f"Begin with an example: {', '.join(EXAMPLES)}.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a project: a folder for definitions of your own, with its settings in windrow.toml."""
    if example is not None and example not in EXAMPLES:
        raise WrongParameter("--example", example, ", ".join(EXAMPLES))
    if (folder / project.FILE).exists():
        raise WrongParameter("FOLDER", str(folder), "another folder: this one has a project already")
    shutil.copytree(DAGS, folder / "dags", ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
    for name in FOLDERS:
        (folder / name).mkdir(parents=True, exist_ok=True)
    shutil.copy(SETTINGS, folder / project.FILE)
    (folder / ".gitignore").write_text("var/\nlanding/\n__pycache__/\n")
    next_command = "windrow new stream NAME"
    if example:
        _copy(example, folder)
        next_command = f"windrow ingest {example}"
    _output.show([{"project": str(folder)}], as_json)
    _output.note(f"next: cd {shlex.quote(str(folder))} && {next_command}")


def _copy(example: str, folder: Path) -> None:
    """The example's definitions, and a week of generated files."""
    for kind in ("streams", "queries", "models", "features", "policies"):
        for file in (EXAMPLE / kind).glob("*.py"):
            if kind == "policies" or file.stem == example or file.stem.startswith(f"{example}_"):
                shutil.copy(file, folder / kind)
    generated = ("--into", "landing", "--days", "7", "--last-day", LAST_DAY)
    words = [sys.executable, "-m", f"windrow.samples.{example}", *generated]
    # A process of its own, whose project is the new one: the generator asks its stream's definition.
    subprocess.run(words, cwd=folder, env=os.environ | {project.VARIABLE: "."}, check=True, stdout=subprocess.DEVNULL)
    _output.note(f"{folder / 'landing'} has generated files of the week until {LAST_DAY}")


@commands.command(epilog=examples("windrow new stream boats --identity key,start", "windrow new query boats_by_hour"))
def new(
    kind: Annotated[Kind, typer.Argument(help="What to write.")],
    name: Annotated[str, typer.Argument(metavar="NAME", help="Its name; a query's begins with its stream's.")],
    identity: Annotated[
        str,
        typer.Option(help="Of a stream: line, none, or columns and times, as key,start."),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Write a definition and its test, which fails until the right answer is written down."""
    folder = project.definitions_folder()
    if folder is None:
        raise NotSetUp("the current folder is in no project", "windrow init FOLDER   # then cd FOLDER")
    if kind == "stream" and not identity and sys.stdin.isatty():
        identity = input(f"{_writing.IDENTITY}> ").replace(" ", "")
    written = _writing.write(str(kind), name, folder, identity)
    _output.show([{"wrote": str(path.relative_to(folder))} for path in written], as_json)
    _output.note(
        f"next: fill in what is TODO, then {Path(sys.executable).name} -m pytest {written[-1].relative_to(folder)}"
    )
