"""windrow backfill QUERY --from D --to D, or --stale."""

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli import _output
from pipelines.cli._days import show_days
from pipelines.cli._options import (
    AsJson,
    AssetEvents,
    EngineName,
    MostRows,
    MostSeconds,
    QueryName,
    day_option,
    read_limits,
)
from pipelines.cli._pending import AHEAD, note_pending
from pipelines.cli._progress import counting, progress

if TYPE_CHECKING:
    from pipelines.config import Config
    from pipelines.runs.replay_day import DayReport

EXAMPLES = (
    "windrow backfill bikes_demand --from 2018-10-01 --to 2018-10-31",
    "windrow backfill bikes_demand --stale",
)


def backfill(
    query: QueryName,
    first: Annotated[date | None, day_option("--from", help="The first arrival day, UTC.")] = None,
    last: Annotated[date | None, day_option("--to", help="The last arrival day, UTC, included.")] = None,
    backwards: Annotated[bool, typer.Option("--backwards", help="Newest day first; the rows are the same.")] = False,
    stale: Annotated[
        bool, typer.Option("--stale", help="Not a range, but every day that windrow runs --stale lists, oldest first.")
    ] = False,
    engine: EngineName = None,
    most_rows: MostRows = None,
    most_seconds: MostSeconds = None,
    asset_events: AssetEvents = None,
    as_json: AsJson = False,
) -> int:
    """Replay and publish every day of a range, or every stale day, in one process. It stops at the first that fails."""
    from pipelines import config
    from pipelines.lake.lake import Lake
    from pipelines.runs.backfill import asset_events_of
    from schemas import registry
    from schemas.errors import Superseded

    run = _asked_for(query, first, last, backwards, stale)
    settings = config.load(read_limits(most_rows, most_seconds), engine)
    with progress() as show:
        reports = run(settings, counting(show))
    _output.write_asset_events(asset_events, asset_events_of(reports))
    show_days(reports, as_json)
    if stale and not reports:
        _output.note(f"no day of {query} is stale")
    note_pending(Lake(settings), [registry.stream(registry.query(query).stream)], AHEAD)
    return Superseded.exit_code if any(report.superseded for report in reports) else 0


def _asked_for(
    query: str, first: date | None, last: date | None, backwards: bool, stale: bool
) -> "Callable[[Config, Callable], list[DayReport]]":
    """What the options ask for; a usage error where they don't go together."""
    from pipelines.runs.backfill import backfill as run
    from pipelines.runs.backfill import redo_stale

    if stale:
        if first or last or backwards:
            raise typer.BadParameter("--stale takes its days from the ledger; leave out --from, --to and --backwards")
        return lambda settings, count: redo_stale(settings, query, count)
    if first is None or last is None:
        raise typer.BadParameter("which days? Give --from and --to, or --stale")
    start, end = first, last
    return lambda settings, count: run(settings, query, start, end, backwards, count)
