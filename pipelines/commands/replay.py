"""windrow replay QUERY --day D."""

from datetime import date
from typing import Annotated, Literal

import typer

from pipelines.commands import _output
from pipelines.commands._options import AsJson, QueryName, RunId, day_option
from pipelines.commands._progress import progress

Stage = Annotated[
    Literal["all", "audit", "publish"],
    typer.Option(
        help="audit: make the audit rows; publish: judge and publish those that are there; all: both."
    ),
]


def replay(
    query: QueryName,
    day: Annotated[date, day_option("--day", help="The arrival day to replay, UTC.")],
    stage: Stage = "all",
    run_id: RunId = None,
    as_json: AsJson = False,
):
    """Replay one arrival day of a query: audit rows, gate, publication. Again gives the same rows."""
    from pipelines import config, run

    with progress() as told:
        report = run.replay_day(config.load(), query, day, stage, run_id, told)
    _output.show_facts(vars(report), as_json)
