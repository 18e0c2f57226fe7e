"""windrow runs."""

from typing import Annotated

import typer

from pipelines.commands import _output
from pipelines.commands._options import AsJson


def runs(
    stale: Annotated[
        bool, typer.Option("--stale", help="Only published days that would come out differently now.")
    ] = False,
    last: Annotated[
        int, typer.Option(min=0, help="How many steps to show, the newest last; 0 shows all.")
    ] = 30,
    as_json: AsJson = False,
):
    """List the steps of the ledger, each with its newest state; --stale: the runs to do again, and why."""
    from pipelines import config

    (_show_stale if stale else _show_steps)(config.load(), last, as_json)


def _show_stale(settings, _last: int, as_json: bool) -> None:
    from pipelines.stale import stale

    found = [dict(vars(run)) for run in stale(settings)]
    _output.show(found, as_json)
    if not found:
        _output.say("no run is stale")


def _show_steps(settings, last: int, as_json: bool) -> None:
    from pipelines import ledger

    # The newest row of a step is its state: done, failed or refused; `running` if it runs or was killed.
    newest = {(row.run_id, row.step, row.query): row for row in ledger.rows(settings)}
    steps = sorted(newest.values(), key=lambda row: row.at)
    shown = steps if last == 0 or as_json else steps[-last:]
    _output.show(
        [_brief(row) for row in shown] if not as_json else [dict(vars(row)) for row in shown], as_json
    )
    if len(shown) < len(steps):
        _output.say(f"{len(steps) - len(shown):,} older steps are not shown; --last 0 shows all")
    if not steps:
        _output.say("nothing has run yet; begin with: windrow ingest STREAM")


def _brief(row) -> dict:
    return {
        "at": row.at,
        "run": row.run_id,
        "step": row.step,
        "of": row.query or row.stream,
        "day": row.logical_date,
        "state": row.state,
        "seconds": round(row.seconds, 1),
        "counts": row.counts,
        "message": row.message,
    }
