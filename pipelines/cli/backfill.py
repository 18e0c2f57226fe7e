from datetime import date
from typing import Annotated

import typer

from pipelines.cli import _output
from pipelines.cli._days import note_ahead, show_done
from pipelines.cli._options import (
    AsJson,
    AssetEvents,
    EngineName,
    MostRows,
    MostSeconds,
    QueryNames,
    day_option,
    settings_of_replay,
)
from pipelines.cli._progress import progress

EXAMPLES = (
    "windrow backfill bikes_demand --from 2018-10-01 --to 2018-10-31",
    "windrow backfill --stream bikes --from 2018-10-01 --to 2018-10-31",
    "windrow backfill bikes_demand --stale",
)


def backfill(
    queries: QueryNames = None,
    stream: Annotated[str | None, typer.Option(metavar="STREAM", help="All queries of a stream.")] = None,
    first: Annotated[date | None, day_option("--from", help="The first arrival day, UTC.")] = None,
    last: Annotated[date | None, day_option("--to", help="The last arrival day, UTC, included.")] = None,
    backwards: Annotated[bool, typer.Option("--backwards", help="Newest days first; the rows are the same.")] = False,
    stale: Annotated[
        bool, typer.Option("--stale", help="Not a range, but every day that windrow runs --stale lists.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Also days that are published as a run of now would make them.")
    ] = False,
    engine: EngineName = None,
    most_rows: MostRows = None,
    most_seconds: MostSeconds = None,
    asset_events: AssetEvents = None,
    as_json: AsJson = False,
) -> int:
    """Replay and publish every day of a range, or every stale day, of some queries in one pass. A day that fails keeps
    no other from being published."""
    from pipelines.delta.lake import Lake
    from pipelines.runs.backfill import backfill as run
    from pipelines.runs.backfill import redo_stale
    from pipelines.runs.reports import asset_events_of

    names, span = _asked(queries or [], stream), _span(first, last, stale, backwards or again)
    settings = settings_of_replay(engine, most_rows, most_seconds)
    with progress() as show:
        done = redo_stale(settings, names, show) if span is None else run(settings, names, span, backwards, again, show)
    _output.write_asset_events(asset_events, asset_events_of(done.reports))
    code = show_done(done, as_json)
    if stale and not done.reports:
        _output.note(f"no day of {', '.join(names)} is stale")
    note_ahead(Lake(settings), names)
    return code


def _asked(queries: list[str], stream: str | None) -> list[str]:
    """Names of the queries; a usage error where none are given, or both."""
    from schemas import registry

    if bool(queries) == bool(stream):
        raise typer.BadParameter("of what? Give one or more QUERY, or --stream STREAM for all of its queries")
    if stream is None:
        return [registry.query(name).name for name in dict.fromkeys(queries)]
    return [query.name for query in registry.queries_of(registry.stream(stream).name)]


def _span(first: date | None, last: date | None, stale: bool, more: bool) -> tuple[date, date] | None:
    """The days that are asked for, or none of its own for the stale ones; a usage error where options don't go
    together. more: whether others say which days."""
    if stale and (first or last or more):
        raise typer.BadParameter("--stale takes its days from the ledger; leave out all that says which days")
    if stale:
        return None
    if first is None or last is None:
        raise typer.BadParameter("which days? Give --from and --to, or --stale")
    return first, last
