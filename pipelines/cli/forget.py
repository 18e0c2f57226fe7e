from typing import Annotated

import typer

from pipelines.cli._options import AsJson, EngineName, RunId
from pipelines.cli._progress import progress

EXAMPLES = ("windrow forget bikes/citibike-nyc-2017/trips-2017-06-01.csv.gz",)


def forget(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A file's path below the landing folder.")],
    leave_file: Annotated[
        bool,
        typer.Option("--leave-file", help="The file may stay in the landing folder, and counts again once it changes."),
    ] = False,
    run_id: RunId = None,
    engine: EngineName = None,
    as_json: AsJson = False,
) -> None:
    """Take out of the lake what a landing file delivered, after the file itself has left the landing folder."""
    from pipelines import config
    from pipelines.cli.ingest import show_report
    from pipelines.runs.ingest_day import forget as run

    with progress() as show:
        report = run(config.load(engine=engine), path, leave_file, run_id, show)
    show_report(report, as_json)
