"""windrow runs."""

from typing import Annotated

import typer

from pipelines.commands import _output
from pipelines.commands._options import AsJson


def runs(
    stale: Annotated[
        bool, typer.Option("--stale", help="Only published days that would come out differently now.")
    ] = False,
    stages: Annotated[
        bool, typer.Option("--stages", help="Also the stages that each step went through.")
    ] = False,
    last: Annotated[
        int, typer.Option(min=0, help="How many steps to show, the newest last; 0 shows all.")
    ] = 30,
    as_json: AsJson = False,
):
    """List the steps of the ledger, each with its newest state; --stale: the runs to do again, and why."""
    from pipelines import config

    if stale:
        _show_stale(config.load(), as_json)
    else:
        _show_steps(config.load(), stages, last, as_json)


def _show_stale(settings, as_json: bool) -> None:
    from pipelines.stale import stale

    found = [dict(vars(run)) for run in stale(settings)]
    _output.show(found, as_json)
    if not found:
        _output.say("no run is stale")
    _say_pending(settings)


def _say_pending(settings) -> None:
    """What has landed and isn't ingested may make more runs stale."""
    from pipelines import ingest, lake
    from schemas import registry
    from schemas.errors import LandingFailed

    for name in registry.streams():
        try:
            behind = ingest.pending(settings, name) if lake.version(settings, f"files_{name}") is not None else []
        except LandingFailed as error:
            _output.say(f"whether files of {name} wait to be ingested can't be seen: {error}")
            return
        if behind:
            _output.say(f"{len(behind)} file(s) of {name} are new, changed, or judged by an older definition, such as "
                        f"{behind[0]}; more runs may be stale after: windrow ingest {name}")


def _show_steps(settings, stages: bool, last: int, as_json: bool) -> None:
    from pipelines import ledger

    # The newest row of a step is its state: done, failed or refused; `running` if it runs or was killed.
    newest = {(row.run_id, row.step, row.query): row for row in ledger.rows(settings)}
    steps = sorted(newest.values(), key=lambda row: row.at)
    shown = steps if last == 0 or as_json else steps[-last:]
    listed = _with_stages(settings, shown) if stages else shown
    _output.show([dict(vars(row)) if as_json else _brief(row, stages) for row in listed], as_json)
    if len(shown) < len(steps):
        _output.say(f"{len(steps) - len(shown):,} older steps are not shown; --last 0 shows all")
    if not steps:
        _output.say("nothing has run yet; begin with: windrow ingest STREAM")


def _with_stages(settings, steps: list) -> list:
    """Each step after its stages. Of a step that was tried more than once, those of the newest try."""
    from pipelines import ledger

    # The rows of a step's end were written together and have one time.
    ends = {(row.run_id, row.step, row.query, row.at) for row in steps}
    rows = ledger.rows(settings, stages=True)
    return [row for row in rows if (row.run_id, row.step, row.query, row.at) in ends]


def _brief(row, stages: bool) -> dict:
    return {
        "at": row.at,
        "run": row.run_id,
        "step": row.step,
        **({"stage": row.stage} if stages else {}),
        "of": row.query or row.stream,
        "day": row.logical_date,
        "state": row.state,
        "seconds": round(row.seconds, 1),
        "counts": row.counts,
        "message": row.message,
    }
