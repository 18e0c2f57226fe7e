"""windrow backfill QUERY --from D --to D."""

from datetime import date
from typing import Annotated

import typer

from pipelines.commands import _output
from pipelines.commands._options import AsJson, QueryName, day_option
from pipelines.commands._progress import progress


def backfill(
    query: QueryName,
    first: Annotated[date, day_option("--from", help="The first arrival day, UTC.")],
    last: Annotated[date, day_option("--to", help="The last arrival day, UTC, included.")],
    backwards: Annotated[
        bool, typer.Option("--backwards", help="Newest day first; the rows are the same.")
    ] = False,
    as_json: AsJson = False,
):
    """Replay and publish every day of a range, in one process. It stops at the first day that fails."""
    from pipelines import config, run

    days = (last - first).days + 1
    done = 0
    with progress() as told:

        def count(report) -> None:
            nonlocal done
            done += 1
            told(f"days of {report.query}", done, days)

        reports = run.backfill(config.load(), query, first, last, backwards, count)
    _output.show([vars(report) for report in reports], as_json)
