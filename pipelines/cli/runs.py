from typing import TYPE_CHECKING, Annotated

import typer

from pipelines.cli import _output
from pipelines.cli._days import note_pending
from pipelines.cli._options import AsJson

if TYPE_CHECKING:
    from pipelines.delta.lake import Lake
    from pipelines.ledger.run_table import StepRow

EXAMPLES = ("windrow runs --last 5", "windrow runs --stale")


def runs(
    stale: Annotated[
        bool, typer.Option("--stale", help="Only published days that would come out differently now.")
    ] = False,
    stages: Annotated[bool, typer.Option("--stages", help="Also the stages that each step went through.")] = False,
    last: Annotated[int, typer.Option(min=0, help="How many rows to show, the newest last; 0 shows all.")] = 30,
    as_json: AsJson = False,
) -> None:
    """List the steps of the ledger, each with its newest state; --stale: the runs to do again, and why."""
    from pipelines import config
    from pipelines.delta.lake import Lake

    lake = Lake(config.load())
    if stale:
        _show_stale(lake, as_json)
    else:
        _show_steps(lake, stages, last, as_json)


def _show_stale(lake: "Lake", as_json: bool) -> None:
    from pipelines.ledger.stale import stale
    from schemas import registry

    columns = ("query", "day", "run_id", "reasons")
    found = [{name: getattr(run, name) for name in columns} for run in stale(lake)]
    _output.show(found, as_json)
    _output.note("what makes them again, and what it costs: windrow plan --run" if found else "no run is stale")
    for broken in registry.broken_streams().values():
        _output.note(str(broken))
    note_pending(lake, registry.streams().values(), "more runs may be stale after")


def _show_steps(lake: "Lake", stages: bool, last: int, as_json: bool) -> None:
    from pipelines.ledger.run_table import rows

    # The newest row of a step is its state.
    newest = {(row.run_id, row.step, row.query): row for row in rows(lake)}
    steps = sorted(newest.values(), key=lambda row: row.at)
    listed = _with_stages(lake, steps) if stages else steps
    shown = listed if last == 0 or as_json else listed[-last:]
    _output.show([dict(vars(row)) if as_json else _brief(row, stages) for row in shown], as_json)
    if len(shown) < len(listed):
        _output.note(f"{len(listed) - len(shown):,} older rows are not shown; --last 0 shows all")
    if not steps:
        _output.note("nothing has run yet; begin with: windrow ingest STREAM")


def _with_stages(lake: "Lake", steps: "list[StepRow]") -> "list[StepRow]":
    """Each step after its stages. Of a step that was tried more than once, those of the newest try."""
    from pipelines.ledger.run_table import rows

    # The rows of a step's end were written together and have one time.
    ends = {(row.run_id, row.step, row.query, row.at) for row in steps}
    return [row for row in rows(lake, stages=True) if (row.run_id, row.step, row.query, row.at) in ends]


def _brief(row: "StepRow", stages: bool) -> dict:
    # The counts that every step has under a name of its own, and the others that are not zero.
    left = dict(row.counts)
    events = left.pop("events_of_day", left.pop("accepted", None))
    late, rows = left.pop("late_rows", left.pop(f"{row.query}_late", None)), left.pop("rows", left.pop(row.query, None))
    others = ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in left.items() if count)
    return {
        "at": row.at.replace(microsecond=0),
        "run": row.run_id,
        "step": row.step,
        **({"stage": row.stage} if stages else {}),
        "of": row.query or row.stream,
        "day": row.logical_date,
        "state": row.state,
        "seconds": round(row.seconds, 1),
        "events": events,
        "rows": rows,
        "late_rows": late,
        "other_counts": others or None,
        "message": row.message,
    }
