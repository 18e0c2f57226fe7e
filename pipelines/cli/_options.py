"""Options and arguments that several commands share."""

import re
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.models import ArgumentInfo, OptionInfo

from windrow.pipelines import config
from windrow.pipelines.config import Config
from windrow.schemas import registry, spelling
from windrow.schemas.replay_limits import ReplayLimits

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_RUN = re.compile(r"[A-Za-z0-9_.~:+-]{1,250}")  # what Airflow lets a run be called


def examples(*lines: str) -> str:
    """The end of a command's help. Typer joins lines that have no empty one between them."""
    return "\n\n".join(("Examples:", *lines))


def read_day(text: str) -> date:
    """A day as YYYY-MM-DD; a usage error otherwise."""
    try:
        if _DAY.match(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise typer.BadParameter(f"{text!r} is not a day; write it as YYYY-MM-DD, such as 2018-10-01")


def read_length(text: str) -> timedelta:
    """A length of time such as 90s; a usage error otherwise."""
    found = spelling.read_length(text)
    if found is None:
        raise typer.BadParameter(f"{text!r} is not a length of time; write it as 500ms, 90s, 10min, 1.5h or 2d")
    return found


def read_run_id(text: str) -> str:
    """The name of a run, of letters that no file, line or page takes for something else; a usage error otherwise."""
    if _RUN.fullmatch(text):
        return text
    allowed = "write 1 to 250 letters, digits and characters of _.~:+-, as in Airflow"
    raise typer.BadParameter(f"{text[:80]!r} can't name a run; {allowed}")


def day_option(*names: str, help: str) -> OptionInfo:
    return typer.Option(*names, parser=read_day, metavar="YYYY-MM-DD", help=help)


MostRows = Annotated[
    str | None,
    typer.Option(
        metavar="N",
        help="How many rows each task of the replay may make. Default: WINDROW_MOST_ROWS, or what memory holds.",
    ),
]
MostSeconds = Annotated[
    str | None,
    typer.Option(
        metavar="S", help="How long each task of the replay may take. Default: WINDROW_MOST_SECONDS, or no limit."
    ),
]


def settings_of_replay(engine: str | None, most_rows: str | None, most_seconds: str | None) -> Config:
    """The installation's, under these three options; WrongParameter names the one that is no such number."""
    limits = ReplayLimits.read(("--most-rows", most_rows), ("--most-seconds", most_seconds))
    return config.load(limits, engine)


EngineName = Annotated[
    str | None,
    typer.Option(
        "--engine", metavar="ENGINE", help="spark, or local, which needs no JVM. Default: WINDROW_ENGINE, or spark."
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for tools. Errors are JSON too, on stderr.")]
AssetEvents = Annotated[
    Path | None,
    typer.Option(
        "--asset-events",
        help="Also write the day, rows, verdict and version of each updated table to this file, as JSON.",
    ),
]
RunId = Annotated[
    str | None,
    typer.Option(parser=read_run_id, metavar="NAME", help="Name of the run in the ledger.", show_default="a new one"),
]


def _queries() -> list[str]:
    return registry.query_names() + registry.model_files()


def query_argument(metavar: str, help: str, **options: Any) -> ArgumentInfo:
    """An argument that takes queries, also a model by the name of its file."""
    return typer.Argument(parser=registry.name_of_query, metavar=metavar, help=help, autocompletion=_queries, **options)


QueryName = Annotated[str, query_argument("QUERY", "A query or a model. windrow check lists them.")]
QueryNames = Annotated[list[str] | None, query_argument("[QUERY]...", "Queries or models. windrow check lists them.")]
StreamName = Annotated[
    str,
    typer.Argument(
        metavar="STREAM",
        help="A stream, which is a file of streams/. windrow check lists them.",
        autocompletion=registry.stream_names,
    ),
]
