from typing import Annotated

import typer

from pipelines.cli import _output
from pipelines.cli._options import AsJson
from pipelines.cli._progress import progress

EXAMPLES = ("windrow maintain --dry-run",)


def maintain(
    keep_days: Annotated[
        int,
        typer.Option(min=0, max=36_500, help="How long versions and validation results that were replaced are kept."),
    ] = 7,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say which files would go.")] = False,
    as_json: AsJson = False,
) -> None:
    """Compact small files of every table, remove what no reader and no run needs, shorten the tables' logs."""
    from datetime import timedelta

    from pipelines import config
    from pipelines.gate.validation_results import remove_replaced
    from pipelines.upkeep.maintain import maintain as run

    settings, keep = config.load(), timedelta(days=keep_days)
    with progress() as show:
        done = run(settings, keep, dry_run, show)
    results = remove_replaced(settings, keep, dry_run)
    _output.show([each._asdict() for each in done], as_json)
    if results:
        _output.note(f"validation results that newer ones replaced: {results:,} {'would go' if dry_run else 'removed'}")
    if not done:
        _output.note("there is no table yet; begin with: windrow ingest STREAM")
