"""The command that asks features."""

from dataclasses import asdict
from typing import Annotated, Literal

import typer

from windrow.pipelines import config
from windrow.pipelines.cli import _output
from windrow.pipelines.cli._options import AsJson, EngineName, examples
from windrow.pipelines.cli._progress import progress_of_replays
from windrow.schemas import registry

commands = typer.Typer()


@commands.command(
    epilog=examples(
        "windrow features bikes_station --labels labels.csv --into bikes_training",
        "windrow features bikes_station --labels bikes_training --into bikes_training",
    )
)
def features(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A feature set, which is a file of features/. windrow check lists them.",
            autocompletion=lambda: [*registry.feature_sets()],
        ),
    ],
    labels: Annotated[
        str,
        typer.Option(
            metavar="FILE|TABLE",
            help="The labels: a key, a time and anything else a row. A file of CSV or Parquet, or a table.",
        ),
    ],
    into: Annotated[str, typer.Option(metavar="TABLE", help="The table of the lake that becomes the features.")],
    knowledge: Annotated[
        Literal["known", "true", "both"],
        typer.Option(
            "--as", help="known: only events that had arrived by a label's time. true: all, also those that came later."
        ),
    ] = "known",
    time: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The labels' time column. Default: the only one of times with a zone."),
    ] = None,
    engine: EngineName = None,
    as_json: AsJson = False,
) -> None:
    """Ask features of keys at the moments of labels, as they were known then, and replace a table by them.

    A feature covers the events of a label's key that start in a window before the label's time. As known, events that
    arrived later are left out, so that a model never learns from what could not be known. Each run draws labels and
    counts their features again."""
    from windrow.pipelines.features.feature_runs import FeatureRequest
    from windrow.pipelines.features.run import make_features

    asked = FeatureRequest(name, labels, into, knowledge, time)
    with progress_of_replays() as show:
        made = make_features(config.load(engine=engine), asked, show)
    _output.show_facts(asdict(made), as_json)
