"""windrow backfill QUERY --from D --to D."""

from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli import _output
from pipelines.cli._options import AsJson, MostRows, MostSeconds, QueryName, day_option, read_limits
from pipelines.cli._pending import AHEAD, note_pending
from pipelines.cli._progress import progress

if TYPE_CHECKING:
    from pipelines.runs.replay_day import DayReport


def backfill(
    query: QueryName,
    first: Annotated[date, day_option("--from", help="The first arrival day, UTC.")],
    last: Annotated[date, day_option("--to", help="The last arrival day, UTC, included.")],
    backwards: Annotated[bool, typer.Option("--backwards", help="Newest day first; the rows are the same.")] = False,
    most_rows: MostRows = None,
    most_seconds: MostSeconds = None,
    as_json: AsJson = False,
) -> int:
    """Replay and publish every day of a range, in one process. It stops at the first day that fails."""
    from pipelines import config
    from pipelines.lake.lake import Lake
    from pipelines.runs.backfill import backfill as run
    from schemas import registry
    from schemas.errors import Superseded

    settings = config.load(read_limits(most_rows, most_seconds))
    days = (last - first).days + 1
    done = 0
    with progress() as show:

        def count(report: "DayReport") -> None:
            nonlocal done
            done += 1
            show(f"days of {report.query}", done, days)

        reports = run(settings, query, first, last, backwards, count)
    _output.show([vars(report) for report in reports], as_json)
    note_pending(Lake(settings), [registry.stream(registry.query(query).stream)], AHEAD)
    return Superseded.exit_code if any(report.superseded for report in reports) else 0
