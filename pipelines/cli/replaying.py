"""Commands that replay days and publish them."""

from datetime import date
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from windrow.pipelines.cli import _output
from windrow.pipelines.cli._days import Farms, note_ahead, show_day, show_done
from windrow.pipelines.cli._options import (
    AsJson,
    AssetEvents,
    EngineName,
    MostRows,
    MostSeconds,
    QueryNames,
    RunId,
    day_option,
    examples,
    query_argument,
    settings_of_replay,
)
from windrow.pipelines.cli._progress import progress_of_replays
from windrow.pipelines.config import Config
from windrow.schemas import registry

if TYPE_CHECKING:
    from windrow.pipelines.delta.lake import Lake
    from windrow.pipelines.runs.reports import DayReport

commands = typer.Typer()
Stage = Annotated[
    Literal["all", "audit", "publish"],
    typer.Option(help="audit: write the audit rows. publish: check and publish existing audit rows. all: both."),
]
Explain = Annotated[
    bool,
    typer.Option("--explain", help="Only print what would be read, in how many tasks, and what would be committed."),
]


@commands.command(
    epilog=examples(
        "windrow replay bikes_demand --day 2018-10-01",
        "windrow replay bikes_demand bikes_daily --day 2018-10-01",
        "windrow replay telemetry_trend --day 2014-02-14",
    )
)
def replay(
    queries: Annotated[list[str], query_argument("QUERY...", "Queries or models. windrow check lists them.")],
    day: Annotated[date, day_option("--day", help="The arrival day to replay, UTC.")],
    stage: Stage = "all",
    run_id: RunId = None,
    engine: EngineName = None,
    most_rows: MostRows = None,
    most_seconds: MostSeconds = None,
    asset_events: AssetEvents = None,
    explain: Explain = False,
    as_json: AsJson = False,
) -> int:
    """Replay one arrival day of one or more queries in one pass, check the rows and publish them.

    The same day replayed again gives the same rows. For a model, which calls a function on the events of each window,
    the output also shows what its farms did."""
    from windrow.pipelines.delta.lake import Lake
    from windrow.pipelines.runs.replay import replay as run

    settings = settings_of_replay(engine, most_rows, most_seconds)
    if explain:
        for query in queries:
            _explain(settings, query, day, as_json)
        return 0
    with progress_of_replays() as show:
        done = run(settings, {query: [day] for query in queries}, stage, run_id, show)
    _output.write_asset_events(
        asset_events, {table: event for report in done.reports for table, event in report.asset_events.items()}
    )
    lake, code = Lake(settings), 0
    farms = _farms(lake, done.reports)
    if len(queries) > 1:
        code = show_done(done, as_json, farms)
    elif done.failures:
        raise done.failures[0].error
    else:
        show_day(done.reports[0], as_json, farms)
    if run_id is None:
        note_ahead(lake, queries)
    return code


def _farms(lake: "Lake", reports: "list[DayReport]") -> Farms:
    from windrow.pipelines.ledger import farm_runs

    models = [report for report in reports if report.query in registry.models()]
    return {each.query: farm_runs.of_run(lake, each.query, each.day, each.run_id) for each in models}


def _explain(settings: Config, query: str, day: date, as_json: bool) -> None:
    from windrow.pipelines.runs.explain import explain

    facts, planned = explain(settings, query, day)
    tasks = [kind._asdict() for kind in planned]
    if as_json:
        _output.show_json({**facts, "tasks": tasks})
        return
    _output.show_facts(facts, as_json)
    _output.show(tasks, as_json)


@commands.command(
    epilog=examples(
        "windrow backfill bikes_demand --from 2018-10-01 --to 2018-10-31",
        "windrow backfill --stream bikes --from 2018-10-01 --to 2018-10-31",
        "windrow backfill bikes_demand --stale",
    )
)
def backfill(
    queries: QueryNames = None,
    stream: Annotated[str | None, typer.Option(metavar="STREAM", help="All queries of this stream.")] = None,
    first: Annotated[date | None, day_option("--from", help="The first arrival day, UTC.")] = None,
    last: Annotated[date | None, day_option("--to", help="The last arrival day, UTC, included.")] = None,
    backwards: Annotated[bool, typer.Option("--backwards", help="Newest days first. The rows are the same.")] = False,
    stale: Annotated[
        bool, typer.Option("--stale", help="Every day that windrow runs --stale lists, instead of a range.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="Also replay days whose published rows are up to date.")
    ] = False,
    engine: EngineName = None,
    most_rows: MostRows = None,
    most_seconds: MostSeconds = None,
    asset_events: AssetEvents = None,
    as_json: AsJson = False,
) -> int:
    """Replay and publish every day of a range, or every stale day, in one pass.

    A day that fails does not stop the others."""
    from windrow.pipelines.delta.lake import Lake
    from windrow.pipelines.runs.backfill import backfill as run
    from windrow.pipelines.runs.backfill import redo_stale
    from windrow.pipelines.runs.reports import asset_events_of

    names, span = _asked(queries or [], stream), _span(first, last, stale, backwards or again)
    settings = settings_of_replay(engine, most_rows, most_seconds)
    with progress_of_replays() as show:
        done = redo_stale(settings, names, show) if span is None else run(settings, names, span, backwards, again, show)
    _output.write_asset_events(asset_events, asset_events_of(done.reports))
    code = show_done(done, as_json)
    if stale and not done.reports:
        _output.note(f"no day of {', '.join(names)} is stale")
    note_ahead(Lake(settings), names)
    return code


def _asked(queries: list[str], stream: str | None) -> list[str]:
    """Names of the queries, broken ones too, which fail alone; a usage error where none are given, or both."""
    if bool(queries) == bool(stream):
        both = "QUERY and --stream don't go together; leave one out"
        raise typer.BadParameter(
            both if stream else "no query is given. Give one or more QUERY, or --stream STREAM for all of its queries"
        )
    if stream is None:
        named = [registry.name_of_query(name) for name in dict.fromkeys(queries)]
        return [name if name in registry.broken_queries() else registry.query(name).name for name in named]
    name = registry.stream(stream).name
    return sorted([*(query.name for query in registry.queries_of(name)), *registry.broken_queries_of(name)])


def _span(first: date | None, last: date | None, stale: bool, more: bool) -> tuple[date, date] | None:
    """The days that are asked for, or none of its own for the stale ones; a usage error where options don't go
    together. more: whether others say which days."""
    if stale and (first or last or more):
        raise typer.BadParameter(
            "--stale takes its days from the ledger; leave out --from, --to, --backwards and --again"
        )
    if stale:
        return None
    if first is None or last is None:
        raise typer.BadParameter("no days are given. Give --from and --to, or --stale")
    return first, last
