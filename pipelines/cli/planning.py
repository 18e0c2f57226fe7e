"""Commands that find what is stale, make it again, and prove that it comes out the same."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from windrow.pipelines.cli import _output
from windrow.pipelines.cli._days import end, show_done
from windrow.pipelines.cli._errors import DEFECT
from windrow.pipelines.cli._options import (
    AsJson,
    EngineName,
    MostRows,
    MostSeconds,
    QueryName,
    examples,
    query_argument,
    settings_of_replay,
)
from windrow.pipelines.cli._progress import progress
from windrow.pipelines.config import Config
from windrow.pipelines.flow import BACKFILL
from windrow.pipelines.location import typed
from windrow.pipelines.report.words import length
from windrow.schemas import registry
from windrow.schemas.errors import NotSetUp

if TYPE_CHECKING:
    from windrow.pipelines.features.stale import StaleFeatures
    from windrow.pipelines.location import Location
    from windrow.pipelines.upkeep.day_plan import Change, DayPlan, PlannedRun, Step
    from windrow.pipelines.upkeep.verify import Compared

commands = typer.Typer()
MOST_FILES, MOST_REASONS = 20, 2
Names = Annotated[list[str] | None, query_argument("[QUERY]...", "Only these queries.", show_default="all")]
PublishedNames = Annotated[
    list[str] | None, query_argument("[QUERY]...", "Only these queries.", show_default="all published")
]


@commands.command(epilog=examples("windrow plan", "windrow plan bikes_demand --run"))
def plan(
    queries: Names = None,
    run: Annotated[
        bool, typer.Option("--run", help="Also run these commands, in this order, in this process.")
    ] = False,
    airflow: Annotated[
        bool, typer.Option("--airflow", help="Let the Airflow of this home make the stale days again.")
    ] = False,
    engine: EngineName = None,
    most_rows: MostRows = None,
    most_seconds: MostSeconds = None,
    as_json: AsJson = False,
) -> int:
    """Show which published days are stale, why, and which commands make them again.

    Also shows what has changed (files, definitions, code) and what the work costs. Changes nothing without --run or
    --airflow."""
    from windrow.pipelines.upkeep.day_plan import plan as make

    names = queries or []
    if airflow and (run or names):
        raise typer.BadParameter("--airflow makes all stale days again, in Airflow; leave out QUERY and --run")
    settings = settings_of_replay(engine, most_rows, most_seconds)
    with progress() as show:
        made = make(settings, names, lambda text: show(text))
    if not as_json:
        _show(made)
    done = None
    if run:
        from windrow.pipelines.upkeep.day_plan import carry_out

        with progress() as show:
            rebuilt = carry_out(settings, made, show)
        done = rebuilt.days
        _note_moved(rebuilt.moved)
    if as_json:
        _output.show_json(asdict(made) | ({"done": [vars(each) for each in done.reports]} if done else {}))
    if airflow:
        _trigger_in_airflow(settings, made)
    elif made.steps and not (as_json or run):
        hint = f"to do this: {' '.join(['windrow plan', *names])} --run, or one command after the other"
        _output.note(hint if names else f"{hint}; in Airflow: windrow plan --airflow")
    if done is None:
        return 0
    return end(done) if as_json else show_done(done, as_json)


def _trigger_in_airflow(config: Config, made: "DayPlan") -> None:
    """Start a run of `<stream>_backfill` for each stream that has stale days, and print where it is. NotSetUp where no
    Airflow of this home runs."""
    from windrow.pipelines.airflow import running
    from windrow.pipelines.ledger.run_table import new_run_id

    streams = sorted({registry.query(run.query).stream for run in made.runs if run.query not in made.lost})
    if not streams:
        return
    if (airflow := running(config.here)) is None:
        raise NotSetUp(f"no Airflow of {config.home} runs", f"{typed('up')}   # or without it: windrow plan --run")
    client = airflow.client()
    for dag in (stream + BACKFILL for stream in streams):
        run = client.trigger(dag, None, new_run_id("plan", None), stale=True)
        _output.note(f"{dag}: run {run} makes the stale days again: {airflow.address}/dags/{dag}/runs/{run}")
        if client.call("GET", f"/dags/{dag}")["is_paused"]:
            _output.note(f"{dag} is paused: the run waits until you unpause it at {airflow.address}/dags/{dag}")
    for step in made.steps:
        if step.does == "ingest":
            _output.note(f"these runs ingest nothing. New files of {step.of} need: {step.command}")


def _show(made: "DayPlan") -> None:
    for problem in made.unseen:
        _output.note(problem)
    if not made.runs and not made.steps:
        _output.note("nothing is stale: every published day, if there is one, is up to date")
        return
    _section("What has changed", [_change(each) for each in made.changes[:MOST_FILES]])
    if len(made.changes) > MOST_FILES:
        _output.note(f"{len(made.changes) - MOST_FILES:,} more are not shown; --json has all")
    # Neighbouring days of a query that are stale for the same kinds of reasons.
    spans = [list(of) for _, of in groupby(made.runs, key=lambda run: (run.query, run.kinds))]
    _section("Which days are stale", [_days(each) for each in spans])
    _section("Which features are stale", [_features(each) for each in made.features])
    _section("What makes them again, in this order", [_step(each) for each in made.steps])
    for query in made.lost:
        _output.note(f"{query} has no readable definition, so its days can't be made again. See: windrow check")
    if not made.runs and not made.features:
        _output.note("these changes make no published day stale")


def _note_moved(moved: "Mapping[str, Location]") -> None:
    for table, place in moved.items():
        _output.note(f"the old {table} is kept in {place}; delete it when you no longer need it")


def _section(title: str, rows: list[dict]) -> None:
    if rows:
        print(f"{title}:")
        _output.show(rows, False)
        Console().print()  # which flushes: in a log of both a note would else come before it


def _change(change: "Change") -> dict:
    return {
        "what": change.kind,
        "name": change.name,
        "why": change.why,
        "events": change.events,
        "before": change.events_before,
        "arrival days": _in_short(change.arrival_days),
        "stale days": change.runs,
        "of": ", ".join(change.queries) or "-",
    }


def _in_short(days: tuple[date, ...]) -> str:
    if len(days) < 2:
        return str(days[0]) if days else "-"
    return f"{len(days)}, {days[0]} to {days[-1]}"


def _days(span: "list[PlannedRun]") -> dict:
    events = [run.events for run in span if run.events is not None]
    seconds = [run.seconds for run in span if run.seconds is not None]
    texts = list(dict.fromkeys(text for run in span for text in run.because))
    return {
        "query": span[0].query,
        "from": span[0].day,
        "to": span[-1].day,
        "days": len(span),
        "events to read": sum(events) if events else None,
        "seconds": round(sum(seconds), 1) if seconds else None,
        "because": _because(texts),
    }


def _features(each: "StaleFeatures") -> dict:
    return {"table": each.table, "of": each.request.features, "because": _because(each.reasons)}


def _because(texts: Sequence[str]) -> str:
    more = f"; {len(texts) - MOST_REASONS} more" if len(texts) > MOST_REASONS else ""
    return "; ".join(texts[:MOST_REASONS]) + more


def _step(step: "Step") -> dict:
    perhaps = f", {step.perhaps} of them perhaps" if step.perhaps else ""
    return {
        "command": step.command,
        "days": f"{step.days}{perhaps}" if step.days else "-",
        "from": step.first,
        "to": step.last,
        "events to read": step.events,
        "about": length(None if step.seconds is None else max(1, round(step.seconds))),
    }


@commands.command(epilog=examples("windrow rebuild bikes_demand"))
def rebuild(
    query: QueryName,
    engine: EngineName = None,
    most_rows: MostRows = None,
    most_seconds: MostSeconds = None,
    as_json: AsJson = False,
) -> int:
    """Make a query's tables anew after its columns have changed.

    Every published day is replayed and published again. Readers see the old tables until all days are done. The old
    tables are then kept in replaced/ of the home."""
    from windrow.pipelines.upkeep.rebuild import rebuild as run

    settings = settings_of_replay(engine, most_rows, most_seconds)
    with progress() as show:
        done = run(settings, query, show)
    code = show_done(done.days, as_json)
    _note_moved(done.moved)
    if not done.moved:
        again = f"{len(done.days.reports)} stale day(s) made again" if done.days.reports else "nothing to do"
        _output.note(f"the tables of {query} match its definition: {again}")
    return code


@commands.command(epilog=examples("windrow verify bikes_demand --days 3"))
def verify(
    queries: PublishedNames = None,
    days: Annotated[int, typer.Option(min=1, help="How many of each query's newest published days.")] = 3,
    engine: EngineName = None,
    most_rows: MostRows = None,
    most_seconds: MostSeconds = None,
    as_json: AsJson = False,
) -> int:
    """Prove on this lake that rows depend only on the events and the query.

    The newest published days are replayed in every order, two at a time, in more tasks, after a kill, and from files
    that are ingested again. All of this runs in a temporary lake. The exit code is 1 if any row differs."""
    from windrow.pipelines.upkeep.verify import DIFFERS
    from windrow.pipelines.upkeep.verify import verify as run

    settings = settings_of_replay(engine, most_rows, most_seconds)
    with progress() as show:
        compared = list(run(settings, queries or [], days, lambda text: show(text)))
    _output.show([dict(vars(each)) if as_json else _row(each) for each in compared], as_json)
    differ = [each for each in compared if each.result == DIFFERS]
    for each in differ:
        for difference in each.differences:
            _output.note(f"error: {each.query}, {each.way}: {difference}")
    return DEFECT if differ else 0


def _row(each: "Compared") -> dict:
    span = str(each.first) if each.days == 1 else f"{each.days}, {each.first} to {each.last}"
    return {
        "query": each.query,
        "days": span,
        "made": each.way,
        "result": each.result,
        "rows": each.rows,
        "late": each.late_rows,
        "seconds": None if each.seconds is None else round(each.seconds, 1),
        "why": each.why or "; ".join(each.differences) or None,
    }
